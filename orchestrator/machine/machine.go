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
func Run(session *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	s := begin(session, plain(e), p)
	s.run = Run
	if err := s.apply(s.event); err != nil {
		return nil, err
	}
	for range maxInner {
		next := s.takeNext()
		if next == nil {
			return s.finish(), nil
		}
		if err := s.apply(next); err != nil {
			return nil, fmt.Errorf("follow %s with %s: %w", s.first, next.Name(), err)
		}
	}
	return nil, domain.Errorf(domain.CodeInternal, "The session's rules do not come to an end after %s.", s.first)
}

// Accepts reports whether the session accepts the event now: nil, or the refusal that Run would return.
func Accepts(session *domain.Session, e domain.Event) error {
	s := begin(session, plain(e), &domain.Policy{})
	if err := s.refusal(); err != nil {
		return err
	}
	_, err := s.rule()
	return err
}

// EffectOf is the effect of the session's present phase, for recovery and for a
// session that gets its slot back.
func EffectOf(session *domain.Session) domain.Effect {
	if session.State.Poisoned || session.State.Suspended {
		return domain.DoNothing
	}
	return session.Phase.Effect()
}

// plain returns the event as a value: actions switch on its type.
func plain(e domain.Event) domain.Event {
	v := reflect.ValueOf(e)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		if inner, ok := reflect.TypeAssert[domain.Event](v.Elem()); ok {
			return inner
		}
	}
	return e
}
