package mcpserver

import (
	"context"
	"net/http"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// server is the world with what the stories do not need.
type server struct{ *suite.World }

func (server) InterruptSession(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	return nil, domain.NotFound("session")
}

func (server) StopSession(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	return nil, domain.NotFound("session")
}

func (server) ExecuteAutomation(context.Context, string, string, string) (*domain.Receipt, error) {
	return nil, domain.NotFound("automation")
}

func (server) Sessions(context.Context, string, domain.SessionFilter) ([]*domain.Session, string, error) {
	return nil, "", nil
}

// caller serves each request for one caller.
type caller struct{ *Door }

func (c caller) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	return c.Door.Serve(w, r, suite.Caller, body)
}

func (caller) Refuse(w http.ResponseWriter, f *api.Failure) { rounds.WriteProblem(w, f) }

// Each story has the same result as before.
func TestTranscripts(t *testing.T) {
	suite.Run(t, "testdata", []suite.Request{{
		Name:   "send_message",
		Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":{` +
			`"session_id":"` + suite.SessionID + `","text":"` + suite.Text + `"}}}`,
	}}, func(w *suite.World) suite.Door {
		return caller{New(Config{
			Config: w.Config(), Runs: server{w}, Workspaces: server{w}, PublicURL: "https://fermata.example",
		})}
	})
}
