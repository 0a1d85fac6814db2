package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// asked scripts an AI that answers the first call of a round with these native calls.
func (s *server) asked(calls string) {
	s.T.Helper()
	s.Scripted(`[{"when": {"roundtrip": 1}, "answer": {"text": "I do it.", "calls": [` + calls + `]}}, {"answer": {"text": "Done."}}]`)
}

// tracker makes a zone with a tool and an entry, and gives their ids.
func (s *server) tracker() (zone, tool, entry string) {
	s.T.Helper()
	zone = s.Call("POST", "/v1/zones", map[string]any{"name": "Health"}).Want(201).Str("id")
	tool = s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Weight", "config": map[string]any{"unit": "kg"}}).Want(201).Str("id")
	entry = s.Call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"data": map[string]any{"value": 70}}).Want(201).Str("id")
	return zone, tool, entry
}

// What was approved is what was shown: when the record changed meanwhile, the person is
// asked again with the present values, and nothing is run.
func TestWhoApprovesAnOldCardIsAskedAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone, tool, entry := s.tracker()
		document := s.Call("POST", "/v1/documents", map[string]any{"key": "about", "title": "About", "body": "old"}).Want(201).Str("id")
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
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
		s.Scripted("[" + strings.Join(steps, ",") + `, {"answer": {"text": "Done."}}]`)
		for i, c := range []struct {
			word, path string
			change     map[string]any
			shown      string // part of the new card
		}{
			{"entry", "/v1/entries/" + entry, map[string]any{"data": map[string]any{"value": 71.5}}, "71.5"},
			{"tool", "/v1/tools/" + tool, map[string]any{"name": "Body weight"}, "Body weight"},
			{"zone", "/v1/zones/" + zone, map[string]any{"name": "Wellness"}, "Wellness"},
			{"text", "/v1/documents/" + document, map[string]any{"body": "changed by a person"}, "changed by a person"},
			{"gone", "/v1/entries/" + entry, map[string]any{"data": map[string]any{"value": 72.5}}, "72.5"},
		} {
			chat := s.Chat()
			s.Say(chat, c.word)
			old := s.Card()
			s.Call("PATCH", c.path, c.change).Want(200)
			refused := s.Call("POST", "/v1/approvals/"+old.Str("id"), map[string]any{"approved": true}).Problem(409, "validation_stale")
			if refused.Str("phase") != "WAITING_VALIDATION" {
				t.Errorf("%s: the problem says %s", c.word, refused.Body)
			}
			if got := s.Call("GET", "/v1/approvals/"+old.Str("id"), nil).Str("status"); got != "stale" {
				t.Errorf("%s: the old approval is %s", c.word, got)
			}
			again := s.Card()
			if again.Str("id") == old.Str("id") || !strings.Contains(string(again.Body), c.shown) {
				t.Errorf("%s: asked again with %s", c.word, again.Body)
			}
			s.Call("POST", "/v1/approvals/"+old.Str("id"), map[string]any{"approved": true}).Problem(409, "validation_resolved")
			s.Call("POST", "/v1/approvals/"+again.Str("id"), map[string]any{"approved": true}).Want(200)
			if r := s.Settle(chat); r.Str("phase") != "IDLE" {
				t.Fatalf("story %d, %s: %s", i, c.word, r.Body)
			}
			if record := s.Record(chat); !slices.Contains(record, "ACTIONS_EXECUTED") || slices.Contains(record, "VALIDATION_CANCELLED") {
				t.Errorf("%s: the record is %v", c.word, record)
			}
		}
		if s.Call("GET", "/v1/tools/"+tool, nil).Str("name") != "Mass" || s.Call("GET", "/v1/zones/"+zone, nil).Str("name") != "Body" {
			t.Error("what was approved the second time was not done")
		}
		s.Call("GET", "/v1/entries/"+entry, nil).Want(404)
	})
}

