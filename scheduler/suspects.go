package scheduler

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// probation tracks the suspects in this process that must run alone, so that a crash can be attributed to
// them. It is lost with the process, as it should be.
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

// others reports whether another suspect that must be alone is being performed.
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

// barred reports whether a session must not get the slot now, regardless of the activation table: a
// poisoned one before a person has decided, and a suspect before its time. A person's message to it waits.
func (p rules) barred(s *domain.Session, event domain.Event, unattended bool) bool {
	switch {
	case s.State.Poisoned:
		return !resumes(event)
	case !s.State.Suspicion.Aside():
		return false
	}
	return !unattended || tooEarly(s, p.now, p.suspectRuns)
}

// tooEarly reports whether a suspect must still wait. running reports whether another one that must be
// alone is being performed.
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

// absolve clears the suspicion of a session that was set aside: its process stops gracefully, so the next
// one resumes it at once.
func (d *Door) absolve(ctx context.Context, ref domain.SessionRef) error {
	_, err := d.Deliver(ctx, absolutionRequest{Target{Workspace: ref.WorkspaceID, Session: ref.SessionID}})
	return err
}

// absolutionRequest clears the suspicion of a session that was set aside.
type absolutionRequest struct{ Target }

func (absolutionRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	if !v.Session.State.Suspicion.Aside() || v.Session.QueuedAt == nil {
		return nil, errNothingToDo
	}
	return nil, nil
}

func (absolutionRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	s := change.Session(v.Session.ID)
	s.State.Suspicion = domain.Suspicion{}
	for _, row := range v.Queue {
		if row.SessionID == s.ID {
			row.Reason, row.NotBefore = domain.QueuedInTurn, nil
			change.Enqueue = append(change.Enqueue, row)
		}
	}
	change.Emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: s.Lane})
	return nil
}
