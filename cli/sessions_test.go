package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/clitest"
)

func TestSessionsPagesAndPrints(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Mux.HandleFunc("/v1/sessions", func(w http.ResponseWriter, r *http.Request) {
		page := `{"data":[{"id":"ses_1","type":"CHAT","status":"idle","phase":"IDLE","name":"A\nname","last_event_time":"2026-11-21T10:00:00.000Z"}],"next_cursor":"c1"}`
		if r.URL.Query().Get("after") == "c1" {
			page = `{"data":[{"id":"ses_2","type":"AUTOMATION","status":"ended","phase":"COMPLETED","name":"","last_event_time":"2026-11-21T09:00:00.000Z"}],"next_cursor":null}`
		}
		_, _ = w.Write([]byte(page))
	})
	cc, out := clitest.Context(t, strings.NewReader(""))
	c := sessionsList{ClientFlags: f.Flags(), Type: "CHAT", Limit: 50}
	if err := c.Run(cc); err != nil {
		t.Fatal(err)
	}
	clitest.Wants(t, out.String(), "ID", "STATUS", "ses_1", "A name", "ses_2", "COMPLETED")
	if line := f.Seen("GET")[1].Line; line != "GET /v1/sessions?after=c1&limit=49&type=CHAT" {
		t.Errorf("asked for %s", line)
	}
	cc, out = clitest.Context(t, strings.NewReader(""))
	c.Output, c.Limit = "json", 1
	if err := c.Run(cc); err != nil {
		t.Fatal(err)
	}
	var list []api.Session
	if err := json.Unmarshal([]byte(out.String()), &list); err != nil || len(list) != 1 {
		t.Fatalf("%v in %s", err, out.String())
	}
}