// A person changes what the AI proposed: the new params are checked, and they are what runs.
func TestAPersonEditsAnAction(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.asked(`{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}, {"name": "CREATE_ZONE", "arguments": {"name": "Home"}}`)
		chat := s.Chat()
		s.Say(chat, "make them")
		card := s.Card()
		first, second := card.Str("actions.0.id"), card.Str("actions.1.id")
		answer := func(edits map[string]any) *harness.Reply {
			return s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": true, "approved_ids": []string{first}, "edits": edits})
		}
		wrong := answer(map[string]any{first: map[string]any{"name": 5}}).Problem(422, "invalid")
		if wrong.Str("errors.0.pointer") != "/edits/"+first+"/name" {
			t.Errorf("the error is at %s", wrong.Body)
		}
		answer(map[string]any{"exe_none": map[string]any{"name": "x"}}).Problem(422, "invalid")
		s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": true, "approved_ids": []string{"exe_none"}}).Problem(422, "invalid")
		if s.Settle(chat).Str("phase") != "WAITING_VALIDATION" {
			t.Fatal("a wrong answer ended the wait")
		}
		reply := answer(map[string]any{first: map[string]any{"name": "Garden"}}).Want(200)
		s.Settle(chat)
		zones := s.Call("GET", "/v1/zones", nil)
		if len(zones.List("data")) != 1 || zones.Str("data.0.name") != "Garden" {
			t.Errorf("approved was one zone, edited: %s", zones.Body)
		}
		outcomes := string(s.Call("GET", "/v1/sessions/"+chat+"/messages?limit=200", nil).Body)
		if !strings.Contains(outcomes, second) || !strings.Contains(outcomes, `"CANCELLED"`) || strings.Contains(outcomes, `"FAILED"`) {
			t.Errorf("what was not approved is cancelled, and no failure: %s", outcomes)
		}
		// Repeating an answer returns the same response, although the session has continued; a different answer
		// returns the decision.
		if again := answer(map[string]any{first: map[string]any{"name": "Garden"}}).Want(200); string(again.Body) != string(reply.Body) {
			t.Errorf("the same answer again gets\n%s\nand got\n%s", again.Body, reply.Body)
		}
		other := s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": false}).Problem(409, "validation_resolved")
		if other.Str("decision.edits."+first+".name") != "Garden" {
			t.Errorf("the recorded decision is not returned: %s", other.Body)
		}
	})
}

// What a person writes instead of the AI's params is checked as the action would be,
// before the answer is taken; ids of another workspace are as if they did not exist.
func TestAnEditThatCannotRunIsRefused(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Home"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "Diary"}).Want(201).Str("id")
		s.Call("POST", "/v1/workspaces", map[string]any{"id": "other"}).Want(201)
		other := []string{"Fermata-Workspace", "other"}
		foreign := s.Call("POST", "/v1/zones", map[string]any{"name": "Theirs"}, other...).Want(201).Str("id")
		foreign = s.Call("POST", "/v1/tools", map[string]any{"zone_id": foreign, "tool_type": "journal", "name": "Theirs"}, other...).Want(201).Str("id")
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.asked(`{"name": "CREATE_DATA", "arguments": {"tool_id": "` + tool + `", "entries": [{"data": {"text": "rain"}}]}}`)
		chat := s.Chat()
		s.Say(chat, "note it")
		card := s.Card()
		action := card.Str("actions.0.id")
		params := func(tool string, text any) map[string]any {
			return map[string]any{"tool_id": tool, "entries": []any{map[string]any{"data": map[string]any{"text": text}}}}
		}
		yes := func(edit any) map[string]any {
			return map[string]any{"approved": true, "edits": map[string]any{action: edit}}
		}
		for _, path := range []string{"/v1/approvals/" + card.Str("id"), "/v1/sessions/" + chat + "/validation"} {
			wrong := s.Call("POST", path, yes(params(tool, 7))).Problem(422, "invalid")
			if wrong.Str("errors.0.pointer") != "/edits/"+action+"/entries/0/data/text" {
				t.Errorf("%s: the error is at %s", path, wrong.Body)
			}
			missing, theirs := s.Call("POST", path, yes(params("tol_none", "x"))), s.Call("POST", path, yes(params(foreign, "x")))
			missing.Problem(422, "invalid")
			theirs.Problem(422, "invalid")
			if theirs.Str("errors.0.pointer") != "/edits/"+action+"/tool_id" || strings.ReplaceAll(theirs.Str("detail"), foreign, "tol_none") != missing.Str("detail") {
				t.Errorf("%s: a tool of another workspace is distinguished: %s", path, theirs.Body)
			}
		}
		if s.Settle(chat).Str("phase") != "WAITING_VALIDATION" || s.Card().Str("id") != card.Str("id") {
			t.Fatal("a wrong answer ended the wait")
		}
		s.Call("POST", "/v1/approvals/"+card.Str("id"), yes(params(tool, "snow"))).Want(200)
		s.Settle(chat)
		if entries := s.Call("GET", "/v1/tools/"+tool+"/entries", nil); len(entries.List("data")) != 1 || entries.Str("data.0.data.text") != "snow" {
			t.Errorf("the entries are %s", entries.Body)
		}
	})
}

