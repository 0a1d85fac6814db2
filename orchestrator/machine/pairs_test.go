package machine

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// on are the steps in which the rule's event comes in a phase of the rule, however the
// session stands there.
func (r *rule) on() []*step {
	from := r.From.list
	if r.From.onTheWay {
		from = []domain.Phase{domain.CallingAI}
	}
	events := append(variants(), limitReached{}, budgetExceeded{}, domain.ContextBudgetExceeded{})
	var list []*step
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run, domain.Agent} {
		for _, phase := range from {
			for _, s := range standings(kind, phase) {
				for _, e := range events {
					if e.Name() == r.On {
						p := &domain.Policy{NewID: func(prefix string) string { return prefix + "_1" }, Settings: domain.DefaultSettings()}
						list = append(list, begin(s, e, p))
					}
				}
			}
		}
	}
	return list
}

// TestActionsFitTheirEvents: an action reads the event by its type. One that is paired with
// an event of another type would panic when the rule applies; here each is run on each
// event of its rules, whether or not the session stands so that the rule fits.
func TestActionsFitTheirEvents(t *testing.T) {
	for i := range table {
		r := &table[i]
		for _, s := range r.on() {
			fits := r.fits(s)
			for n, act := range r.Do {
				p := panicOf(func() { act(s) })
				var wrongType *runtime.TypeAssertionError
				if err, ok := p.(error); p != nil && (fits || ok && errors.As(err, &wrongType)) {
					t.Fatalf("%s: %s: %v", describe(*r), actionNames(r.Do[n:n+1]), p)
				}
			}
		}
	}
}

// TestGuardsAreTotal: a guard answers for each event and phase that its rules and refusals
// name, whatever the session stands in; none relies on the guards before it.
func TestGuardsAreTotal(t *testing.T) {
	list := slices.Clone(table)
	for _, refusal := range refusals {
		for _, e := range domain.Events {
			if refusal.names(e.Name()) && len(refusal.When) > 0 {
				list = append(list, rule{From: refusal.From, On: e.Name(), When: refusal.When})
			}
		}
	}
	for _, r := range list {
		for _, s := range r.on() {
			for n, holds := range r.When {
				if p := panicOf(func() { holds(s) }); p != nil {
					t.Fatalf("%s: %s: %v", describe(r), guardNames(r.When[n:n+1]), p)
				}
			}
		}
	}
}

func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
