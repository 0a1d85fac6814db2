package acp

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// Text and links are the person's own words. The text of a resource is kept apart, under its name.
func TestReadPrompt(t *testing.T) {
	for blocks, want := range map[string]string{
		`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`:                                         "ab",
		`[{"type":"text","text":"see "},{"type":"resource_link","name":"n","uri":"file:///n"}]`:           "see [n](file:///n)",
		`[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"file:///x/y.go","text":"z"}}]`: "a\n\nfile:///x/y.go:\n\n|y.go=z",
		`[{"type":"resource","resource":{"uri":"file:///x/","text":"z"}},{"type":"text","text":"a"}]`:     "\n\nfile:///x/:\n\n|x=z|a",
		`[{"type":"resource","resource":{"uri":"zed:","text":"z"}}]`:                                      "\n\nzed::\n\n|zed:=z",
		`[{"type":"resource","resource":{"uri":"file:///","text":"z"}}]`:                                  "\n\nfile:///:\n\n|resource=z",
		`[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"file:///empty","text":""}}]`:   "a\n\nfile:///empty:\n\n",
		`[{"type":"text","text":" \n "}]`:                                                                 "refused",
		`[{"type":"audio","data":""}]`:                                                                    "refused",
		`[{"type":"resource","resource":{"uri":"file:///a.png","blob":"AA=="}}]`:                          "refused",
	} {
		var in []block
		if err := json.Unmarshal([]byte(blocks), &in); err != nil {
			t.Fatal(err)
		}
		content, err := readPrompt(in)
		var parts []string
		for _, p := range content {
			if p.resource != "" {
				p.text = p.resource + "=" + p.text
			}
			parts = append(parts, p.text)
		}
		got := strings.Join(parts, "|")
		if err != nil {
			got = "refused"
		}
		if got != want {
			t.Errorf("%s is %q, want %q", blocks, got, want)
		}
	}
}

// A choice that the server rejects is shown at its call, with the address under which a person can answer.
func TestAChoiceThatIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := suite.NewWorld(t)
		d := converse(t, w)
		d.server.onAnswer = w.Expire
		d.choose = "Go on"
		d.prompt(hello)
		w.Ask(domain.ApprovalBudget)
		synctest.Wait()
		shown := ""
		for _, l := range d.lines {
			if l.Params.Update.Kind == "tool_call_update" {
				shown += string(l.Params.Update.Content)
			}
		}
		if !strings.Contains(shown, "The answer was rejected") || !strings.Contains(shown, "https://fermata.example/#/chat/"+suite.SessionID) {
			t.Errorf("the call shows %q", shown)
		}
		if got := w.Decisions(); len(got) > 0 {
			t.Errorf("decided was %+v", got)
		}
	})
}

// A prompt of a session that is closed is cancelled.
func TestAClosedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := converse(t, suite.NewWorld(t))
		d.prompt(hello)
		d.send(`{"jsonrpc":"2.0","id":"close","method":"session/close","params":{"sessionId":"` + suite.SessionID + `"}}`)
		if got := d.response(`"prompt"`); got == nil || got.Result.StopReason != "cancelled" {
			t.Errorf("the prompt ends with %+v", got)
		}
		if got := d.response(`"close"`); got == nil || got.Error != nil {
			t.Errorf("the session is closed with %+v", got)
		}
	})
}
