package doors

import (
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// acpDoor is the door for editors.
type acpDoor struct {
	s      *server
	editor *harness.Editor
	id     string
	asked  chan harness.EditorRequest
	open   harness.EditorRequest
}

func newACPDoor(s *server, key string) *acpDoor {
	a := &acpDoor{s: s, editor: harness.NewEditor(s.T, s.URL, key), asked: make(chan harness.EditorRequest, 9)}
	a.editor.Choose = func(r harness.EditorRequest) any {
		a.asked <- r
		return nil
	}
	return a
}

func (a *acpDoor) say(text string) {
	a.s.T.Helper()
	if a.id == "" {
		a.id = a.editor.Open()
	}
	select {
	case end := <-a.editor.Begin("session/prompt", harness.PromptOf(a.id, text)):
		if end.Error != nil {
			a.s.T.Fatalf("%s: %+v", text, end.Error)
		}
	case a.open = <-a.asked:
	case <-time.After(harness.Patience):
		a.s.T.Fatalf("%s: no answer", text)
	}
}

// again loads the session once more, as an editor does that was closed.
func (a *acpDoor) again() {
	a.s.T.Helper()
	a.editor.Ask("session/load", map[string]any{"sessionId": a.id, "cwd": "/", "mcpServers": []any{}}, nil)
	a.open = <-a.asked
}

func (a *acpDoor) answer(decision map[string]any) {
	a.s.T.Helper()
	name, isChoice := decision["value"].(string)
	if !isChoice {
		name = "Approve"
	}
	a.editor.Answer(a.open, harness.Option(a.open, name))
	a.s.Until(a.id, "idle")
}

func (a *acpDoor) session() string { return a.id }
