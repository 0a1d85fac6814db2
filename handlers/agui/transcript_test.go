package agui

import (
	"net/http"
	"testing"

	"github.com/fermata-dev/fermata/rounds/suite"
)

// caller serves each request for one caller.
type caller struct{ *Door }

func (c caller) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	return c.Door.Serve(w, r, suite.Caller, body)
}

// Each story has the same bytes on the wire as before.
func TestTranscripts(t *testing.T) {
	suite.Run(t, "testdata", []suite.Request{{
		Name: "run",
		Body: `{"threadId":"` + suite.SessionID + `","runId":"run_1","messages":[{"id":"u1","role":"user","content":"` + suite.Text + `"}]}`,
	}}, func(w *suite.World) suite.Door { return caller{&Door{w.Config()}} })
}
