package repository_test

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository"
)

// chatOfOld is a chat of an old database, in which messages were sent in this order, and by whom.
func chatOfOld(id string, senders ...string) []string {
	queries := []string{`INSERT INTO sessions (workspace_id, id, type, name, phase, status, end_reason, holds_slot, wants_slot, external_id,
		parent_session_id, automation_id, trigger_kind, provider_id, model, require_validation, pinned, created_at, updated_at, version, run_epoch,
		owner_node, owner_incarnation, last_seq, session_seq, last_transition_id, state, budgets, usage, reserved_micros)
		VALUES ('default', '` + id + `', 'CHAT', '', 'IDLE', 'idle', '', FALSE, FALSE, '', '', '', '', '', '', FALSE, FALSE, 1, 1, 1, 0,
		'', '', 1, 1, '', '{}', '{}', '{}', 0)`}
	for i, sender := range senders {
		at := string(rune('1' + i))
		queries = append(queries, `INSERT INTO messages (workspace_id, session_id, id, round_id, seq, at, sender, status, sender_id, sender_name,
			sender_role, rich, text_content, ai, raw, system, run, answers_call, exclude_from_prompt)
			VALUES ('default', '`+id+`', 'msg_`+id+at+`', '', `+at+`, `+at+`, 'USER', 'stored', '`+sender+`', 'N', 'member', '', '', '', '', '', '', '', FALSE)`)
	}
	return queries
}

// TestChatsGetTheirOwners: after the upgrade a chat belongs to the sender of its first message, and everyone sees it as
// before. The person is the one of later requests with the same credentials.
func TestChatsGetTheirOwners(t *testing.T) {
	bothDatabases(t, func(t *testing.T, cfg *repository.Config) {
		db, _ := old(t, cfg)
		for _, chat := range [][]string{
			chatOfOld("ses_key", "key_1", "usr_1"), chatOfOld("ses_key2", "key_1"), chatOfOld("ses_person", "usr_1", "key_1"),
			chatOfOld("ses_local", "local"), chatOfOld("ses_hook", "webhook"), chatOfOld("ses_empty"),
		} {
			for _, query := range chat {
				if _, err := db.ExecContext(t.Context(), query); err != nil {
					t.Fatalf("%s: %v", query, err)
				}
			}
		}
		s := opened(t, *cfg)
		person := func(kind people.PersonKind, identity string) string {
			p, err := s.People.FindOrCreate(t.Context(), &people.Person{WorkspaceID: ws, Kind: kind, Identity: identity, Name: "N", Role: domain.RoleMember})
			if err != nil || p.Kind != kind {
				t.Fatalf("%s: %+v, %v", identity, p, err)
			}
			return p.ID
		}
		for id, owner := range map[string]string{
			"ses_key": "per_ses_key1", "ses_key2": "per_ses_key1", "ses_person": "per_ses_person1", "ses_local": "per_ses_local1",
			"ses_hook": "", "ses_empty": "", "ses_1": "",
		} {
			got, err := s.Sessions.Session(t.Context(), ws, id)
			if err != nil || got.Owner != owner || got.Visibility != domain.VisibleWorkspace {
				t.Errorf("%s: %+v, %v, want the owner %q", id, got, err, owner)
			}
		}
		if key, signedIn := person(people.PersonKey, "key_1"), person(people.PersonOIDC, "usr_1"); key != "per_ses_key1" || signedIn != "per_ses_person1" {
			t.Errorf("later requests come from %s and %s", key, signedIn)
		}
		if local := person(people.PersonLocal, "local"); local != "per_ses_local1" {
			t.Errorf("the local person is %s", local)
		}
	})
}