// Answers that come too late, or to the wrong door, change nothing.
func TestAnswersThatDoNotCount(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("POST", "/v1/workspaces", map[string]any{"id": "other"}).Want(201)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.asked(`{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}`)
		chat, another := s.Chat(), s.Chat()
		s.Say(chat, "make it")
		card := s.Card().Str("id")
		yes := map[string]any{"approved": true}
		s.Call("GET", "/v1/approvals/"+card, nil, "Fermata-Workspace", "other").Want(404)
		s.Call("POST", "/v1/approvals/"+card, yes, "Fermata-Workspace", "other").Want(404)
		s.Call("POST", "/v1/sessions/"+chat+"/validation", yes, "Fermata-Workspace", "other").Want(404)
		s.Call("POST", "/v1/sessions/"+another+"/validation", yes).Problem(409, "wrong_phase")
		s.Call("POST", "/v1/sessions/"+another+"/validation", map[string]any{"approved": true, "approval_id": card}).Want(404)
		s.Call("POST", "/v1/approvals/apr_none", yes).Want(404)
		for field, value := range map[string]any{"value": "x", "confirmed": true, "limit": 5, "outcome": "happened"} {
			s.Call("POST", "/v1/approvals/"+card, map[string]any{field: value}).Problem(422, "invalid")
		}
		s.Say(chat, "something else") // the session moves on, and asks again
		if got := s.Call("GET", "/v1/approvals/"+card, nil).Str("status"); got != "superseded" {
			t.Errorf("the first card is %s", got)
		}
		late := s.Call("POST", "/v1/approvals/"+card, yes).Problem(409, "validation_resolved")
		if late.Str("decision") != "superseded" || late.Str("phase") == "" {
			t.Errorf("a late answer gets %s", late.Body)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true, "approval_id": card}).Problem(409, "validation_resolved")
		if n := len(s.Call("GET", "/v1/zones", nil).List("data")); n != 0 {
			t.Errorf("%d zones were made", n)
		}
		for query, want := range map[string]int{
			"": 2, "?status=open": 1, "?status=superseded": 1, "?session_id=" + chat: 2, "?session_id=" + another: 0,
			"?kind=actions": 2, "?kind=budget": 0, "?status=open&kind=actions&session_id=" + chat: 1,
		} {
			if got := len(s.Call("GET", "/v1/approvals"+query, nil).Want(200).List("data")); got != want {
				t.Errorf("%q lists %d approvals, want %d", query, got, want)
			}
		}
		page := s.Call("GET", "/v1/approvals?limit=1", nil).Want(200)
		next := s.Call("GET", "/v1/approvals?limit=1&after="+page.Str("next_cursor"), nil).Want(200)
		if next.Str("data.0.id") != card || next.At("next_cursor") != nil {
			t.Errorf("the second page is %s", next.Body)
		}
	})
}

// The card shows every reason, what was and what will be, and warns.
func TestWhatACardShows(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone, tool, entry := s.tracker()
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.Call("PATCH", "/v1/zones/"+zone, map[string]any{"require_validation": true}).Want(200)
		s.Call("PATCH", "/v1/tools/"+tool, map[string]any{"require_validation": true}).Want(200)
		s.asked(fmt.Sprintf(`{"name": "UPDATE_DATA", "arguments": {"entry_id": %q, "data": {"value": 80}, "validation_request": true}},
			{"name": "UPDATE_TOOL", "arguments": {"tool_id": %q, "config": {"unit": "lb"}}},
			{"name": "DELETE_ZONE", "arguments": {"zone_id": %q, "force": true}}`, entry, tool, zone))
		chat := s.Chat()
		s.Call("PATCH", "/v1/sessions/"+chat, map[string]any{"require_validation": true}).Want(200)
		s.Say(chat, "do it")
		card := s.Card()
		var levels []string
		for _, r := range card.List("reasons") {
			levels = append(levels, r.(map[string]any)["level"].(string))
		}
		if want := []string{"workspace", "zone", "tool", "session", "ai", "command"}; !slices.Equal(levels, want) {
			t.Errorf("the reasons are %v, want %v", levels, want)
		}
		shown := func(path string) string {
			text, err := json.Marshal(card.At(path))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if !strings.Contains(shown("actions.0.before"), "70") || !strings.Contains(shown("actions.0.after"), "80") || !strings.Contains(card.Str("actions.0.text"), "Weight") {
			t.Errorf("the first action is %s", shown("actions.0"))
		}
		for _, i := range []string{"1", "2"} {
			if warnings, _ := card.At("actions." + i + ".warnings").([]any); len(warnings) == 0 {
				t.Errorf("action %s warns of nothing: %s", i, shown("actions."+i))
			}
		}
		if card.Str("response_schema.properties.approved_ids.items.enum.0") != card.Str("actions.0.id") {
			t.Errorf("the schema of the answer is %s", shown("response_schema"))
		}
	})
}

