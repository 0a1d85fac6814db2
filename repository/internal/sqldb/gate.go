package sqldb

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// gate admits transactions to the writing connection one at a time, in the order of arrival;
// retries that must run alone come first. database/sql would pick any of the waiting callers, and
// some could wait long.
type gate struct {
	mu      sync.Mutex
	taken   bool // the connection is in use, or being committed
	closed  bool
	waiting []*member
}

// member is a transaction in a group.
type member struct {
	alone  bool // must be the only member of its group
	group  *group
	signal chan signal // the next step; a new signal is sent only after the last one was received
	t      *Tx         // nil: read-only, never committed
	undone bool        // rolled back with its group, before COMMIT
	awaits bool        // it failed, and returns after the COMMIT of the members before it
	err    error       // of COMMIT
}

func newMember(alone bool) *member {
	return &member{alone: alone, signal: make(chan signal, 1)}
}

type signal int

const (
	mayRun     signal = iota + 1 // the member has the connection
	mustCommit                   // the member carries out the COMMIT of its group
	isOver                       // undone and err have the outcome
)

var errClosed = errors.New("the database is closed")

// enter waits until m has the connection. After it returns nil, the caller must call handOn. It
// returns early if the context ends.
func (g *gate) enter(ctx context.Context, m *member) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ahead, err := g.queue(m); err != nil || !ahead {
		return err
	}
	select {
	case s := <-m.signal:
		return m.admitted(s)
	case <-ctx.Done():
	}
	if g.withdraw(m) {
		return context.Cause(ctx)
	}
	return m.admitted(<-m.signal) // the gate was faster; run checks ctx again
}

func (m *member) admitted(s signal) error {
	if s == mayRun {
		return nil
	}
	return m.err
}

// queue takes the gate for m if it is free; otherwise m is queued behind ahead others.
func (g *gate) queue(m *member) (ahead bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return false, errClosed
	case !g.taken:
		g.taken, m.group = true, &group{}
		return false, nil
	case m.alone:
		behind := slices.IndexFunc(g.waiting, func(o *member) bool { return !o.alone })
		if behind < 0 {
			behind = len(g.waiting)
		}
		g.waiting = slices.Insert(g.waiting, behind, m)
	default:
		g.waiting = append(g.waiting, m)
	}
	return true, nil
}

// withdraw removes m from the queue if it still waits.
func (g *gate) withdraw(m *member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, m)
	if i < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	return true
}

// join gives the connection to the first waiting member, as a further member of a group. It returns
// false if there is none, or if that one must be alone.
func (g *gate) join(joined *group) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 || g.waiting[0].alone {
		return false
	}
	g.admit(joined)
	return true
}

// leave gives the connection to the first waiting member, for a new group. It reports whether this
// was the last group before the database is closed.
func (g *gate) leave() (last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.taken = false
		return g.closed
	}
	g.admit(&group{})
	return false
}

func (g *gate) admit(to *group) {
	m := g.waiting[0]
	g.waiting = slices.Delete(g.waiting, 0, 1)
	m.group = to
	m.signal <- mayRun
}

// close rejects new members and those that wait. It reports whether the gate was free; otherwise
// the current group leaves it as usual.
func (g *gate) close() (free bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, m := range g.waiting {
		m.err = errClosed
		m.signal <- isOver
	}
	g.waiting = nil
	return !g.taken
}
