package sqldb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// maxMembers limits how many transactions share a COMMIT.
	maxMembers = 64
	// maxGathered is how long a group accepts members, because the first of them waits for the
	// last.
	maxGathered = 10 * time.Millisecond
)

// group is a set of transactions that share one COMMIT, each in a savepoint of its own. Only the
// member that has the connection accesses it.
type group struct {
	members []*member // members that are done
	failed  []*member // failed after a member: they may have read rows that are not on disk
	entered int       // all so far, failed ones included
	began   time.Time
	alone   bool // no other member may join
}

// errUndone is a kind of errNotCommitted: another member's failure rolled back the whole group.
var errUndone = fmt.Errorf("%w: another transaction of its group failed and rolled it back", errNotCommitted)

// attempt runs a transaction once. Its COMMIT may be shared with others, but its result concerns
// only itself. It returns the transaction even after an error. An error may be based on what
// earlier members wrote ("exists already"), so it is returned after their COMMIT; if that fails,
// the transaction runs again instead.
func (w *writer) attempt(ctx context.Context, workspace string, alone bool, fn func(t *Tx) error) (*Tx, error) {
	m := newMember(alone)
	if err := w.gate.enter(ctx, m); err != nil {
		return nil, w.db.Dialect.translate(ctx, fmt.Errorf("begin to write: %w", err))
	}
	if err := w.run(ctx, m, func(on line) error {
		m.t = w.db.newTx(on)
		m.t.workspace, m.t.uncut = workspace, true
		if err := fn(m.t); err != nil {
			return err
		}
		if err := m.t.mark(ctx, workspace); err != nil {
			return err
		}
		return m.t.failed(ctx)
	}); err != nil {
		if m.unfounded() {
			return m.t, undone()
		}
		return m.t, w.db.Dialect.translate(ctx, err)
	}
	if <-m.signal == mustCommit {
		w.commit(m.group)
	}
	switch {
	case m.undone:
		return m.t, undone()
	case m.err != nil:
		return m.t, w.db.settle(ctx, m.t, workspace, m.err)
	}
	return m.t, nil
}

func undone() error {
	return &domain.Error{
		Code: domain.CodeDatabaseBusy, Outcome: domain.NotApplied, Err: errUndone,
		Message: "The database is busy. Nothing was written; try again in a moment.",
	}
}

// unfounded waits for the COMMIT that the error of m may be based on, and reports whether that
// failed.
func (m *member) unfounded() bool {
	if m.awaits {
		<-m.signal
	}
	return m.undone || m.awaits && m.err != nil
}

// errLooked rolls back a read-only transaction.
var errLooked = errors.New("read-only")

// aside runs fn in a separate transaction, which is rolled back.
func (w *writer) aside(ctx context.Context, fn func(on line) error) error {
	m := newMember(true)
	if err := w.gate.enter(ctx, m); err != nil {
		return err
	}
	err := w.run(ctx, m, func(on line) error {
		if err := fn(on); err != nil {
			return err
		}
		return errLooked
	})
	if errors.Is(err, errLooked) {
		return nil
	}
	return err
}

// run executes a member's part and hands the connection on, even if fn panics: the panic continues,
// and other members are not affected.
func (w *writer) run(ctx context.Context, m *member, fn func(on line) error) (err error) {
	g, done, begun, refused := m.group, false, false, false
	g.alone = g.alone || m.alone
	g.entered++
	defer func() {
		switch {
		case done:
			g.members = append(g.members, m)
		case begun:
			w.undo(g, m, refused)
		}
		w.handOn(g)
	}()
	if ctx.Err() != nil {
		return fmt.Errorf("begin to write: %w", context.Cause(ctx))
	}
	// A failed SAVEPOINT may have ended the transaction of the other members.
	begun = len(g.members) > 0
	if err := w.begin(ctx, g); err != nil {
		return fmt.Errorf("begin to write: %w", err)
	}
	begun = true
	if err := fn(w.line); err != nil {
		refused = m.t != nil && m.t.failed(context.Background()) == nil
		return err
	}
	if len(g.members) > 0 {
		if err := w.exec(ctx, "RELEASE SAVEPOINT member"); err != nil {
			return fmt.Errorf("release the part of a group: %w", err)
		}
	}
	done = true
	return nil
}

// begin opens the transaction of a group, or the savepoint of a joining member. The first member
// has no savepoint: until another one joins, its failure is the group's.
func (w *writer) begin(ctx context.Context, g *group) error {
	if len(g.members) > 0 {
		return w.exec(ctx, "SAVEPOINT member")
	}
	g.began = w.db.cfg.Clock()
	return w.open(ctx)
}

// undo rolls back the member that has the connection. If the database has rolled back the whole
// transaction, the other members are retried, and so is this member if it was refused without an
// error of the database.
func (w *writer) undo(g *group, failed *member, refused bool) {
	ctx := context.Background()
	if len(g.members) == 0 {
		w.rollback(ctx)
		return
	}
	err := w.exec(ctx, "ROLLBACK TO SAVEPOINT member")
	if err == nil {
		err = w.exec(ctx, "RELEASE SAVEPOINT member")
	}
	if err == nil {
		failed.awaits = true
		g.failed = append(g.failed, failed)
		return
	}
	w.rollback(ctx)
	failed.undone = refused
	for _, m := range slices.Concat(g.members, g.failed) {
		m.undone = true
		m.signal <- isOver
	}
	g.members, g.failed = nil, nil
}

// handOn gives the connection to the next joining member, or to the last member for the COMMIT. If
// no member has anything to commit, the next one begins a new group.
func (w *writer) handOn(g *group) {
	if len(g.members) == 0 {
		w.leave()
		return
	}
	room := !g.alone && g.entered < maxMembers && w.db.cfg.Clock().Sub(g.began) < maxGathered
	if !room || !w.gate.join(g) {
		g.members[len(g.members)-1].signal <- mustCommit
	}
}

// commit commits a group, lets the next one begin, and signals the members. The last member calls
// it.
func (w *writer) commit(g *group) {
	err := errors.New("COMMIT did not finish")
	defer func() {
		if err == nil {
			g.keepOrder()
		} else {
			// Whatever the outcome, no transaction is left open on this side.
			w.rollback(context.Background())
		}
		w.leave()
		for i, m := range g.members {
			if m.err = err; i < len(g.members)-1 {
				m.signal <- isOver
			}
		}
		for _, m := range g.failed {
			m.err = err
			m.signal <- isOver
		}
	}()
	err = w.db.commit(func() error { return w.exec(context.Background(), "COMMIT") })
}

// keepOrder makes the members of a workspace publish their events in the order of the numbers: each
// waits for the one before it.
func (g *group) keepOrder() {
	if len(g.members) < 2 {
		return
	}
	last := make(map[string]*Tx, len(g.members))
	for _, m := range g.members {
		if m.t.Seq == 0 {
			continue
		}
		if before := last[m.t.workspace]; before != nil {
			before.published = make(chan struct{})
			m.t.after = before.published
		}
		last[m.t.workspace] = m.t
	}
}
