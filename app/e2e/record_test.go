package e2e

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

// A person looks at a session from outside: why it stands still, what happened, what
// it cost, and takes it away.
func TestTheRecordOfASession(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", map[string]any{
			"require_validation": true, "prices": map[string]any{"fermata-*": map[string]any{"input": 1, "output": 2}},
		}).want(200)
		chat := s.call("POST", "/v1/sessions", map[string]any{"name": "Garden"}).want(201).str("id")
		path := "/v1/sessions/" + chat
		if why := s.call("GET", path+"/explain", nil).want(200); why.str("waiting_for.kind") != "person" || why.str("unblocked_by") != "message" {
			t.Errorf("a new chat: %s", why.body)
		}
		s.say(chat, "create a zone Garden")
		approval := s.call("GET", "/v1/approvals?status=open", nil).want(200).str("data.0.id")
		why := s.call("GET", path+"/explain", nil).want(200)
		if why.str("waiting_for.kind") != "approval" || why.str("waiting_for.approval_id") != approval || !strings.Contains(why.str("text"), approval) {
			t.Errorf("it waits for %s: %s", approval, why.body)
		}
		if last := why.list("transitions"); len(last) == 0 || len(last) > 10 || why.str("transitions.0.phase") != "WAITING_VALIDATION" {
			t.Errorf("the last transitions: %s", why.body)
		}
		s.call("POST", path+"/validation", map[string]any{"approved": true, "comment": "please"}).want(200)
		s.settle(chat)
		s.checkTimeline(chat)
		s.checkUsage(chat)

		whole := s.call("GET", path+"/export", nil).want(200)
		messages := s.call("GET", path+"/messages?limit=200", nil).want(200).list("data")
		if len(whole.list("messages")) != len(messages) || len(whole.list("approvals")) != 1 || whole.str("session.name") != "Garden" {
			t.Errorf("the export: %s", whole.body)
		}
		page := string(s.call("GET", path+"/export?format=markdown", nil).want(200).body)
		for _, part := range []string{"# Garden\n", "> create a zone Garden", "CREATE_ZONE", "**approved by ", "please"} {
			if !strings.Contains(page, part) {
				t.Errorf("the page does not have %q:\n%s", part, page)
			}
		}
	})
}

// checkTimeline walks through a timeline in small pages.
func (s *server) checkTimeline(session string) {
	s.t.Helper()
	kinds, last := map[string]int{}, ""
	for cursor := ""; ; {
		page := s.call("GET", "/v1/sessions/"+session+"/timeline?limit=3&after="+cursor, nil).want(200)
		for _, l := range page.list("data") {
			line := l.(map[string]any)
			kinds[line["kind"].(string)]++
			if at := line["at"].(string); at < last {
				s.t.Errorf("%s comes after %s", at, last)
			} else {
				last = at
			}
			if call, ok := line["roundtrip"].(map[string]any); ok && (len(call["prompt_hash"].(string)) != 64 || call["model"] != "fermata-demo") {
				s.t.Errorf("a call: %v", call)
			}
		}
		if cursor = page.str("next_cursor"); cursor == "" {
			break
		}
	}
	if kinds["execution"] != 2 || kinds["roundtrip"] < 2 || kinds["transition"] < 8 {
		s.t.Errorf("the timeline has %v", kinds)
	}
}

// checkUsage: the day's sum is what the session itself says that it used.
func (s *server) checkUsage(session string) {
	s.t.Helper()
	want := s.call("GET", "/v1/sessions/"+session, nil).want(200)
	for _, group := range []string{"day", "model", "provider", "session", "purpose", "type", "automation"} {
		got := s.call("GET", "/v1/usage?group_by="+group, nil).want(200)
		if len(got.list("data")) != 1 || got.at("data.0.input_tokens") != want.at("usage.input_tokens") || got.at("data.0.output_tokens") != want.at("usage.output_tokens") {
			s.t.Errorf("by %s: %s, but the session says %s", group, got.body, want.body)
		}
		cost, _ := got.at("data.0.cost.amount").(float64)
		if mine, _ := want.at("usage.cost.amount").(float64); cost <= 0 || cost-mine > 1e-12 || mine-cost > 1e-12 {
			s.t.Errorf("by %s it cost %v, but the session says %v", group, cost, mine)
		}
	}
}
