package scheduler

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// TestOnlyWhatIsStillAsItWasSeenIsTakenUp covers the race between a person and the recovery after a restart:
// between the read and the claim, the session has moved on or another chat got the slot. A session is taken up only
// in the state in which it was read, and never at the expense of another.
func TestOnlyWhatIsStillAsItWasSeenIsTakenUp(t *testing.T) {
	working := func(change func(*domain.Session)) *domain.View {
		s := &domain.Session{ID: "ses_1", WorkspaceID: "default", Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true, RunEpoch: 4}
		change(s)
		v := &domain.View{Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}, Session: s}
		if s.HoldsSlot {
			v.Holder = s
		} else {
			v.Holder = &domain.Session{ID: "ses_2", WorkspaceID: "default", Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true}
		}
		return v
	}
	for name, c := range map[string]struct {
		view  *domain.View
		taken bool
	}{
		"as it was seen":              {working(func(*domain.Session) {}), true},
		"claimed by another since":    {working(func(s *domain.Session) { s.RunEpoch = 5 }), false},
		"the slot is another's":       {working(func(s *domain.Session) { s.HoldsSlot, s.State.Suspended = false, true }), false},
		"at rest by now":              {working(func(s *domain.Session) { s.Phase = domain.Idle }), false},
		"waiting for a person by now": {working(func(s *domain.Session) { s.Phase = domain.WaitingValidation }), false},
	} {
		w := &recovery{view: c.view}
		door := NewDoor(Config{
			Store: w, Machine: w, Runner: w, Observer: w, Clock: clock.System, NewID: repeatable.IDs(), Log: zerolog.Nop(),
			Retry: func(domain.NetworkRetry) func(int) time.Duration { return nil },
		})
		err := door.takeUp(t.Context(), domain.SessionRef{WorkspaceID: "default", SessionID: "ses_1", RunEpoch: 4}, true)
		if taken := err == nil; taken != c.taken || err != nil && !errors.Is(err, errNothingToDo) {
			t.Errorf("%s: %v", name, err)
		}
		if want := map[bool]int{true: 1}[c.taken]; w.asked != want || w.driven != want {
			t.Errorf("%s: the machine was asked %d times and the session driven %d times, want %d", name, w.asked, w.driven, want)
		}
	}
}

// recovery is the database, the machine and the run loop around one takeUp.
type recovery struct {
	Store
	view          *domain.View
	asked, driven int
}

func (w *recovery) Decide(ctx context.Context, _, _ string, _ *domain.Session, decide func(context.Context, *domain.View) (*domain.Change, error)) (
	*domain.Change, error,
) {
	return decide(ctx, w.view)
}

func (w *recovery) Accepts(*domain.Session, domain.Event) error { return nil }

func (w *recovery) Run(s *domain.Session, _ domain.Event, _ *domain.Policy) (*domain.Step, error) {
	w.asked++
	next := s.Clone()
	return &domain.Step{
		Session: next, Effect: domain.DoCallAI,
		Change: &domain.Change{WorkspaceID: s.WorkspaceID, Sessions: []domain.SessionWrite{{Session: next}}},
	}, nil
}

func (w *recovery) Drive(*domain.View, domain.Effect) { w.driven++ }
func (w *recovery) Cut(string, int64, error)          {}
func (w *recovery) Yield(string)                      {}
func (w *recovery) Drives(string) bool                { return false }
func (w *recovery) Asked(slot.Reason, bool)           {}
func (w *recovery) Waited(time.Duration, bool)        {}
