package e2e

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

const rootKey = "root-key-of-this-test-0123456789abcdef"

// people are a server's admin and member, who call with their own keys.
func (s *server) people() (admin, member []string) {
	s.t.Helper()
	for _, role := range []string{"admin", "member"} {
		key := s.call("POST", "/v1/keys", map[string]any{"name": "the " + role, "role": role}, "Authorization", "Bearer "+rootKey).want(201).str("key")
		admin, member = member, []string{"Authorization", "Bearer " + key}
	}
	return admin, member
}

const makesType = `{"name": "CREATE_TOOL_TYPE", "arguments": {"id": "mood", "name": "Mood", "config_schema": {"type": "object"}, "entry_schema": {"type": "object"}}}`

// TestTheChatHasTheRightsOfWhoSpeaks: what HTTP keeps for admins, a member's chat may not
// do and a member may not approve.
func TestTheChatHasTheRightsOfWhoSpeaks(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(f *app.Config) { f.RootKey = rootKey })
		admin, member := s.people()
		says := func(who []string, chat, text string) *reply {
			s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": text}, who...).want(202)
			var r *reply
			until(t, "the round to end", func() bool {
				r = s.call("GET", "/v1/sessions/"+chat, nil, admin...)
				return r.str("status") == "idle" || r.str("status") == "requires_action"
			})
			return r
		}
		steps := `{"name": "Script 2", "kind": "script", "is_default": true, "config": {"steps": [{"when": {"roundtrip": 1}, "answer": {"text": "I do it.", "calls": [` + makesType + `]}}, {"answer": {"text": "So it is."}}]}}`
		s.call("POST", "/v1/providers", steps, admin...).want(201)

		s.call("POST", "/v1/tool-types", `{"id": "mood", "name": "Mood", "config_schema": {"type": "object"}, "entry_schema": {"type": "object"}}`, member...).problem(403, "forbidden")
		chat := s.call("POST", "/v1/sessions", map[string]any{}, member...).want(201).str("id")
		says(member, chat, "add the type mood")
		record := string(s.call("GET", "/v1/sessions/"+chat+"/messages", nil, admin...).body)
		if !strings.Contains(record, `"code":"forbidden"`) || !strings.Contains(record, `"sender_name":"the member"`) {
			t.Errorf("the record of the member's chat: %s", record)
		}
		s.call("GET", "/v1/tool-types/mood", nil, admin...).want(404)

		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}, admin...).want(200)
		says(admin, chat, "add the type mood")
		id := s.call("GET", "/v1/approvals?status=open", nil, member...).str("data.0.id")
		s.call("POST", "/v1/approvals/"+id, map[string]any{"approved": true}, member...).problem(403, "forbidden")
		s.call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true, "approval_id": id}, member...).problem(403, "forbidden")
		card := s.call("GET", "/v1/approvals/"+id, nil, member...).want(200)
		if card.str("status") != "open" || card.str("actions.0.role") != "admin" {
			t.Errorf("after the member's yes: %s", card.body)
		}
		s.call("GET", "/v1/tool-types/mood", nil, admin...).want(404)
		s.call("POST", "/v1/approvals/"+id, map[string]any{"approved": true}, admin...).want(200)
		until(t, "the type to be there", func() bool { return s.call("GET", "/v1/tool-types/mood", nil, admin...).status == 200 })
	})
}
