package slot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// costly configures an AI whose every call costs as said, in dollars.
func (s *server) costly(cost float64) {
	s.T.Helper()
	s.Scripted(fmt.Sprintf(`[{"usage": {"input_tokens": 100, "output_tokens": 20, "cost": %v}, "answer": {"text": "Said."}}]`, cost))
}

// A budget is a question, not an end: the person sees which budget it is, and rejects or sets a new limit. A
// restart does not reset what was spent.
func TestABudgetIsAQuestion(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.costly(0.6)
		chat := s.Chat()
		s.Call("PATCH", "/v1/sessions/"+chat, map[string]any{"budgets": map[string]any{"max_cost_per_session": 1}}).Want(200)
		s.Say(chat, "one")
		s.Stop()
		s = newServer(t, db)
		s.Say(chat, "two") // 0.6 of 1 is spent: there is room yet
		if r := s.Say(chat, "three"); r.Str("phase") != "WAITING_BUDGET" || r.Str("status") != "requires_action" {
			t.Fatalf("it continues: %s", r.Body)
		}
		card := s.Card()
		if card.Str("kind") != "budget" || card.Str("budget.limit") != "max_cost_per_session" || card.Str("budget.scope") != "session" ||
			card.Str("budget.unit") != "USD" || card.At("budget.spent") != 1.2 || card.At("budget.max") != 1.0 {
			t.Fatalf("the question is %s", card.Body)
		}
		if !strings.Contains(card.Str("text"), "$1.2 of $1") || card.Str("response_schema.properties.limit.type") != "number" {
			t.Errorf("in words: %s", card.Body)
		}
		s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": false}).Want(200)
		if r := s.Settle(chat); r.Str("phase") != "IDLE" {
			t.Fatalf("after a no: %s", r.Body)
		}
		if record := s.Record(chat); !slices.Equal(record[4:], []string{"USER", "LIMIT_REACHED"}) {
			t.Errorf("the record is %v", record)
		}
		s.Say(chat, "four")
		s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": true, "limit": 5}).Want(200)
		if r := s.Settle(chat); r.Str("phase") != "IDLE" || r.At("budgets.max_cost_per_session") != 5.0 {
			t.Fatalf("after a new limit: %s", r.Body)
		}
		if record := s.Record(chat); !slices.Equal(record[6:], []string{"USER", "AI"}) {
			t.Errorf("the record is %v", record)
		}
	})
}

// A call begins only if there is room for the longest answer at the model's price.
func TestACallIsReservedAtItsPrice(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("POST", "/v1/providers", map[string]any{"name": "Dear", "kind": "script", "is_default": true, "config": map[string]any{
			"model": "dear-1", "max_tokens": 4000, "steps": json.RawMessage(`[{"usage": {"input_tokens": 10, "output_tokens": 10}, "answer": {"text": "Said."}}]`),
		}}).Want(201)
		s.Call("PATCH", "/v1/settings", map[string]any{
			"prices": map[string]any{"dear-*": map[string]any{"input": 0, "output": 1000}},
			"limits": map[string]any{"chat": map[string]any{"max_cost_per_round": 3.9}},
		}).Want(200)
		chat := s.Chat()
		if r := s.Say(chat, "hello"); r.Str("phase") != "WAITING_BUDGET" {
			t.Fatalf("4,000 tokens at a thousand dollars a million: %s", r.Body)
		}
		card := s.Card()
		if card.At("budget.reserved") != 4.0 || card.At("budget.spent") != 0.0 || card.Str("budget.scope") != "round" {
			t.Errorf("the question is %s", card.Body)
		}
		s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": true}).Want(200)
		r := s.Settle(chat)
		if r.Str("phase") != "IDLE" || r.At("usage.cost.amount") != 0.01 {
			t.Errorf("settled at what it did cost: %s", r.Body)
		}
		s.Call("PATCH", "/v1/sessions/"+chat, map[string]any{"budgets": map[string]any{"max_cost_per_round": nil, "max_tokens_per_round": 3000}}).Want(200)
		s.Call("PATCH", "/v1/settings", map[string]any{"limits": nil}).Want(200)
		if r := s.Say(chat, "again"); r.Str("phase") != "WAITING_BUDGET" || r.Str("waiting_context.limit") != "max_tokens_per_round" {
			t.Errorf("4,000 tokens of 3,000: %s", r.Body)
		}
	})
}

// The daily budget belongs to the workspace: one session sees what another has spent, and people are notified once
// when it is nearly used up.
func TestTheDaysMoneyIsTheWorkspaces(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.costly(0.3)
		s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"max_cost_per_day": 1, "max_cost_per_month": 50}}}).Want(200)
		for i := range 4 {
			if r := s.Say(s.Chat(), "hello"); r.Str("phase") != "IDLE" {
				t.Fatalf("call %d: %s", i+1, r.Body)
			}
		}
		last := s.Chat()
		if r := s.Say(last, "hello"); r.Str("phase") != "WAITING_BUDGET" || r.Str("waiting_context.limit") != "max_cost_per_day" {
			t.Fatalf("the fifth: %s", r.Body)
		}
		notices := 0
		for _, e := range s.Call("GET", "/v1/events?limit=200&after=0", nil).Want(200).List("data") {
			if e := e.(map[string]any); e["type"] == "notice" && strings.Contains(fmt.Sprint(e["data"]), "budget_near") {
				notices++
			}
		}
		if notices != 1 {
			t.Errorf("there were %d notices about the daily budget", notices)
		}
		if amount := s.Card().At("budget.spent").(float64); amount < 1.199 || amount > 1.201 {
			t.Errorf("the question is %s", s.Card().Body)
		}
	})
}

