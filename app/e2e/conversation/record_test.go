package conversation

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// The explanation, timeline, usage and export of a session.
func TestTheRecordOfASession(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{
			"require_validation": true, "prices": map[string]any{"fermata-*": map[string]any{"input": 1, "output": 2}},
		}).Want(200)
		chat := s.Call("POST", "/v1/sessions", map[string]any{"name": "Garden"}).Want(201).Str("id")
		path := "/v1/sessions/" + chat
		if why := s.Call("GET", path+"/explain", nil).Want(200); why.Str("waiting_for.kind") != "person" || why.Str("unblocked_by") != "message" {
			t.Errorf("a new chat: %s", why.Body)
		}
		s.Say(chat, "create a zone Garden")
		approval := s.Call("GET", "/v1/approvals?status=open", nil).Want(200).Str("data.0.id")
		why := s.Call("GET", path+"/explain", nil).Want(200)
		if why.Str("waiting_for.kind") != "approval" || why.Str("waiting_for.approval_id") != approval || !strings.Contains(why.Str("text"), "your approval") {
			t.Errorf("it waits for %s: %s", approval, why.Body)
		}
		if last := why.List("transitions"); len(last) == 0 || len(last) > 10 || why.Str("transitions.0.phase") != "WAITING_VALIDATION" {
			t.Errorf("the last transitions: %s", why.Body)
		}
		s.Call("POST", path+"/validation", map[string]any{"approved": true, "comment": "please"}).Want(200)
		s.Settle(chat)
		s.checkTimeline(chat)
		s.checkUsage(chat)

		whole := s.Call("GET", path+"/export", nil).Want(200)
		messages := s.Call("GET", path+"/messages?limit=200", nil).Want(200).List("data")
		if len(whole.List("messages")) != len(messages) || len(whole.List("approvals")) != 1 || whole.Str("session.name") != "Garden" {
			t.Errorf("the export: %s", whole.Body)
		}
		page := string(s.Call("GET", path+"/export?format=markdown", nil).Want(200).Body)
		for _, part := range []string{"# Garden\n", "> create a zone Garden", "CREATE_ZONE", "**approved by ", "please"} {
			if !strings.Contains(page, part) {
				t.Errorf("the page does not have %q:\n%s", part, page)
			}
		}
	})
}

// checkTimeline walks through a timeline in small pages.
func (s *server) checkTimeline(session string) {
	s.T.Helper()
	kinds, last := map[string]int{}, ""
	for cursor := ""; ; {
		page := s.Call("GET", "/v1/sessions/"+session+"/timeline?limit=3&after="+cursor, nil).Want(200)
		for _, l := range page.List("data") {
			line := l.(map[string]any)
			kinds[line["kind"].(string)]++
			if at := line["at"].(string); at < last {
				s.T.Errorf("%s comes after %s", at, last)
			} else {
				last = at
			}
			if call, ok := line["roundtrip"].(map[string]any); ok && (len(call["prompt_hash"].(string)) != 64 || call["model"] != "fermata-demo") {
				s.T.Errorf("a call: %v", call)
			}
		}
		if cursor = page.Str("next_cursor"); cursor == "" {
			break
		}
	}
	if kinds["execution"] != 2 || kinds["roundtrip"] < 2 || kinds["transition"] < 8 {
		s.T.Errorf("the timeline has %v", kinds)
	}
}

// checkUsage: the day's sum is what the session itself says that it used.
func (s *server) checkUsage(session string) {
	s.T.Helper()
	want := s.Call("GET", "/v1/sessions/"+session, nil).Want(200)
	for _, group := range []string{"day", "model", "provider", "session", "purpose", "type", "automation"} {
		got := s.Call("GET", "/v1/usage?group_by="+group, nil).Want(200)
		if len(got.List("data")) != 1 || got.At("data.0.input_tokens") != want.At("usage.input_tokens") || got.At("data.0.output_tokens") != want.At("usage.output_tokens") {
			s.T.Errorf("by %s: %s, but the session says %s", group, got.Body, want.Body)
		}
		cost, _ := got.At("data.0.cost.amount").(float64)
		if mine, _ := want.At("usage.cost.amount").(float64); cost <= 0 || cost-mine > 1e-12 || mine-cost > 1e-12 {
			s.T.Errorf("by %s it cost %v, but the session says %v", group, cost, mine)
		}
	}
}
