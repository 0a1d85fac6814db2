package conversation

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// A chat continues from a message of another one, and a third one from that: the record is shared, and outlives
// the original.
func TestForks(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "first"}, "answer": {"text": "One."}},
			{"when": {"contains": "second"}, "answer": {"text": "Two."}},
			{"answer": {"text": "Else."}}]`)
		chat := s.Chat()
		s.Say(chat, "the first")
		s.Say(chat, "the second")
		messages := s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200)
		fork := func(of, message string, more map[string]any) *harness.Reply {
			body := map[string]any{"after_message_id": message}
			maps.Copy(body, more)
			return s.Call("POST", "/v1/sessions/"+of+"/fork", body)
		}
		one := fork(chat, messages.Str("data.1.id"), map[string]any{"message": "third", "name": "Another way"}).Want(201)
		if one.Str("type") != "CHAT" || one.Str("name") != "Another way" || one.Str("forked_from.session_id") != chat {
			t.Fatalf("%s", one.Body)
		}
		a := one.Str("id")
		s.Settle(a)
		if got, want := shown(s, a), "stored the first; stored One.; stored third; stored Else."; got != want {
			t.Fatalf("the fork: %s", got)
		}
		card := s.Call("GET", "/v1/sessions/"+a+"/messages", nil).Want(200)
		if card.Str("data.2.system_message.type") != "FORKED" || !strings.Contains(card.Str("data.2.system_message.summary"), "as it is now") {
			t.Errorf("the first card: %s", card.Body)
		}
		b := fork(a, messages.Str("data.0.id"), nil).Want(201).Str("id") // after a question of the first
		s.Call("POST", "/v1/sessions/"+b+"/retry", nil).Want(200)
		s.Settle(b)
		if got, want := shown(s, b), "stored the first; stored One."; got != want {
			t.Fatalf("the fork of the fork: %s", got)
		}
		c := fork(b, s.Call("GET", "/v1/sessions/"+b+"/messages?order=desc", nil).Want(200).Str("data.0.id"), nil).Want(201).Str("id")
		if r := s.Call("POST", "/v1/sessions/"+c+"/retry", nil).Want(409); r.Str("code") != "nothing_to_retry" {
			t.Errorf("%s", r.Body)
		}
		for _, gone := range []string{chat, a, b} {
			s.Call("DELETE", "/v1/sessions/"+gone, nil).Want(204)
			s.Sound()
		}
		s.Say(c, "second")
		if got, want := shown(s, c), "stored the first; stored One.; stored second; stored Two."; got != want {
			t.Fatalf("after those before it were deleted: %s", got)
		}
		whole := string(s.Call("GET", "/v1/sessions/"+c+"/export?format=markdown", nil).Want(200).Body)
		for _, want := range []string{"the first", "One.", "Two."} {
			if !strings.Contains(whole, want) {
				t.Errorf("the export lacks %q: %s", want, whole)
			}
		}
		fork(c, "msg_none", nil).Want(404)
		fork(chat, messages.Str("data.1.id"), nil).Want(404)
		if r := fork(c, messages.Str("data.0.id"), map[string]any{"provider_id": "prv_gone"}).Want(422); r.Str("errors.0.pointer") != "/provider_id" {
			t.Errorf("%s", r.Body)
		}
		s.Call("DELETE", "/v1/sessions/"+c, nil).Want(204)
		s.Sound()
	})
}

// A run continues as a chat: its end is in the record, and the chat accepts messages.
func TestARunGoesOnAsAChat(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Scripted(`[
		{"when": {"contains": "every day"}, "answer": {"text": "All is well.", "calls": [{"name": "COMPLETE", "arguments": {}}]}},
		{"answer": {"text": "As I said."}}]`)
	order := s.MadeAutomation("look every day", map[string]any{"name": "Watch"})
	run := s.Call("POST", "/v1/automations/"+order.Str("id")+"/execute", nil).Want(202).Str("session.id")
	s.Until(run, "ended")
	last := s.Call("GET", "/v1/sessions/"+run+"/messages?order=desc", nil).Want(200).Str("data.0.id")
	chat := s.Call("POST", "/v1/sessions/"+run+"/fork", map[string]any{"after_message_id": last, "message": "and yesterday?"}).Want(201)
	s.Settle(chat.Str("id"))
	if got := shown(s, chat.Str("id")); !strings.HasPrefix(got, "stored look every day; stored All is well.") || !strings.HasSuffix(got, "stored As I said.") {
		t.Errorf("the chat: %s", got)
	}
	seed := fmt.Sprint(s.Call("GET", "/v1/sessions?type=SEED", nil).Want(200).Str("data.0.id"))
	first := s.Call("GET", "/v1/sessions/"+seed+"/messages", nil).Want(200).Str("data.0.id")
	if r := s.Call("POST", "/v1/sessions/"+seed+"/fork", map[string]any{"after_message_id": first}).Want(409); r.Str("code") != "wrong_session_type" {
		t.Errorf("%s", r.Body)
	}
	s.Sound()
}