// The preset strict ends a round that only reads; the limit holds even if the server was restarted in between.
func TestStrictLimits(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		settings := s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"preset": "strict"}}}).Want(200)
		if settings.At("limits.chat.max_autonomous_roundtrips") != 10.0 || settings.At("limits.chat.max_data_query_iterations") != 3.0 {
			t.Fatalf("strict is %s", settings.Body)
		}
		var steps []string
		for n := range 12 {
			steps = append(steps, fmt.Sprintf(`{"when": {"roundtrip": %d}, "answer": {"calls": [{"name": "SEARCH", "arguments": {"query": "word %d"}}]}}`, n+1, n))
		}
		s.Scripted("[" + strings.Join(steps, ",") + "]")
		chat := s.Chat()
		if r := s.Say(chat, "look"); r.Str("phase") != "IDLE" {
			t.Fatalf("it does not rest: %s", r.Body)
		}
		record := s.Record(chat)
		if want := []string{"USER", "AI", "DATA_ADDED", "AI", "DATA_ADDED", "AI", "DATA_ADDED", "AI", "DATA_ADDED", "LIMIT_REACHED"}; !slices.Equal(record, want) {
			t.Errorf("the record is %v", record)
		}
		s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"max_data_query_iterations": nil, "max_commands_per_session": 5}}}).Want(200)
		s.Stop()
		s = newServer(t, db)
		s.Say(chat, "look again") // the three that ran are answered from before; two more run, and the sixth does not
		if record := s.Record(chat)[10:]; len(record) != 14 || record[13] != "LIMIT_REACHED" {
			t.Errorf("the record continues with %v", record)
		}
	})
}

// Every module is shown, validated and answered in the workspace's language; a form that is not flat is returned
// to the AI.
func TestEveryModule(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{"language": "fr"}).Want(200)
		ask := func(kind, data string) string {
			return fmt.Sprintf(`{"calls": [{"name": "ASK_USER", "arguments": {"type": %q, "data": %s}}]}`, kind, data)
		}
		form := `{"schema": {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}, "ok": {"type": "boolean"}}, "required": ["age"]}}`
		nested := `{"schema": {"type": "object", "properties": {"home": {"type": "object", "properties": {"city": {"type": "string"}}}}}}`
		s.Scripted(`[
			{"when": {"matches": "^validation$", "roundtrip": 1}, "answer": ` + ask("Validation", `{"message": "Sûr ?"}`) + `},
			{"when": {"matches": "^plan$", "roundtrip": 1}, "answer": ` + ask("Plan", `{"steps": ["emballer", "partir"]}`) + `},
			{"when": {"matches": "^text$", "roundtrip": 1}, "answer": ` + ask("Text", `{"question": "Pourquoi ?"}`) + `},
			{"when": {"matches": "^choice$", "roundtrip": 1}, "answer": ` + ask("MultipleChoice", `{"question": "Lesquels ?", "options": ["a", "b"], "multiple": true}`) + `},
			{"when": {"matches": "^form$", "roundtrip": 1}, "answer": ` + ask("Form", nested) + `},
			{"when": {"matches": "^form$", "roundtrip": 2}, "answer": ` + ask("Form", form) + `},
			{"answer": {"text": "Merci."}}]`)
		for _, c := range []struct {
			kind, wrong, pointer, right, said string
		}{
			{"validation", `"oui"`, "/value", `true`, "Oui"},
			{"plan", `["emballer"]`, "/value", `false`, "Non"},
			{"text", `""`, "/value", `"Parce que"`, "Parce que"},
			{"choice", `["a", "c"]`, "/value/1", `["a", "b"]`, "a, b"},
			{"form", `{"age": -1}`, "/value/age", `{"age": 30, "ok": true}`, "age: 30\nok: Oui"},
		} {
			chat := s.Chat()
			if r := s.Say(chat, c.kind); r.Str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
				t.Fatalf("%s: %s", c.kind, r.Body)
			}
			card := s.Card()
			if card.Str("kind") != "question" || card.At("response_schema.type") == nil {
				t.Errorf("%s: %s", c.kind, card.Body)
			}
			wrong := s.Call("POST", "/v1/approvals/"+card.Str("id"), `{"value": `+c.wrong+`}`).Problem(422, "invalid")
			if wrong.Str("errors.0.pointer") != c.pointer {
				t.Errorf("%s: the error is at %q: %s", c.kind, wrong.Str("errors.0.pointer"), wrong.Body)
			}
			if got := s.Card().Str("id"); got != card.Str("id") {
				t.Errorf("%s: a wrong answer ended the wait", c.kind)
			}
			s.Call("POST", "/v1/approvals/"+card.Str("id"), `{"value": `+c.right+`}`).Want(200)
			s.Settle(chat)
			messages := s.Call("GET", "/v1/sessions/"+chat+"/messages?limit=200", nil).List("data")
			said := messages[len(messages)-2].(map[string]any)["text_content"]
			if said != c.said {
				t.Errorf("%s: the record has %q", c.kind, said)
			}
			if c.kind == "form" && !slices.Contains(s.Record(chat), "FORMAT_ERROR") {
				t.Errorf("a nested form was shown: %v", s.Record(chat))
			}
		}
	})
}
