package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
)

// asked scripts an AI that answers the first call of a round with these native calls.
func (s *server) asked(calls string) {
	s.t.Helper()
	s.scripted(`[{"when": {"roundtrip": 1}, "answer": {"text": "I do it.", "calls": [` + calls + `]}}, {"answer": {"text": "Done."}}]`)
}

// card is the open approval of the workspace.
func (s *server) card() *reply {
	s.t.Helper()
	list := s.call("GET", "/v1/approvals?status=open", nil).want(200)
	if n := len(list.list("data")); n != 1 {
		s.t.Fatalf("%d approvals are open, want 1: %s", n, list.body)
	}
	return s.call("GET", "/v1/approvals/"+list.str("data.0.id"), nil).want(200)
}

// tracker makes a zone with a tool and an entry, and gives their ids.
func (s *server) tracker() (zone, tool, entry string) {
	s.t.Helper()
	zone = s.call("POST", "/v1/zones", map[string]any{"name": "Health"}).want(201).str("id")
	tool = s.call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Weight", "config": map[string]any{"unit": "kg"}}).want(201).str("id")
	entry = s.call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"data": map[string]any{"value": 70}}).want(201).str("id")
	return zone, tool, entry
}

// What was approved is what was shown: when the record changed meanwhile, the person is
// asked again with the present values, and nothing is run.
func TestWhoApprovesAnOldCardIsAskedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone, tool, entry := s.tracker()
		document := s.call("POST", "/v1/documents", map[string]any{"key": "about", "title": "About", "body": "old"}).want(201).str("id")
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		var steps []string
		for word, calls := range map[string]string{
			"entry": fmt.Sprintf(`{"name": "UPDATE_DATA", "arguments": {"entry_id": %q, "data": {"value": 80}}}`, entry),
			"gone":  fmt.Sprintf(`{"name": "DELETE_DATA", "arguments": {"entry_ids": [%q]}}`, entry),
			"tool":  fmt.Sprintf(`{"name": "UPDATE_TOOL", "arguments": {"tool_id": %q, "name": "Mass"}}`, tool),
			"zone":  fmt.Sprintf(`{"name": "UPDATE_ZONE", "arguments": {"zone_id": %q, "name": "Body"}}`, zone),
			"text":  `{"name": "CONTEXT_UPDATE", "arguments": {"key": "about", "body": "new"}}`,
		} {
			steps = append(steps, fmt.Sprintf(`{"when": {"contains": %q, "roundtrip": 1}, "answer": {"calls": [%s]}}`, word, calls))
		}
		s.scripted("[" + strings.Join(steps, ",") + `, {"answer": {"text": "Done."}}]`)
		for i, c := range []struct {
			word, path string
			change     map[string]any
			shown      string // part of the new card
		}{
			{"entry", "/v1/entries/" + entry, map[string]any{"data": map[string]any{"value": 71.5}}, "71.5"},
			{"tool", "/v1/tools/" + tool, map[string]any{"name": "Body weight"}, "Body weight"},
			{"zone", "/v1/zones/" + zone, map[string]any{"name": "Wellness"}, "Wellness"},
			{"text", "/v1/documents/" + document, map[string]any{"body": "changed by somebody"}, "changed by somebody"},
			{"gone", "/v1/entries/" + entry, map[string]any{"data": map[string]any{"value": 72.5}}, "72.5"},
		} {
			chat := s.chat()
			s.say(chat, c.word)
			old := s.card()
			s.call("PATCH", c.path, c.change).want(200)
			refused := s.call("POST", "/v1/approvals/"+old.str("id"), map[string]any{"approved": true}).problem(409, "validation_stale")
			if refused.str("phase") != "WAITING_VALIDATION" {
				t.Errorf("%s: the problem says %s", c.word, refused.body)
			}
			if got := s.call("GET", "/v1/approvals/"+old.str("id"), nil).str("status"); got != "stale" {
				t.Errorf("%s: the old approval is %s", c.word, got)
			}
			again := s.card()
			if again.str("id") == old.str("id") || !strings.Contains(string(again.body), c.shown) {
				t.Errorf("%s: asked again with %s", c.word, again.body)
			}
			s.call("POST", "/v1/approvals/"+old.str("id"), map[string]any{"approved": true}).problem(409, "validation_resolved")
			s.call("POST", "/v1/approvals/"+again.str("id"), map[string]any{"approved": true}).want(200)
			if r := s.settle(chat); r.str("phase") != "IDLE" {
				t.Fatalf("story %d, %s: %s", i, c.word, r.body)
			}
			if record := s.record(chat); !slices.Contains(record, "ACTIONS_EXECUTED") || slices.Contains(record, "VALIDATION_CANCELLED") {
				t.Errorf("%s: the record is %v", c.word, record)
			}
		}
		if s.call("GET", "/v1/tools/"+tool, nil).str("name") != "Mass" || s.call("GET", "/v1/zones/"+zone, nil).str("name") != "Body" {
			t.Error("what was approved the second time was not done")
		}
		s.call("GET", "/v1/entries/"+entry, nil).want(404)
	})
}

