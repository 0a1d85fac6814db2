package doors

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// A round that ends with actions which a person refused says so: streamed, whole, and as a response.
// The text is in no message, and the session continues.
func TestARefusedActionIsToldInWords(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "Thank you"}, "answer": {"text": "You are welcome."}},
			{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
			{"answer": {"text": "It is made."}}]`)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		const refused = "𝄐 Refused, nothing was changed:\n- Add the zone “Garden”"
		messages := []any{message("user", "make it")}
		ask := func(more map[string]any) *chatAnswer {
			more["model"], more["messages"] = "fermata", messages
			return s.completion(key, more)
		}
		asked := ask(map[string]any{})
		s.Call("POST", "/v1/approvals/"+asked.Fermata.ApprovalID, map[string]any{"approved": false}).Want(200)
		s.Until(asked.session, "idle")
		if received := ask(map[string]any{}); received.text != refused || received.session != asked.session || received.Fermata.ApprovalID != "" {
			t.Errorf("after a no it receives %+v", received)
		}
		messages = append(messages, message("assistant", refused), message("user", "Thank you"))
		if next := ask(map[string]any{}); next.text != "You are welcome." || next.session != asked.session || next.Fermata.NewSession != "" {
			t.Errorf("the next message gives %+v", next)
		}
		s.Key = key
		response, _ := s.respond(map[string]any{"input": "make it", "conversation": "another"})
		if !strings.Contains(response.text(), "Waiting for your approval") {
			t.Fatalf("the response is %+v", response)
		}
		s.Key = harness.RootKey
		s.Call("POST", "/v1/approvals/"+response.Fermata.ApprovalID, map[string]any{"approved": false}).Want(200)
		s.Until(response.Talk.ID, "idle")
		s.Key = key
		if read := s.response(response.ID); read.text() != refused || read.Status != "completed" {
			t.Errorf("after a no the response reads %+v", read)
		}
		events := s.responseStream("/v1/responses/"+response.ID+"?stream=true", nil, 0)
		last := events[len(events)-1]
		if last.Type != "response.completed" || last.Response.text() != refused {
			t.Errorf("its stream ends with %+v", last)
		}
		for i := 1; i < len(events); i++ {
			if events[i].Number <= events[i-1].Number {
				t.Errorf("behind %d comes %d", events[i-1].Number, events[i].Number)
			}
		}
		// In the language of the workspace, and after the expiry.
		s.Key = harness.RootKey
		s.Call("PATCH", "/v1/settings", map[string]any{"language": "fr", "approval_expiry": "1s", "approval_on_expiry": "deny"}).Want(200)
		s.Key = key
		late, _ := s.respond(map[string]any{"input": "make it", "conversation": "a third"})
		s.Until(late.Talk.ID, "idle")
		if read := s.response(late.ID); read.text() != "𝄐 Sans réponse à temps, rien n’a été modifié :\n- Ajouter la zone « Garden »" {
			t.Errorf("too late it reads %q", read.text())
		}
		s.Key = harness.RootKey
		if said := strings.Join(s.said(asked.session), "|"); strings.Contains(said, "𝄐") {
			t.Errorf("the record is %q", said)
		}
		s.Sound()
	})
}
