package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// retry is the request to run the last round of the record again, planned as the door does.
func (w *world) retry(words string, options []string) domain.RoundRequested {
	ask := &domain.RetryRequest{}
	for _, model := range options {
		ask.Model = model
	}
	if words != "" {
		ask.Message = &domain.NewMessage{}
	}
	plan := branch.PlanRetry(w.messages, ask)
	if plan == nil {
		return domain.RoundRequested{}
	}
	if words == "" && plan.Words != nil {
		words = plan.Words.Rich.LinearText
	}
	if words != "" {
		plan.Message = w.message(words)
	}
	var done []*domain.Execution
	for _, id := range w.order {
		done = append(done, w.executions[id])
	}
	if plan.RoundID == "" {
		plan.Remains = branch.Effects(done)
	}
	return domain.RoundRequested{By: domain.Author{ID: "ada"}, Plan: plan}
}

func (w *world) choose(id string) domain.AnswerChosen {
	plan := branch.PlanChoice(w.messages, id)
	if plan == nil {
		w.t.Fatalf("message %s cannot be chosen", id)
	}
	return domain.AnswerChosen{By: domain.Author{ID: "ada"}, Plan: *plan}
}

// mark notes what a change says of messages in their place.
func (w *world) mark(marked []*domain.Message) {
	for _, change := range marked {
		found := false
		for i, m := range w.messages {
			if m.ID == change.ID {
				w.messages[i], found = change, true
			}
		}
		if !found {
			w.t.Fatalf("message %s was marked and is not in its place", change.ID)
		}
	}
}

// The estimate of the prompt goes down with what leaves it, and comes back with what does.
func TestTheEstimateFollowsTheChoice(t *testing.T) {
	w := newWorld(t, domain.Chat)
	for _, e := range []domain.Event{domain.UserMessageSent{Message: w.message("Which one?")}} {
		if _, err := w.do(e); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(text string) {
		received, parsed := w.answer(text, nil)
		for _, e := range []domain.Event{received, parsed} {
			if _, err := w.do(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	answer("The first of them, which is the one that you meant before.")
	if _, err := w.do(w.retry("", nil)); err != nil {
		t.Fatal(err)
	}
	answer("The second.")
	before := w.s.State.ContextTokens
	if _, err := w.do(w.choose(w.messages[1].ID)); err != nil {
		t.Fatal(err)
	}
	if after := w.s.State.ContextTokens; after <= before {
		t.Errorf("the longer answer is back and the estimate went from %d to %d", before, after)
	}
	if _, err := w.do(w.choose(w.messages[2].ID)); err != nil {
		t.Fatal(err)
	}
	if after := w.s.State.ContextTokens; after != before {
		t.Errorf("the same answer as before counts %d, not %d", after, before)
	}
}
