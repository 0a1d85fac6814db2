package scheduler

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// TestAChatBelongsToItsCreator: the setting applies where a chat is created without a visibility, and a chat without an
// owner is never private.
func TestAChatBelongsToItsCreator(t *testing.T) {
	const private, workspace = domain.VisiblePrivate, domain.VisibleWorkspace
	for name, c := range map[string]struct {
		owner                string
		setting, asked, want domain.Visibility
	}{
		"as the setting":            {"per_1", private, "", private},
		"as the other setting":      {"per_1", workspace, "", workspace},
		"as asked":                  {"per_1", workspace, private, private},
		"as asked, the other":       {"per_1", private, workspace, workspace},
		"the workspace's":           {"", private, "", workspace},
		"the workspace's, as asked": {"", private, private, workspace},
	} {
		v := view(nil, nil)
		v.Workspace.Settings.ChatsVisible = c.setting
		w := newWorld(t, v)
		r, err := w.sessions().CreateSession(t.Context(), "ws", domain.NewSession{Type: domain.Chat, Owner: c.owner, Visibility: c.asked})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Session.Owner != c.owner || r.Session.Visibility != c.want || w.changes[0].Events[0].Session.Visibility != c.want {
			t.Errorf("%s: %q, %s", name, r.Session.Owner, r.Session.Visibility)
		}
	}
}

// TestAForkBelongsToItsMaker: it is seen by those who see the session that it begins with.
func TestAForkBelongsToItsMaker(t *testing.T) {
	of := chat("of", domain.Idle)
	of.Owner, of.Visibility = "per_1", domain.VisiblePrivate
	w := newWorld(t, view(nil, nil))
	again := &Again{Door: w.door, Providers: w}
	point := &branch.ForkPoint{Session: of, Message: &domain.Message{ID: "msg_1", SessionID: "of", Seq: 1}}
	made, err := again.fork(t.Context(), point, domain.NewFork{MessageID: "msg_1", By: domain.Author{Person: "per_2"}})
	if err != nil || made.Owner != "per_2" || made.Visibility != domain.VisiblePrivate {
		t.Errorf("%+v, %v", made, err)
	}
}