// A person changes what the AI proposed: the new params are checked, and they are what runs.
func TestAPersonEditsAnAction(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		s.asked(`{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}, {"name": "CREATE_ZONE", "arguments": {"name": "Home"}}`)
		chat := s.chat()
		s.say(chat, "make them")
		card := s.card()
		first, second := card.str("actions.0.id"), card.str("actions.1.id")
		answer := func(edits map[string]any) *reply {
			return s.call("POST", "/v1/approvals/"+card.str("id"), map[string]any{"approved": true, "approved_ids": []string{first}, "edits": edits})
		}
		wrong := answer(map[string]any{first: map[string]any{"name": 5}}).problem(422, "invalid")
		if wrong.str("errors.0.pointer") != "/edits/"+first+"/name" {
			t.Errorf("the error is at %s", wrong.body)
		}
		answer(map[string]any{"exe_none": map[string]any{"name": "x"}}).problem(422, "invalid")
		s.call("POST", "/v1/approvals/"+card.str("id"), map[string]any{"approved": true, "approved_ids": []string{"exe_none"}}).problem(422, "invalid")
		if s.settle(chat).str("phase") != "WAITING_VALIDATION" {
			t.Fatal("a wrong answer ended the wait")
		}
		answer(map[string]any{first: map[string]any{"name": "Garden"}}).want(200)
		s.settle(chat)
		zones := s.call("GET", "/v1/zones", nil)
		if len(zones.list("data")) != 1 || zones.str("data.0.name") != "Garden" {
			t.Errorf("approved was one zone, edited: %s", zones.body)
		}
		outcomes := string(s.call("GET", "/v1/sessions/"+chat+"/messages?limit=200", nil).body)
		if !strings.Contains(outcomes, second) || !strings.Contains(outcomes, `"CANCELLED"`) || strings.Contains(outcomes, `"FAILED"`) {
			t.Errorf("what was not approved is cancelled, and no failure: %s", outcomes)
		}
		// The same answer again is told the same; another one is told what was decided.
		answer(map[string]any{first: map[string]any{"name": "Garden"}}).want(200)
		other := s.call("POST", "/v1/approvals/"+card.str("id"), map[string]any{"approved": false}).problem(409, "validation_resolved")
		if other.str("decision.edits."+first+".name") != "Garden" {
			t.Errorf("the recorded decision is not told: %s", other.body)
		}
	})
}

// What a person writes instead of the AI's params is checked as the action would be,
// before the answer is taken; ids of another workspace are as if they did not exist.
func TestAnEditThatCannotRunIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.call("POST", "/v1/zones", map[string]any{"name": "Home"}).want(201).str("id")
		tool := s.call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "Diary"}).want(201).str("id")
		s.call("POST", "/v1/workspaces", map[string]any{"id": "other"}).want(201)
		other := []string{"Fermata-Workspace", "other"}
		foreign := s.call("POST", "/v1/zones", map[string]any{"name": "Theirs"}, other...).want(201).str("id")
		foreign = s.call("POST", "/v1/tools", map[string]any{"zone_id": foreign, "tool_type": "journal", "name": "Theirs"}, other...).want(201).str("id")
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		s.asked(`{"name": "CREATE_DATA", "arguments": {"tool_id": "` + tool + `", "entries": [{"data": {"text": "rain"}}]}}`)
		chat := s.chat()
		s.say(chat, "note it")
		card := s.card()
		action := card.str("actions.0.id")
		params := func(tool string, text any) map[string]any {
			return map[string]any{"tool_id": tool, "entries": []any{map[string]any{"data": map[string]any{"text": text}}}}
		}
		yes := func(edit any) map[string]any {
			return map[string]any{"approved": true, "edits": map[string]any{action: edit}}
		}
		for _, path := range []string{"/v1/approvals/" + card.str("id"), "/v1/sessions/" + chat + "/validation"} {
			wrong := s.call("POST", path, yes(params(tool, 7))).problem(422, "invalid")
			if wrong.str("errors.0.pointer") != "/edits/"+action+"/entries/0/data/text" {
				t.Errorf("%s: the error is at %s", path, wrong.body)
			}
			missing, theirs := s.call("POST", path, yes(params("tol_none", "x"))), s.call("POST", path, yes(params(foreign, "x")))
			missing.problem(422, "invalid")
			theirs.problem(422, "invalid")
			if theirs.str("errors.0.pointer") != "/edits/"+action+"/tool_id" || strings.ReplaceAll(theirs.str("detail"), foreign, "tol_none") != missing.str("detail") {
				t.Errorf("%s: a tool of another workspace is told apart: %s", path, theirs.body)
			}
		}
		if s.settle(chat).str("phase") != "WAITING_VALIDATION" || s.card().str("id") != card.str("id") {
			t.Fatal("a wrong answer ended the wait")
		}
		s.call("POST", "/v1/approvals/"+card.str("id"), yes(params(tool, "snow"))).want(200)
		s.settle(chat)
		if entries := s.call("GET", "/v1/tools/"+tool+"/entries", nil); len(entries.list("data")) != 1 || entries.str("data.0.data.text") != "snow" {
			t.Errorf("the entries are %s", entries.body)
		}
	})
}