// No answer in time: deny rejects, after a restart too; keep leaves the question open.
func TestAnApprovalExpires(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.asked(`{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}`)
		ask := func(settings map[string]any) (chat, approval string) {
			t.Helper()
			settings["require_validation"] = true
			s.Call("PATCH", "/v1/settings", settings).Want(200)
			chat = s.Chat()
			if r := s.Say(chat, "make it"); r.Str("phase") != "WAITING_VALIDATION" {
				t.Fatalf("it does not ask: %s", r.Body)
			}
			list := s.Call("GET", "/v1/approvals?session_id="+chat, nil).Want(200)
			if list.Str("data.0.expires_at") == "" {
				t.Fatalf("it does not say until when: %s", list.Body)
			}
			return chat, list.Str("data.0.id")
		}
		_, keptID := ask(map[string]any{"approval_expiry": "1ms", "approval_on_expiry": "keep"})
		events, stop := s.Listen("/v1/events?types=approval.settled")
		chat, id := ask(map[string]any{"approval_expiry": "300ms", "approval_on_expiry": "deny"})
		settled(t, events, id)
		stop()
		expired := func(chat, id string) {
			t.Helper()
			approval := s.Call("GET", "/v1/approvals/"+id, nil).Want(200)
			if r := s.Settle(chat); approval.Str("status") != "expired" || r.Str("phase") != "IDLE" {
				t.Errorf("%s, %s", approval.Body, r.Body)
			}
			if got := s.Record(chat); !slices.Contains(got, "VALIDATION_CANCELLED") {
				t.Errorf("the record is %v", got)
			}
			late := s.Call("POST", "/v1/approvals/"+id, map[string]any{"approved": true}).Problem(409, "validation_resolved")
			if late.Str("decision") != "expired" {
				t.Errorf("a late answer gets %s", late.Body)
			}
		}
		expired(chat, id)

		chat, id = ask(map[string]any{"approval_expiry": "1s", "approval_on_expiry": "deny"})
		wakes := s.Call("GET", "/v1/approvals/"+id, nil).Str("expires_at")
		s.Stop()
		at, err := time.Parse(time.RFC3339, wakes)
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Until(at)) // the server is down when it is due
		s = newServer(t, db)
		events, _ = s.Listen("/v1/events?types=approval.settled&after=0")
		settled(t, events, id)
		expired(chat, id)
		if n := len(s.Call("GET", "/v1/zones", nil).List("data")); n != 0 {
			t.Errorf("%d zones were made without approval", n)
		}

		if got := s.Call("GET", "/v1/approvals/"+keptID, nil).Str("status"); got == "expired" || got == "refused" {
			t.Errorf("what is kept open is %s", got)
		}
	})
}

// settled waits for the event that an approval was settled.
func settled(t *testing.T, events <-chan harness.Event, approval string) {
	t.Helper()
	for timeout := time.After(20 * time.Second); ; {
		select {
		case e := <-events:
			if e.Name == "approval.settled" && strings.Contains(e.Data, approval) {
				return
			}
		case <-timeout:
			t.Fatalf("approval %s is not settled", approval)
		}
	}
}

// What no text is finds nothing, on either database; it is no failure of the server.
func TestAddressesThatAreNoText(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		for path, status := range map[string]int{
			"/v1/approvals?session_id=%00": 422, "/v1/approvals?session_id=%ff": 422, "/v1/approvals?session_id=%27": 200,
			"/v1/approvals?session_id=ses_none": 200, "/v1/approvals?after=%00": 422, "/v1/sessions?q=%00": 422,
			"/v1/approvals/%00": 404, "/v1/sessions/ses_%ff": 404,
		} {
			s.Call("GET", path, nil).Want(status)
		}
	})
}
