package repository_test

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

// TestAnUpgradeMakesLanes verifies that the people of a workspace each have a lane after an upgrade, with their chats, and
// that the workspace of one person keeps a single lane.
func TestAnUpgradeMakesLanes(t *testing.T) {
	for _, c := range []struct {
		name    string
		senders map[string]string // of the first messages of chats
		lanes   domain.Lanes
	}{
		{"one person", map[string]string{"ses_a": "key_ada"}, "workspace"},
		{"two people", map[string]string{"ses_a": "key_ada", "ses_b": "usr_bob"}, "person"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bothDatabases(t, func(t *testing.T, cfg *repository.Config) {
				db, _ := old(t, cfg)
				exec := func(format string, args ...any) {
					t.Helper()
					query := fmt.Sprintf(format, args...)
					if _, err := db.ExecContext(t.Context(), query); err != nil {
						t.Fatalf("%s: %v", query, err)
					}
				}
				session := func(id, kind string) {
					exec(`INSERT INTO sessions (workspace_id, id, type, name, phase, status, end_reason, holds_slot, wants_slot, external_id, parent_session_id,
						automation_id, trigger_kind, provider_id, model, require_validation, pinned, created_at, updated_at, last_event_time, version, run_epoch,
						owner_node, owner_incarnation, last_seq, session_seq, last_transition_id, inbox_pending, state, budgets, usage, reserved_micros)
						SELECT workspace_id, '%s', '%s', name, 'IDLE', 'idle', '', FALSE, FALSE, '', '', '', '', '', '',
						FALSE, FALSE, 1, 1, 1, 3, 1, 'n', 'i', 6, 0, 'chg_1', 0, '{}', '{}', '{}', 0 FROM sessions WHERE id = 'ses_1'`, id, kind)
				}
				for id, sender := range c.senders {
					session(id, "CHAT")
					exec(`INSERT INTO messages (workspace_id, session_id, id, round_id, seq, at, sender, status, sender_id, rich, text_content, ai, raw, system, run,
						answers_call, exclude_from_prompt) VALUES ('default', '%s', 'msg_%s', 'rnd_1', 1, 5, 'USER', 'stored', '%s', '', 'hi', '', '', '', '', '', FALSE)`,
						id, id, sender)
				}
				session("ses_run", "AUTOMATION")
				s := opened(t, *cfg)
				w, err := s.Workspaces.Workspace(t.Context(), ws)
				if err != nil || w.Settings.Lanes != c.lanes {
					t.Fatalf("lanes: %q, want %q; %v", w.Settings.Lanes, c.lanes, err)
				}
				for id := range c.senders {
					chat, err := s.Sessions.Session(t.Context(), ws, id)
					if err != nil || chat.Owner == "" || chat.Lane != w.Settings.LaneOf(domain.Chat, chat.Owner) {
						t.Errorf("%s is of %q in the lane %q, %v", id, chat.Owner, chat.Lane, err)
					}
				}
				run, err := s.Sessions.Session(t.Context(), ws, "ses_run")
				if err != nil || run.Lane != w.Settings.LaneOf(domain.Run, "") {
					t.Errorf("the run is in the lane %q, %v", run.Lane, err)
				}
				invariantsHold(t, s)
			})
		})
	}
}