// Answers that come too late, or to the wrong door, change nothing.
func TestAnswersThatDoNotCount(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("POST", "/v1/workspaces", map[string]any{"id": "other"}).want(201)
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		s.asked(`{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}`)
		chat, another := s.chat(), s.chat()
		s.say(chat, "make it")
		card := s.card().str("id")
		yes := map[string]any{"approved": true}
		s.call("GET", "/v1/approvals/"+card, nil, "Fermata-Workspace", "other").want(404)
		s.call("POST", "/v1/approvals/"+card, yes, "Fermata-Workspace", "other").want(404)
		s.call("POST", "/v1/sessions/"+chat+"/validation", yes, "Fermata-Workspace", "other").want(404)
		s.call("POST", "/v1/sessions/"+another+"/validation", yes).problem(409, "wrong_phase")
		s.call("POST", "/v1/sessions/"+another+"/validation", map[string]any{"approved": true, "approval_id": card}).want(404)
		s.call("POST", "/v1/approvals/apr_none", yes).want(404)
		for field, value := range map[string]any{"value": "x", "confirmed": true, "limit": 5, "outcome": "happened"} {
			s.call("POST", "/v1/approvals/"+card, map[string]any{field: value}).problem(422, "invalid")
		}
		s.say(chat, "something else") // the session moves on, and asks again
		if got := s.call("GET", "/v1/approvals/"+card, nil).str("status"); got != "superseded" {
			t.Errorf("the first card is %s", got)
		}
		late := s.call("POST", "/v1/approvals/"+card, yes).problem(409, "validation_resolved")
		if late.str("decision") != "superseded" || late.str("phase") == "" {
			t.Errorf("who comes late is told %s", late.body)
		}
		s.call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true, "approval_id": card}).problem(409, "validation_resolved")
		if n := len(s.call("GET", "/v1/zones", nil).list("data")); n != 0 {
			t.Errorf("%d zones were made", n)
		}
		for query, want := range map[string]int{
			"": 2, "?status=open": 1, "?status=superseded": 1, "?session_id=" + chat: 2, "?session_id=" + another: 0,
			"?kind=actions": 2, "?kind=budget": 0, "?status=open&kind=actions&session_id=" + chat: 1,
		} {
			if got := len(s.call("GET", "/v1/approvals"+query, nil).want(200).list("data")); got != want {
				t.Errorf("%q lists %d approvals, want %d", query, got, want)
			}
		}
		page := s.call("GET", "/v1/approvals?limit=1", nil).want(200)
		next := s.call("GET", "/v1/approvals?limit=1&after="+page.str("next_cursor"), nil).want(200)
		if next.str("data.0.id") != card || next.at("next_cursor") != nil {
			t.Errorf("the second page is %s", next.body)
		}
	})
}

