package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

// costly configures an AI whose every call costs as said, in dollars.
func (s *server) costly(cost float64) {
	s.t.Helper()
	s.scripted(fmt.Sprintf(`[{"usage": {"input_tokens": 100, "output_tokens": 20, "cost": %v}, "answer": {"text": "Said."}}]`, cost))
}

// Money is a question, not an end: the person is told which budget, says no or gives a
// new limit. What was spent is not forgotten by a restart.
func TestABudgetIsAQuestion(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.costly(0.6)
		chat := s.chat()
		s.call("PATCH", "/v1/sessions/"+chat, map[string]any{"budgets": map[string]any{"max_cost_per_session": 1}}).want(200)
		s.say(chat, "one")
		s.stop()
		s = newServer(t, db)
		s.say(chat, "two") // 0.6 of 1 is spent: there is room yet
		if r := s.say(chat, "three"); r.str("phase") != "WAITING_BUDGET" || r.str("status") != "requires_action" {
			t.Fatalf("it goes on: %s", r.body)
		}
		card := s.card()
		if card.str("kind") != "budget" || card.str("budget.limit") != "max_cost_per_session" || card.str("budget.scope") != "session" ||
			card.str("budget.unit") != "USD" || card.at("budget.spent") != 1.2 || card.at("budget.max") != 1.0 {
			t.Fatalf("the question is %s", card.body)
		}
		if !strings.Contains(card.str("text"), "$1.2 of $1") || card.str("response_schema.properties.limit.type") != "number" {
			t.Errorf("in words: %s", card.body)
		}
		s.call("POST", "/v1/approvals/"+card.str("id"), map[string]any{"approved": false}).want(200)
		if r := s.settle(chat); r.str("phase") != "IDLE" {
			t.Fatalf("after a no: %s", r.body)
		}
		if record := s.record(chat); !slices.Equal(record[4:], []string{"USER", "LIMIT_REACHED"}) {
			t.Errorf("the record is %v", record)
		}
		s.say(chat, "four")
		s.call("POST", "/v1/approvals/"+s.card().str("id"), map[string]any{"approved": true, "limit": 5}).want(200)
		if r := s.settle(chat); r.str("phase") != "IDLE" || r.at("budgets.max_cost_per_session") != 5.0 {
			t.Fatalf("after a new limit: %s", r.body)
		}
		if record := s.record(chat); !slices.Equal(record[6:], []string{"USER", "AI"}) {
			t.Errorf("the record is %v", record)
		}
	})
}

// A call begins only if there is room for the longest answer at the model's price.
func TestACallIsReservedAtItsPrice(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("POST", "/v1/providers", map[string]any{"name": "Dear", "kind": "script", "is_default": true, "config": map[string]any{
			"model": "dear-1", "max_tokens": 4000, "steps": json.RawMessage(`[{"usage": {"input_tokens": 10, "output_tokens": 10}, "answer": {"text": "Said."}}]`),
		}}).want(201)
		s.call("PATCH", "/v1/settings", map[string]any{
			"prices": map[string]any{"dear-*": map[string]any{"input": 0, "output": 1000}},
			"limits": map[string]any{"chat": map[string]any{"max_cost_per_round": 3.9}},
		}).want(200)
		chat := s.chat()
		if r := s.say(chat, "hello"); r.str("phase") != "WAITING_BUDGET" {
			t.Fatalf("4,000 tokens at a thousand dollars a million: %s", r.body)
		}
		card := s.card()
		if card.at("budget.reserved") != 4.0 || card.at("budget.spent") != 0.0 || card.str("budget.scope") != "round" {
			t.Errorf("the question is %s", card.body)
		}
		s.call("POST", "/v1/approvals/"+card.str("id"), map[string]any{"approved": true}).want(200)
		r := s.settle(chat)
		if r.str("phase") != "IDLE" || r.at("usage.cost.amount") != 0.01 {
			t.Errorf("settled at what it did cost: %s", r.body)
		}
		s.call("PATCH", "/v1/sessions/"+chat, map[string]any{"budgets": map[string]any{"max_cost_per_round": nil, "max_tokens_per_round": 3000}}).want(200)
		s.call("PATCH", "/v1/settings", map[string]any{"limits": nil}).want(200)
		if r := s.say(chat, "again"); r.str("phase") != "WAITING_BUDGET" || r.str("waiting_context.limit") != "max_tokens_per_round" {
			t.Errorf("4,000 tokens of 3,000: %s", r.body)
		}
	})
}

