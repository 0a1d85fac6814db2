package uichat

import (
	"net/http"
	"testing"

	"github.com/fermata-dev/fermata/rounds/suite"
)

// caller serves each request for one caller.
type caller struct{ *Chat }

func (c caller) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	return c.Chat.Serve(w, r, suite.Caller, body)
}

// Each story has the same bytes on the wire as before: for a front end with nothing, and for one that has
// a part of the answer.
func TestTranscripts(t *testing.T) {
	const (
		head = `{"id":"` + suite.SessionID + `","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"` + suite.Text + `"}]}`
		held = `,{"id":"a1","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"The answer"}]}`
	)
	suite.Run(t, "testdata", []suite.Request{
		{Name: "message", Body: head + `]}`},
		{Name: "message and a part of the answer", Body: head + held + `]}`},
	}, func(w *suite.World) suite.Door { return caller{&Chat{Config{w.Config()}}} })
}
