package conversation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// given is one of several answers that come at once.
type given struct {
	path string
	body string
}

// atOnce gives all the answers at the same time, and what each came to.
func (s *server) atOnce(answers []given) []*harness.Reply {
	s.T.Helper()
	replies := make([]*harness.Reply, len(answers))
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i, a := range answers {
		all.Go(func() {
			<-begin
			replies[i] = s.Call("POST", a.path, a.body)
		})
	}
	close(begin)
	all.Wait()
	return replies
}

// wantOneDecision: all who gave the deciding answer get the same response, the others get the decision.
func (s *server) wantOneDecision(answers []given, replies []*harness.Reply, field string) {
	s.T.Helper()
	var first *harness.Reply
	for _, r := range replies {
		if r.Status == http.StatusOK && first == nil {
			first = r
		}
	}
	if first == nil {
		s.T.Fatalf("none of %d answers counted: %d %s", len(replies), replies[0].Status, replies[0].Body)
	}
	taken := ""
	for i, r := range replies {
		if r.Status == http.StatusOK {
			taken = answers[i].body
		}
	}
	for i, r := range replies {
		switch {
		case r.Status == http.StatusOK && string(r.Body) == string(first.Body) && answers[i].body == taken:
		case r.Status == http.StatusConflict && answers[i].body != taken && r.Str("code") == "validation_resolved":
			var want map[string]any
			if err := json.Unmarshal([]byte(taken), &want); err != nil {
				s.T.Fatal(err)
			}
			if got := r.At("decision." + field); fmt.Sprint(got) != fmt.Sprint(want[field]) {
				s.T.Errorf("another answer does not get the decision: %s", r.Body)
			}
		default:
			s.T.Errorf("answer %s, where %s counted: %d %s", answers[i].body, taken, r.Status, r.Body)
		}
	}
}

// Of several simultaneous answers one decides. The same answer gets its response, a different one gets the
// decision; none gets an error that there is no approval.
func TestManyAnswerAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		n := 0
		for name, c := range map[string]struct {
			rounds int
			many   int
			bodies []string
			paths  func(chat, card string) []string
		}{
			"two say yes":    {6, 2, []string{`{"approved": true}`}, byApproval},
			"two say no":     {6, 2, []string{`{"approved": false}`}, byApproval},
			"ten say no":     {3, 10, []string{`{"approved": false}`}, byApproval},
			"fifty differ":   {2, 50, []string{`{"approved": true}`, `{"approved": false}`}, byApproval},
			"by both ways":   {3, 10, []string{`{"approved": false}`}, byBoth},
			"fifty, by both": {1, 50, []string{`{"approved": true}`, `{"approved": false}`}, byBoth},
		} {
			t.Run(name, func(t *testing.T) {
				for range c.rounds {
					n++
					s.asked(fmt.Sprintf(`{"name": "CREATE_ZONE", "arguments": {"name": "Zone %d"}}`, n))
					chat := s.Chat()
					s.Say(chat, "make it")
					card := s.Card().Str("id")
					paths := c.paths(chat, card)
					answers := make([]given, c.many)
					for i := range answers {
						answers[i] = given{paths[i%len(paths)], c.bodies[i/len(paths)%len(c.bodies)]}
					}
					s.wantOneDecision(answers, s.atOnce(answers), "approved")
					s.Settle(chat)
					s.Call("DELETE", "/v1/sessions/"+chat, nil).Want(204)
				}
			})
		}
	})
}

func byApproval(_, card string) []string { return []string{"/v1/approvals/" + card} }

func byBoth(chat, card string) []string {
	return []string{"/v1/approvals/" + card, "/v1/sessions/" + chat + "/validation"}
}

// The same for what a person types or changes: what the first answer did is no reason to refuse
// its repetition.
func TestTheSameWordsAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Home"}).Want(201).Str("id")
		for i := range 4 {
			s.asked(fmt.Sprintf(`{"name": "UPDATE_ZONE", "arguments": {"zone_id": %q, "name": "Proposed %d"}}`, zone, i))
			chat := s.Chat()
			s.Say(chat, "rename it")
			card := s.Card()
			edited := fmt.Sprintf(`{"approved": true, "edits": {%q: {"zone_id": %q, "name": "Edited %d"}}}`, card.Str("actions.0.id"), zone, i)
			answers := make([]given, 8)
			for k := range answers {
				answers[k] = given{"/v1/approvals/" + card.Str("id"), edited}
			}
			s.wantOneDecision(answers, s.atOnce(answers), "approved")
			s.Settle(chat)
		}
		s.asked(`{"name": "ASK_USER", "arguments": {"type": "Text", "data": {"question": "Which one?"}}}`)
		chat := s.Chat()
		s.Say(chat, "ask me")
		card := s.Card().Str("id")
		answers := make([]given, 12)
		for k := range answers {
			path := []string{"/v1/approvals/" + card, "/v1/sessions/" + chat + "/response"}[k%2]
			answers[k] = given{path, []string{`{"value": "red"}`, `{"value": "blue"}`}[k/2%2]}
		}
		s.wantOneDecision(answers, s.atOnce(answers), "value")
	})
}
