package scheduler

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// byDefault is the lane of the sessions of these tests.
var byDefault = domain.LaneRef{Workspace: "default", Lane: domain.LaneWorkspace}

// TestARestDuringALookIsNotMissed covers a chat that comes to rest while the scheduler reads the waiters and still
// sees the chat at work. The waiters are read once more, because there is no further notification of that rest.
func TestARestDuringALookIsNotMissed(t *testing.T) {
	chat := &domain.Session{ID: "ses_1", WorkspaceID: "default", Place: domain.Place{Lane: byDefault.Lane}, Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true}
	run := &domain.Session{ID: "ses_2", WorkspaceID: "default", Place: domain.Place{Lane: byDefault.Lane}, Type: domain.Run, Phase: domain.CallingAI}
	run.State.Suspended = true
	for name, aside := range map[string][]*domain.Session{"with waiters": {run}, "without": nil} {
		w := &lookedAt{recovery: &recovery{}, now: clock.System, waiters: &domain.Waiters{
			Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}, Holder: chat, Aside: aside,
		}}
		door := NewDoor(Config{Runner: w, Observer: w, Clock: clock.System, Log: zerolog.Nop()})
		queue := &Queue{Door: door, Waiters: w}
		w.meanwhile = func() {
			rested := chat.Clone()
			rested.Phase = domain.Idle
			door.Rested(rested)
		}
		queue.grantNext(t.Context(), byDefault)
		if len(door.wakeups.dueLooks(clock.System().Add(time.Second))) != 1 {
			t.Errorf("%s: no other look was asked for", name)
		}
		w.meanwhile = func() {}
		queue.grantNext(t.Context(), byDefault)
		if waits := door.wakeups.hasWaiters(byDefault); waits != (aside != nil) {
			t.Errorf("%s: after the look the wake-ups say %v", name, waits)
		}
	}
}

// Whose time comes while the scheduler looks was not read, because its time had not come:
// it is looked at again, at once.
func TestATimeThatComesDuringALookIsNotMissed(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	comes := now.Add(time.Millisecond)
	w := &lookedAt{recovery: &recovery{}, meanwhile: func() { now = now.Add(time.Second) }, now: func() time.Time { return now }, waiters: &domain.Waiters{
		Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()},
		Queue:     []domain.QueueRow{{SessionID: "ses_1", Reason: domain.QueuedSuspect, NotBefore: &comes}},
	}}
	door := NewDoor(Config{Runner: w, Observer: w, Clock: func() time.Time { return now }, Log: zerolog.Nop()})
	if at, again := (&Queue{Door: door, Waiters: w}).grantNext(t.Context(), byDefault); !again || !at.Equal(comes) {
		t.Errorf("the next look is at %s (%v), not at %s", at, again, comes)
	}
}

// TestAnOlderLookDoesNotClearANewerNote verifies that an older read that found no waiters does not clear the note
// of a newer one that did.
func TestAnOlderLookDoesNotClearANewerNote(t *testing.T) {
	a := newWakeups()
	older := a.waits(byDefault)
	younger := a.waits(byDefault)
	if a.clearWaiters(byDefault, older); !a.hasWaiters(byDefault) {
		t.Error("the older look silenced the younger one")
	}
	if a.clearWaiters(byDefault, younger); a.hasWaiters(byDefault) {
		t.Error("no session waits, but the note remains")
	}
}

// lookedAt is a database in which something happens during a look.
type lookedAt struct {
	*recovery
	waiters   *domain.Waiters
	meanwhile func()
	now       clock.Clock
}

func (l *lookedAt) WaitingLanes(context.Context, string) ([]string, error) {
	return []string{byDefault.Lane}, nil
}

func (l *lookedAt) Waiters(context.Context, domain.LaneRef) (*domain.Waiters, error) {
	read := *l.waiters
	read.At = l.now()
	l.meanwhile()
	return &read, nil
}
