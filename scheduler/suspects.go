package scheduler

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// probation knows which suspects this process performs that must be alone: if it dies
// now, it is surely their doing. A death forgets it, as it should.
type probation struct {
	caution domain.Caution
	mu      sync.Mutex
	until   map[string]time.Time // by session: when the process has survived it
}

// note follows what this process commits.
func (p *probation) note(change *domain.Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range change.Sessions {
		s := change.Sessions[i].Session
		is := s.State.Suspicion
		if at := is.ClearedAt(p.caution); at != nil && is.Alone() && s.HoldsSlot {
			p.until[s.ID] = *at
		} else {
			delete(p.until, s.ID)
		}
	}
}

// others says whether another suspect is being performed that must be alone.
func (p *probation) others(session string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, until := range p.until {
		if id != session && now.Before(until) {
			return true
		}
	}
	return false
}

// barred says whether a session must not get the slot now, whatever the table says: a
// poisoned one before a person has decided, and a suspect before its time. A person's
// own message to it waits.
func (p rules) barred(s *domain.Session, event domain.Event, unattended bool) bool {
	switch {
	case s.State.Poisoned:
		return !resumes(event)
	case !s.State.Suspicion.Aside():
		return false
	}
	return !unattended || tooEarly(s, p.now, p.suspectRuns)
}

// tooEarly says whether a suspect's time has not come. running says whether another one
// that must be alone is being performed.
func tooEarly(s *domain.Session, now time.Time, running func(session string, now time.Time) bool) bool {
	is := s.State.Suspicion
	return is.ReenterAt.After(now) || is.Alone() && running(s.ID, now)
}

// holdBack keeps suspects that must be alone out of the queue's turn while another one
// is being performed: those behind them need not wait for that.
func (d *Door) holdBack(w *domain.Waiters, now time.Time) {
	for i := range w.Queue {
		row := &w.Queue[i]
		if row.Session != nil && row.Session.State.Suspicion.Aside() && tooEarly(row.Session, now, d.probation.others) {
			at := now.Add(retryLook)
			if later := row.Session.State.Suspicion.ReenterAt; later.After(at) {
				at = later
			}
			row.NotBefore = &at
		}
	}
}

// absolve clears what is held against a session that stands aside: its process stops in
// good order, so the next one takes it up at once.
func (d *Door) absolve(ctx context.Context, ref domain.SessionRef) error {
	_, err := d.Deliver(ctx, Request{
		Workspace: ref.WorkspaceID, Session: ref.SessionID, Event: standsAside, Also: clearsSuspicion,
	})
	return err
}

func standsAside(v *domain.View) (domain.Event, error) {
	if !v.Session.State.Suspicion.Aside() || v.Session.QueuedAt == nil {
		return nil, errNothingToDo
	}
	return nil, nil
}

func clearsSuspicion(v *domain.View, change *domain.Change) error {
	s := change.Session(v.Session.ID)
	s.State.Suspicion = domain.Suspicion{}
	for _, row := range v.Queue {
		if row.SessionID == s.ID {
			row.Reason, row.NotBefore = domain.QueuedInTurn, nil
			change.Enqueue = append(change.Enqueue, row)
		}
	}
	change.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
	return nil
}
