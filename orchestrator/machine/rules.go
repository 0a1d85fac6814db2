package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// rule is one line of the table: in a phase of From, on the event, when every guard
// holds, do this and go there.
type rule struct {
	From phases
	On   string
	When when
	To   domain.Phase
	Do   do
}

type (
	guard  func(*step) bool
	action func(*step)
	when   []guard
	do     []action
)

// Two targets that are no phases. A session that stays records no transition; one
// that goes to the same phase enters it again, and that is recorded.
const (
	stay domain.Phase = "(stays)"
	same domain.Phase = "(same)"
)

// phases is a set with a name for the docs. onTheWay marks the rules of events that the machine itself
// raises on the way to CALLING_AI, in any phase.
type phases struct {
	name     string
	list     []domain.Phase
	onTheWay bool
}

func (f phases) has(p domain.Phase) bool { return slices.Contains(f.list, p) }

func in(list ...domain.Phase) phases { return phases{list: list} }

func where(name string, holds func(domain.Phase) bool) phases {
	f := phases{name: name}
	for _, p := range domain.Phases {
		if holds(p) {
			f.list = append(f.list, p)
		}
	}
	return f
}

var (
	onTheWay    = phases{name: "on the way to CALLING_AI", onTheWay: true}
	all         = where("any", func(domain.Phase) bool { return true })
	alive       = where("any not ended", func(p domain.Phase) bool { return p != domain.Completed })
	working     = where("a working phase", domain.Phase.Working)
	waiting     = where("a wait", domain.Phase.Waiting)
	retrying    = where("", func(p domain.Phase) bool { return p.Next() != nil })
	calling     = in(domain.CallingAI, domain.CompactingContext)
	idle        = in(domain.Idle)
	personWaits = where("", domain.Phase.AsksPerson)
	untimed     = where("", func(p domain.Phase) bool { return p.Waiting() && p.Due() == nil })
)

// fits reports whether every guard of the rule holds.
func (r *rule) fits(s *step) bool {
	for _, g := range r.When {
		if !g(s) {
			return false
		}
	}
	return true
}

// rule finds the first line of the table that fits the present phase and event.
func (s *step) rule() (*rule, error) {
	name := s.event.Name()
	for i := range table {
		r := &table[i]
		if r.On == name && r.From.has(s.session.Phase) && r.fits(s) {
			return r, nil
		}
	}
	return nil, s.refuse(domain.CodeInternal, "There is neither a rule nor a refusal for %s in %s.", name, s.session.Phase)
}
