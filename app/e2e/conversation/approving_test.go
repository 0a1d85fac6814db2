package conversation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain/automation"
)

// An approval that was asked for is given, in every kind of session: a chat, a run, and an agent of
// each. The AI does the same in all of them; what differs is why a person would be asked.
func TestEveryKindOfSessionAsks(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		guarded := s.Call("POST", "/v1/zones", map[string]any{"name": "Guarded", "require_validation": true}).Want(201).Str("id")
		open := s.Call("POST", "/v1/zones", map[string]any{"name": "Open"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": open, "tool_type": "notes", "name": "Kept", "require_validation": true}).Want(201).Str("id")
		s.Call("POST", "/v1/documents", map[string]any{"key": "about", "title": "About", "body": "old"}).Want(201)
		s.Call("POST", "/v1/agents", map[string]any{
			"name": "Helper", "description": "Helps.", "system_prompt": "Help.",
			"commands": []string{"ZONES", "CREATE_ZONE", "UPDATE_ZONE", "UPDATE_TOOL", "CONTEXT_UPDATE", "DELETE_ZONE"},
		}).Want(201)
		const kinds = "CHAT AUTOMATION AGENT AGENT-OF-RUN"
		n := 0
		for name, c := range map[string]struct {
			call     string
			settings map[string]any
			level    string // "": no approval
			policy   string
			unasked  string // the kinds that do not ask all the same
		}{
			"nothing":              {call: `{"name": "CREATE_ZONE", "arguments": {"name": "%d"}}`},
			"workspace":            {call: `{"name": "CREATE_ZONE", "arguments": {"name": "%d"}}`, settings: map[string]any{"require_validation": true}, level: "workspace"},
			"workspace, allowed":   {`{"name": "CREATE_ZONE", "arguments": {"name": "%d"}}`, map[string]any{"require_validation": true}, "workspace", "allow", "AUTOMATION AGENT-OF-RUN"},
			"zone":                 {call: `{"name": "UPDATE_ZONE", "arguments": {"zone_id": "` + guarded + `", "name": "%d"}}`, level: "zone"},
			"tool":                 {call: `{"name": "UPDATE_TOOL", "arguments": {"tool_id": "` + tool + `", "name": "%d"}}`, level: "tool"},
			"the AI":               {call: `{"name": "CREATE_ZONE", "arguments": {"name": "%d", "validation_request": true}}`, level: "ai", unasked: "AUTOMATION"},
			"the AI, in an answer": {call: `{"name": "ZONES", "arguments": {}}, {"name": "CREATE_ZONE", "arguments": {"name": "%d", "validation_request": true}}`, level: "ai", unasked: "AUTOMATION"},
			"the AI, all allowed":  {`{"name": "CREATE_ZONE", "arguments": {"name": "%d", "validation_request": true}}`, nil, "ai", "allow", "AUTOMATION"},
			"a document":           {`{"name": "CONTEXT_UPDATE", "arguments": {"key": "about", "body": "%d"}}`, nil, "command", "allow", ""},
		} {
			for kind := range strings.FieldsSeq(kinds) {
				n++
				settings := map[string]any{"require_validation": false, "automation_validation": "park", "completion_confirmation_delay": "0s", "chat_eviction_after": "1h"}
				if c.policy != "" {
					settings["automation_validation"] = c.policy
				}
				maps.Copy(settings, c.settings)
				s.Call("PATCH", "/v1/settings", settings).Want(200)
				top := s.begin(kind, n, strings.ReplaceAll(c.call, "%d", fmt.Sprint("Made ", n)))
				asks := c.level != "" && !slices.Contains(strings.Fields(c.unasked), kind)
				if !asks {
					if got := s.Until(top, "idle", "ended", "requires_action"); got.Str("status") == "requires_action" {
						t.Errorf("%s in %s asks: %s", name, kind, s.Card().Body)
					}
					s.Call("POST", "/v1/sessions/"+top+"/stop", nil)
					continue
				}
				s.Until(top, "requires_action")
				cards := s.Call("GET", "/v1/approvals?status=open", nil).Want(200)
				if len(cards.List("data")) != 1 || len(cards.List("data.0.reasons")) != 1 || cards.Str("data.0.reasons.0.level") != c.level {
					t.Errorf("%s in %s: asked is %s", name, kind, cards.Body)
				}
				s.Call("POST", "/v1/approvals/"+cards.Str("data.0.id"), map[string]any{"approved": false}).Want(200)
				s.Until(top, "idle", "ended")
				s.Call("POST", "/v1/sessions/"+top+"/stop", nil)
			}
		}
		s.Sound()
	})
}

// begin has the AI do the calls in a session of a kind, and gives the session at the top.
func (s *server) begin(kind string, n int, calls string) string {
	s.T.Helper()
	task, word := fmt.Sprint("task ", n), fmt.Sprint("order ", n)
	does := fmt.Sprintf(`{"when": {"contains": %q, "roundtrip": 1}, "answer": {"text": "I do it.", "calls": [%s]}}`, task, calls)
	done := `{"when": {"offers": "COMPLETE"}, "answer": {"text": "Done.", "calls": [{"name": "COMPLETE", "arguments": {}}]}}, {"answer": {"text": "Done."}}`
	asks := fmt.Sprintf(`{"when": {"contains": %q, "roundtrip": 1}, "answer": {"text": "I have it done.", "calls": [{"name": "AGENT_HELPER", "arguments": {"query": %q}}]}}`, word, task)
	s.Scripted("[" + does + "," + asks + "," + done + "]")
	said := task
	if strings.HasPrefix(kind, "AGENT") {
		said = word
	}
	if kind == "CHAT" || kind == "AGENT" {
		chat := s.Chat()
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": said}).Want(202)
		return chat
	}
	order := s.Automation(fmt.Sprint("Order ", n), said, func(in *automation.NewAutomation) {})
	return s.Execute(order).Session.ID
}
