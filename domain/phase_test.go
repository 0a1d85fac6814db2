package domain

import "testing"

// TestRowsOfPhases keeps each row of the table in agreement with itself.
func TestRowsOfPhases(t *testing.T) {
	for _, r := range phases {
		if r.works && r.waits {
			t.Errorf("%s works and waits", r.phase)
		}
		if r.works != (r.effect != DoNothing || r.next != nil) {
			t.Errorf("%s works: %v, but its effect is %q and it passes by %v", r.phase, r.works, r.effect, r.next)
		}
		if (r.status == StatusRequiresAction) != (r.asks != nil) {
			t.Errorf("%s has the status %s and asks %v", r.phase, r.status, r.asks)
		}
		if waits := r.waits || r.due != nil; waits != (r.waitsFor != "") {
			t.Errorf("%s waits: %v, for %q", r.phase, waits, r.waitsFor)
		}
		if r.asks != nil && r.asks.Optional && r.due == nil {
			t.Errorf("%s waits for no person and has no timeout", r.phase)
		}
		if r.parks && !r.waits {
			t.Errorf("%s parks and does not wait", r.phase)
		}
	}
}

// TestAnswersComeAgain: what a question is answered by can be kept by its name and brought
// again.
func TestAnswersComeAgain(t *testing.T) {
	for _, r := range phases {
		if r.asks == nil {
			continue
		}
		given := Answer{Decision: Decision{Comment: "so"}, Text: "in words"}
		for _, reply := range []func(Answer) Event{r.asks.Yes, r.asks.No} {
			e := reply(given)
			again := r.asks.Again(e.Name(), given)
			if again == nil {
				t.Fatalf("%s: %s does not come again", r.phase, e.Name())
			}
			if a, ok := AnswerOf(again); !ok || a.Text != given.Text || a.Decision.Comment != given.Decision.Comment {
				t.Errorf("%s: %s brings %+v", r.phase, e.Name(), a)
			}
		}
		if e := r.asks.No(Answer{}); Approves(e) {
			t.Errorf("%s: %s is an approval", r.phase, e.Name())
		}
		if e := r.asks.Yes(Answer{Decision: Decision{Approved: true}}); !Approves(e) {
			t.Errorf("%s: %s is a no", r.phase, e.Name())
		}
	}
}
