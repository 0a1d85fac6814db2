package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// shown are the messages of a chat as "sender status text", without those of the server.
func shown(s *server, chat string) string {
	var out []string
	for _, m := range s.Call("GET", "/v1/sessions/"+chat+"/messages?limit=200", nil).Want(200).List("data") {
		fields := m.(map[string]any)
		text := ""
		if rich, ok := fields["rich_content"].(map[string]any); ok {
			text = fmt.Sprint(rich["linear_text"])
		}
		if ai, ok := fields["ai_message"].(map[string]any); ok {
			text = fmt.Sprint(ai["pre_text"])
		}
		if text != "" {
			out = append(out, fmt.Sprint(fields["status"], " ", text))
		}
	}
	return strings.Join(out, "; ")
}

// A round is run again: what was answered is kept and leaves the prompt, on another provider,
// in other words, and back again.
func TestAnsweringAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "in other words"}, "answer": {"text": "In other words too."}},
			{"when": {"contains": "Why"}, "answer": {"text": "Because."}},
			{"answer": {"text": "The first."}}]`)
		other := s.Call("POST", "/v1/providers", map[string]any{
			"name": "Other", "kind": "script", "config": map[string]any{"model": "other", "steps": []any{
				map[string]any{"answer": map[string]any{"text": "The other one."}}}},
		}).Want(201).Str("id")
		chat := s.Chat()
		retry := func(body any, headers ...string) *harness.Reply {
			return s.Call("POST", "/v1/sessions/"+chat+"/retry", body, headers...)
		}
		if r := retry(nil).Want(409); r.Str("code") != "nothing_to_retry" {
			t.Fatalf("%s", r.Body)
		}
		s.Say(chat, "Which one?")
		key := []string{"Idempotency-Key", "once"}
		first := retry(map[string]any{"provider_id": other}, key...).Want(200)
		s.Settle(chat)
		if again := retry(map[string]any{"provider_id": other}, key...).Want(200); again.Str("event_seq") != first.Str("event_seq") {
			t.Errorf("the same request again: %s", again.Body)
		}
		if got, want := shown(s, chat), "stored Which one?; superseded The first.; stored The other one."; got != want {
			t.Fatalf("the record: %s", got)
		}
		retry(nil).Want(200)
		s.Settle(chat)
		if got := s.LastText(chat); got != "The first." {
			t.Fatalf("the session's own provider did not answer without the earlier answers: %q", got)
		}
		messages := s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200)
		if a, b := messages.Str("data.0.round_id"), messages.Str("data.3.retry_of"); a == "" || a != b {
			t.Errorf("the tries do not know their question: %q, %q", a, b)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages/"+messages.Str("data.2.id")+"/choose", nil).Want(200)
		if got, want := shown(s, chat), "stored Which one?; superseded The first.; stored The other one.; superseded The first."; got != want {
			t.Fatalf("after the choice: %s", got)
		}
		retry(map[string]any{"message": "Which one, in other words?"}).Want(200)
		s.Settle(chat)
		if got := shown(s, chat); !strings.HasSuffix(got, "superseded The other one.; superseded The first.; stored Which one, in other words?; stored In other words too.") {
			t.Fatalf("in other words: %s", got)
		}
		s.Say(chat, "Why?")
		if r := s.Call("POST", "/v1/sessions/"+chat+"/messages/"+messages.Str("data.2.id")+"/choose", nil).Want(409); r.Str("code") != "not_last_round" {
			t.Errorf("%s", r.Body)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages/msg_none/choose", nil).Want(404)
		if r := retry(map[string]any{"provider_id": "prv_gone"}).Want(422); r.Str("errors.0.pointer") != "/provider_id" {
			t.Errorf("%s", r.Body)
		}
		everyTryCounts(t, s, chat)
	})
}

// everyTryCounts: usage, timeline and export have all tries.
func everyTryCounts(t *testing.T, s *server, chat string) {
	t.Helper()
	usage := s.Call("GET", "/v1/usage?group_by=session", nil).Want(200)
	if n := usage.List("data")[0].(map[string]any)["calls"]; fmt.Sprint(n) != "5" {
		t.Errorf("%v calls are in usage: %s", n, usage.Body)
	}
	if n := len(s.Call("GET", "/v1/sessions/"+chat+"/timeline?limit=200", nil).Want(200).List("data")); n < 5 {
		t.Errorf("%d lines are in the timeline", n)
	}
	whole := string(s.Call("GET", "/v1/sessions/"+chat+"/export?format=markdown", nil).Want(200).Body)
	if strings.Count(whole, "The first.") != 2 || strings.Count(whole, "superseded") != 4 {
		t.Errorf("the export: %s", whole)
	}
}

// What a round has changed is named before it is run again, and stays.
func TestARoundWithEffectsIsRunAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "make", "roundtrip": 1}, "times": 1, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}]}},
			{"answer": {"text": "Made."}}]`)
		chat := s.Chat()
		s.Say(chat, "make a zone")
		r := s.Call("POST", "/v1/sessions/"+chat+"/retry", nil).Want(409)
		if r.Str("code") != "round_has_effects" || r.Str("executions.0.command") != "CREATE_ZONE" || r.Str("session_status") != "idle" {
			t.Fatalf("%s", r.Body)
		}
		if got := shown(s, chat); strings.Contains(got, "superseded") {
			t.Fatalf("it was refused, and %s", got)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/retry", map[string]any{"despite_effects": true}).Want(200)
		s.Settle(chat)
		reply := s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200)
		if got := reply.Str("data.4.system_message.summary"); !strings.Contains(got, "stays done") || !strings.Contains(got, "CREATE_ZONE, SUCCESS (1)") {
			t.Errorf("the AI does not see what stays: %s", reply.Body)
		}
		if n := len(s.Call("GET", "/v1/zones", nil).Want(200).List("data")); n != 1 {
			t.Errorf("%d zones", n)
		}
		s.Sound()
	})
}