// The day's money is the workspace's: one session sees what another has spent, and people
// are told once that it comes to an end.
func TestTheDaysMoneyIsTheWorkspaces(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.costly(0.3)
		s.call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"max_cost_per_day": 1, "max_cost_per_month": 50}}}).want(200)
		for i := range 4 {
			if r := s.say(s.chat(), "hello"); r.str("phase") != "IDLE" {
				t.Fatalf("call %d: %s", i+1, r.body)
			}
		}
		last := s.chat()
		if r := s.say(last, "hello"); r.str("phase") != "WAITING_BUDGET" || r.str("waiting_context.limit") != "max_cost_per_day" {
			t.Fatalf("the fifth: %s", r.body)
		}
		notices := 0
		for _, e := range s.call("GET", "/v1/events?limit=200&after=0", nil).want(200).list("data") {
			if e := e.(map[string]any); e["type"] == "notice" && strings.Contains(fmt.Sprint(e["data"]), "budget_near") {
				notices++
			}
		}
		if notices != 1 {
			t.Errorf("people were told %d times that the day's money comes to an end", notices)
		}
		if amount := s.card().at("budget.spent").(float64); amount < 1.199 || amount > 1.201 {
			t.Errorf("the question is %s", s.card().body)
		}
	})
}

// The preset strict ends a round that only reads; the limit holds though the server
// was started anew in between.
func TestStrictLimits(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		settings := s.call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"preset": "strict"}}}).want(200)
		if settings.at("limits.chat.max_autonomous_roundtrips") != 10.0 || settings.at("limits.chat.max_data_query_iterations") != 3.0 {
			t.Fatalf("strict is %s", settings.body)
		}
		var steps []string
		for n := range 12 {
			steps = append(steps, fmt.Sprintf(`{"when": {"roundtrip": %d}, "answer": {"calls": [{"name": "SEARCH", "arguments": {"query": "word %d"}}]}}`, n+1, n))
		}
		s.scripted("[" + strings.Join(steps, ",") + "]")
		chat := s.chat()
		if r := s.say(chat, "look"); r.str("phase") != "IDLE" {
			t.Fatalf("it does not rest: %s", r.body)
		}
		record := s.record(chat)
		if want := []string{"USER", "AI", "DATA_ADDED", "AI", "DATA_ADDED", "AI", "DATA_ADDED", "AI", "DATA_ADDED", "LIMIT_REACHED"}; !slices.Equal(record, want) {
			t.Errorf("the record is %v", record)
		}
		s.call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"max_data_query_iterations": nil, "max_commands_per_session": 5}}}).want(200)
		s.stop()
		s = newServer(t, db)
		s.say(chat, "look again") // the three that ran are answered from before; two more run, and the sixth does not
		if record := s.record(chat)[10:]; len(record) != 14 || record[13] != "LIMIT_REACHED" {
			t.Errorf("the record goes on with %v", record)
		}
	})
}

// Every module is asked, checked and answered in the workspace's language; a form that is
// not flat is sent back to the AI.
func TestEveryModule(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", map[string]any{"language": "fr"}).want(200)
		ask := func(kind, data string) string {
			return fmt.Sprintf(`{"calls": [{"name": "ASK_USER", "arguments": {"type": %q, "data": %s}}]}`, kind, data)
		}
		form := `{"schema": {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}, "ok": {"type": "boolean"}}, "required": ["age"]}}`
		nested := `{"schema": {"type": "object", "properties": {"home": {"type": "object", "properties": {"city": {"type": "string"}}}}}}`
		s.scripted(`[
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
			chat := s.chat()
			if r := s.say(chat, c.kind); r.str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
				t.Fatalf("%s: %s", c.kind, r.body)
			}
			card := s.card()
			if card.str("kind") != "question" || card.at("response_schema.type") == nil {
				t.Errorf("%s: %s", c.kind, card.body)
			}
			wrong := s.call("POST", "/v1/approvals/"+card.str("id"), `{"value": `+c.wrong+`}`).problem(422, "invalid")
			if wrong.str("errors.0.pointer") != c.pointer {
				t.Errorf("%s: the error is at %q: %s", c.kind, wrong.str("errors.0.pointer"), wrong.body)
			}
			if got := s.card().str("id"); got != card.str("id") {
				t.Errorf("%s: a wrong answer ended the wait", c.kind)
			}
			s.call("POST", "/v1/approvals/"+card.str("id"), `{"value": `+c.right+`}`).want(200)
			s.settle(chat)
			messages := s.call("GET", "/v1/sessions/"+chat+"/messages?limit=200", nil).list("data")
			said := messages[len(messages)-2].(map[string]any)["text_content"]
			if said != c.said {
				t.Errorf("%s: the record has %q", c.kind, said)
			}
			if c.kind == "form" && !slices.Contains(s.record(chat), "FORMAT_ERROR") {
				t.Errorf("a nested form was shown: %v", s.record(chat))
			}
		}
	})
}
