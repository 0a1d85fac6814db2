package keep

import (
	"fmt"
	"maps"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func TestMain(m *testing.M) { harness.Main(m) }

// place is one workspace of a server.
type place struct {
	*harness.Server
	ws string
}

func (p place) call(method, path string, body any) *harness.Reply {
	p.T.Helper()
	return p.Call(method, path, body, "Fermata-Workspace", p.ws)
}

// made is a new workspace with a script that answers in it, and settings.
func made(s *harness.Server, ws, steps string, settings map[string]any) place {
	s.T.Helper()
	p := place{s, ws}
	if ws != "default" {
		s.Call("POST", "/v1/workspaces", map[string]any{"id": ws}).Want(201)
	}
	if settings != nil {
		p.call("PATCH", "/v1/settings", settings).Want(200)
	}
	p.call("POST", "/v1/providers", fmt.Sprintf(`{"name": "Script", "kind": "script", "is_default": true, "config": {"steps": %s}}`, steps)).Want(201)
	return p
}

func (p place) chat() string {
	p.T.Helper()
	return p.call("POST", "/v1/sessions", map[string]any{"type": "CHAT"}).Want(201).Str("id")
}

func (p place) says(session, text string) {
	p.T.Helper()
	p.call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": text}).Want(202)
}

// phase waits until a session is in a phase.
func (p place) phase(session, phase string) {
	p.T.Helper()
	var last *harness.Reply
	defer func() {
		if p.T.Failed() && last != nil {
			p.T.Logf("the session is %s", last.Body)
		}
	}()
	testkit.Until(p.T, session+" is in "+phase, func() bool {
		last = p.call("GET", "/v1/sessions/"+session, nil).Want(200)
		return last.Str("phase") == phase
	})
}

// run starts an automation by hand and gives its session.
func (p place) run(seed string, more map[string]any) string {
	p.T.Helper()
	body := map[string]any{"name": seed, "seed": map[string]any{"text": seed}}
	maps.Copy(body, more)
	id := p.call("POST", "/v1/automations", body).Want(201).Str("id")
	return p.call("POST", "/v1/automations/"+id+"/execute", nil).Want(202).Str("session.id")
}
