package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
)

func TestTailPrintsLinesAndJSON(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		t.Run(output, func(t *testing.T) {
			f := clitest.NewAPI(t)
			n := 0
			f.Mux.HandleFunc("/v1/sessions/ses_1/events", func(w http.ResponseWriter, r *http.Request) {
				if n++; n > 1 {
					w.WriteHeader(http.StatusGone)
					return
				}
				clitest.Stream(w, r, false,
					"id: 5\nevent: session.phase\ndata: {\"session_id\":\"ses_1\",\"from\":\"IDLE\",\"phase\":\"CALLING_AI\",\"event\":\"UserMessageSent\"}\n\n",
					"event: message.delta\ndata: {\"text\":\"Hi\"}\n\n",
					"id: 6\nevent: new.kind\ndata: {\"a\":  1.50}\n\n")
			})
			cc, out := clitest.Context(t, strings.NewReader(""))
			c := tailCommand{ClientFlags: f.Flags(), Session: "ses_1", After: 4, Types: []string{"session.phase", "notice"}}
			c.Output = output
			if err := c.Run(cc); err == nil {
				t.Fatal("a stream that is gone for good is no error")
			}
			if output == "table" {
				clitest.Wants(t, out.String(), "     5  session.phase       ses_1 IDLE -> CALLING_AI (UserMessageSent)\n", "     6  new.kind", "reconnecting")
				if strings.Contains(out.String(), "Hi") {
					t.Error("deltas were shown")
				}
			} else {
				clitest.Wants(t, out.String(), `{"id":5,"event":"session.phase","data":{`, `{"event":"message.delta","data":{"text":"Hi"}}`, `{"id":6,"event":"new.kind","data":{"a":1.50}}`)
			}
			if line := f.Seen("GET")[0].Line; line != "GET /v1/sessions/ses_1/events?after=4&types=session.phase%2Cnotice" {
				t.Errorf("asked for %s", line)
			}
		})
	}
}
