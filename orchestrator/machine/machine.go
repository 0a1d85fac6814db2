package machine

import (
	"fmt"
	"reflect"

	"github.com/fermata-dev/fermata/domain"
)

// maxInner bounds the inner events of one Run. The longest chain that the table
// allows is far below; reaching it means a rule that feeds itself.
const maxInner = 10_000

// Run applies an event to a session, and every inner event that follows from it, up
// to the next outside effect, a rest or a wait. The session given is not changed.
// A refusal is a *domain.Error and changes nothing.
func Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	t := begin(s, plain(e), p)
	if err := t.apply(t.event); err != nil {
		return nil, err
	}
	for range maxInner {
		next := t.takeNext()
		if next == nil {
			return t.finish(), nil
		}
		if err := t.apply(next); err != nil {
			return nil, fmt.Errorf("follow %s with %s: %w", t.first, next.Name(), err)
		}
	}
	return nil, domain.Errorf(domain.CodeInternal, "The session's rules do not come to an end after %s.", t.first)
}

// Accepts says whether the session takes the event now: nil, or the refusal that Run
// would give.
func Accepts(s *domain.Session, e domain.Event) error {
	t := begin(s, plain(e), &domain.Policy{})
	if err := t.refusal(); err != nil {
		return err
	}
	_, err := t.rule()
	return err
}

// EffectOf is the effect of the session's present phase, for recovery and for a
// session that gets its slot back.
func EffectOf(s *domain.Session) domain.Effect {
	if s.State.Poisoned || s.State.Suspended {
		return domain.DoNothing
	}
	return s.Phase.Effect()
}

// plain gives the event as a value: actions read the variant by its type.
func plain(e domain.Event) domain.Event {
	v := reflect.ValueOf(e)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		if inner, ok := reflect.TypeAssert[domain.Event](v.Elem()); ok {
			return inner
		}
	}
	return e
}
