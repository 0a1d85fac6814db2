package sqldb

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// gate lets one after the other through to the connection that writes, in the order in
// which they came; those that must be alone go first. database/sql hands a connection
// to any of those that wait, and with many of them some wait long.
type gate struct {
	mu      sync.Mutex
	taken   bool // somebody has the connection, or commits what was done on it
	closed  bool
	waiting []*member
}

// member is a transaction that is carried out together with others.
type member struct {
	alone  bool // its group has no other member
	group  *group
	signal chan signal // what it is to do next; it never gets another one before it took the last
	t      *Tx         // nil: it only looks, and is never committed
	undone bool        // with its group, before COMMIT
	awaits bool        // it failed, and leaves after the COMMIT of those before it
	err    error       // of COMMIT
}

func newMember(alone bool) *member {
	return &member{alone: alone, signal: make(chan signal, 1)}
}

type signal int

const (
	mayRun     signal = iota + 1 // the connection is its own
	mustCommit                   // it carries out the COMMIT of its group
	isOver                       // undone and err say how
)

var errClosed = errors.New("the database is closed")

// enter waits until the connection is m's own. Who has entered must leave, by handOn.
// Whoever's context ends meanwhile waits no longer.
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
	return m.admitted(<-m.signal) // it was faster; whoever runs it looks at ctx once more
}

func (m *member) admitted(s signal) error {
	if s == mayRun {
		return nil
	}
	return m.err
}

// queue takes the gate for m if it is free; otherwise m is behind those ahead of it.
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

// withdraw takes back who still waits.
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

// join gives the connection to the first that waits, as a further member of a group.
// false: nobody waits, or who does must be alone.
func (g *gate) join(joined *group) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 || g.waiting[0].alone {
		return false
	}
	g.admit(joined)
	return true
}

// leave gives the connection to the first that waits, for a group of its own. It says
// whether this was the last one, before the database is closed.
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

// close lets nobody in any more, and tells those that wait. It says whether the gate was
// free; otherwise whoever has it leaves as always.
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