// The card shows every reason, what was and what will be, and warns.
func TestWhatACardShows(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone, tool, entry := s.tracker()
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		s.call("PATCH", "/v1/zones/"+zone, map[string]any{"require_validation": true}).want(200)
		s.call("PATCH", "/v1/tools/"+tool, map[string]any{"require_validation": true}).want(200)
		s.asked(fmt.Sprintf(`{"name": "UPDATE_DATA", "arguments": {"entry_id": %q, "data": {"value": 80}, "validation_request": true}},
			{"name": "UPDATE_TOOL", "arguments": {"tool_id": %q, "config": {"unit": "lb"}}},
			{"name": "DELETE_ZONE", "arguments": {"zone_id": %q, "force": true}}`, entry, tool, zone))
		chat := s.chat()
		s.call("PATCH", "/v1/sessions/"+chat, map[string]any{"require_validation": true}).want(200)
		s.say(chat, "do it")
		card := s.card()
		var levels []string
		for _, r := range card.list("reasons") {
			levels = append(levels, r.(map[string]any)["level"].(string))
		}
		if want := []string{"workspace", "zone", "tool", "session", "ai", "command"}; !slices.Equal(levels, want) {
			t.Errorf("the reasons are %v, want %v", levels, want)
		}
		shown := func(path string) string {
			text, err := json.Marshal(card.at(path))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if !strings.Contains(shown("actions.0.before"), "70") || !strings.Contains(shown("actions.0.after"), "80") || !strings.Contains(card.str("actions.0.text"), "Weight") {
			t.Errorf("the first action is %s", shown("actions.0"))
		}
		for _, i := range []string{"1", "2"} {
			if warnings, _ := card.at("actions." + i + ".warnings").([]any); len(warnings) == 0 {
				t.Errorf("action %s warns of nothing: %s", i, shown("actions."+i))
			}
		}
		if card.str("response_schema.properties.approved_ids.items.enum.0") != card.str("actions.0.id") {
			t.Errorf("the schema of the answer is %s", shown("response_schema"))
		}
	})
}

// Nobody answers in time: deny is a no, after a restart too; keep leaves the question open.
func TestAnApprovalExpires(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.asked(`{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}`)
		ask := func(settings map[string]any) (chat, approval string) {
			t.Helper()
			settings["require_validation"] = true
			s.call("PATCH", "/v1/settings", settings).want(200)
			chat = s.chat()
			if r := s.say(chat, "make it"); r.str("phase") != "WAITING_VALIDATION" {
				t.Fatalf("it does not ask: %s", r.body)
			}
			list := s.call("GET", "/v1/approvals?session_id="+chat, nil).want(200)
			if list.str("data.0.expires_at") == "" {
				t.Fatalf("it does not say until when: %s", list.body)
			}
			return chat, list.str("data.0.id")
		}
		_, keptID := ask(map[string]any{"approval_expiry": "1ms", "approval_on_expiry": "keep"})
		events, stop := s.listen("/v1/events?types=approval.settled")
		chat, id := ask(map[string]any{"approval_expiry": "300ms", "approval_on_expiry": "deny"})
		settled(t, events, id)
		stop()
		expired := func(chat, id string) {
			t.Helper()
			approval := s.call("GET", "/v1/approvals/"+id, nil).want(200)
			if r := s.settle(chat); approval.str("status") != "expired" || r.str("phase") != "IDLE" {
				t.Errorf("%s, %s", approval.body, r.body)
			}
			if got := s.record(chat); !slices.Contains(got, "VALIDATION_CANCELLED") {
				t.Errorf("the record is %v", got)
			}
			late := s.call("POST", "/v1/approvals/"+id, map[string]any{"approved": true}).problem(409, "validation_resolved")
			if late.str("decision") != "expired" {
				t.Errorf("who comes late is told %s", late.body)
			}
		}
		expired(chat, id)

		chat, id = ask(map[string]any{"approval_expiry": "1s", "approval_on_expiry": "deny"})
		wakes := s.call("GET", "/v1/approvals/"+id, nil).str("expires_at")
		s.stop()
		at, err := time.Parse(time.RFC3339, wakes)
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Until(at)) // nobody is there when it is due
		s = newServer(t, db)
		events, _ = s.listen("/v1/events?types=approval.settled&after=0")
		settled(t, events, id)
		expired(chat, id)
		if n := len(s.call("GET", "/v1/zones", nil).list("data")); n != 0 {
			t.Errorf("%d zones were made without a yes", n)
		}

		if got := s.call("GET", "/v1/approvals/"+keptID, nil).str("status"); got == "expired" || got == "refused" {
			t.Errorf("what is kept open is %s", got)
		}
	})
}

// settled waits until the stream tells that an approval is settled.
func settled(t *testing.T, events <-chan event, approval string) {
	t.Helper()
	for timeout := time.After(20 * time.Second); ; {
		select {
		case e := <-events:
			if e.name == "approval.settled" && strings.Contains(e.data, approval) {
				return
			}
		case <-timeout:
			t.Fatalf("approval %s is not settled", approval)
		}
	}
}

// What no text is finds nothing, on either database; it is no failure of the server.
func TestAddressesThatAreNoText(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		for path, status := range map[string]int{
			"/v1/approvals?session_id=%00": 422, "/v1/approvals?session_id=%ff": 422, "/v1/approvals?session_id=%27": 200,
			"/v1/approvals?session_id=ses_none": 200, "/v1/approvals?after=%00": 422, "/v1/sessions?q=%00": 422,
			"/v1/approvals/%00": 404, "/v1/sessions/ses_%ff": 404,
		} {
			s.call("GET", path, nil).want(status)
		}
	})
}
