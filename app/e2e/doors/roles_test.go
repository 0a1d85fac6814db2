package doors

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

const rootKey = "root-key-of-this-test-0123456789abcdef"

// people are a server's admin and member, who call with their own keys.
func (s *server) people() (admin, member []string) {
	s.T.Helper()
	for _, role := range []string{"admin", "member"} {
		key := s.Call("POST", "/v1/keys", map[string]any{"name": "the " + role, "role": role}, "Authorization", "Bearer "+rootKey).Want(201).Str("key")
		admin, member = member, []string{"Authorization", "Bearer " + key}
	}
	return admin, member
}

const makesType = `{"name": "CREATE_TOOL_TYPE", "arguments": {"id": "mood", "name": "Mood", "config_schema": {"type": "object"}, "entry_schema": {"type": "object"}}}`

// TestTheChatHasTheRightsOfWhoSpeaks: what HTTP keeps for admins, a member's chat may not
// do and a member may not approve.
func TestTheChatHasTheRightsOfWhoSpeaks(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(f *app.Config) { f.RootKey = rootKey })
		admin, member := s.people()
		says := func(who []string, chat, text string) *harness.Reply {
			s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": text}, who...).Want(202)
			var r *harness.Reply
			testkit.Until(t, "the round to end", func() bool {
				r = s.Call("GET", "/v1/sessions/"+chat, nil, admin...)
				return r.Str("status") == "idle" || r.Str("status") == "requires_action"
			})
			return r
		}
		steps := `{"name": "Script 2", "kind": "script", "is_default": true, "config": {"steps": [{"when": {"roundtrip": 1}, "answer": {"text": "I do it.", "calls": [` + makesType + `]}}, {"answer": {"text": "So it is."}}]}}`
		s.Call("POST", "/v1/providers", steps, admin...).Want(201)

		s.Call("POST", "/v1/tool-types", `{"id": "mood", "name": "Mood", "config_schema": {"type": "object"}, "entry_schema": {"type": "object"}}`, member...).Problem(403, "forbidden")
		chat := s.Call("POST", "/v1/sessions", map[string]any{}, member...).Want(201).Str("id")
		says(member, chat, "add the type mood")
		record := string(s.Call("GET", "/v1/sessions/"+chat+"/messages", nil, admin...).Body)
		if !strings.Contains(record, `"code":"forbidden"`) || !strings.Contains(record, `"sender_name":"the member"`) {
			t.Errorf("the record of the member's chat: %s", record)
		}
		s.Call("GET", "/v1/tool-types/mood", nil, admin...).Want(404)

		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}, admin...).Want(200)
		says(admin, chat, "add the type mood")
		id := s.Call("GET", "/v1/approvals?status=open", nil, member...).Str("data.0.id")
		s.Call("POST", "/v1/approvals/"+id, map[string]any{"approved": true}, member...).Problem(403, "forbidden")
		s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true, "approval_id": id}, member...).Problem(403, "forbidden")
		card := s.Call("GET", "/v1/approvals/"+id, nil, member...).Want(200)
		if card.Str("status") != "open" || card.Str("actions.0.role") != "admin" {
			t.Errorf("after the member's yes: %s", card.Body)
		}
		s.Call("GET", "/v1/tool-types/mood", nil, admin...).Want(404)
		s.Call("POST", "/v1/approvals/"+id, map[string]any{"approved": true}, admin...).Want(200)
		testkit.Until(t, "the type to be there", func() bool { return s.Call("GET", "/v1/tool-types/mood", nil, admin...).Status == 200 })
	})
}
