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
	// maxMembers bounds how many transactions share a COMMIT.
	maxMembers = 64
	// maxGathered is how long a group takes in further members: the first of them waits
	// for the last.
	maxGathered = 10 * time.Millisecond
)

// group are transactions that share one COMMIT, each in a savepoint of its own. Only
// who has the connection looks at it.
type group struct {
	members []*member // those whose part is done
	failed  []*member // those that failed behind a member: they have seen rows that are not on disk
	entered int       // all so far, those that failed too
	began   time.Time
	alone   bool // nobody else may join
}

// errUndone is a kind of errNotCommitted: another member's failure undid the whole group.
var errUndone = fmt.Errorf("%w: a transaction beside it failed and undid it too", errNotCommitted)

// attempt is one run of a transaction. Others may share its COMMIT; what it is told is
// about itself alone. It gives the transaction back after an error too.
//
// A failure may rest on what the members before it wrote ("this exists already"), so it leaves
// after their COMMIT, and not at all if there is none: the transaction runs again then.
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
		return m.t.stands(ctx)
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

// unfounded waits for the COMMIT that the failure of m may rest on, and says whether there was
// none.
func (m *member) unfounded() bool {
	if m.awaits {
		<-m.signal
	}
	return m.undone || m.awaits && m.err != nil
}

// errLooked ends what was only to look.
var errLooked = errors.New("nothing is to be kept")

// aside runs fn in a transaction of its own, which is rolled back.
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

// run does a member's part and hands the connection on, also when fn panics: the panic
// goes on where it began, and the others do not notice.
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
	// A SAVEPOINT that fails may have ended the transaction of the others.
	begun = len(g.members) > 0
	if err := w.begin(ctx, g); err != nil {
		return fmt.Errorf("begin to write: %w", err)
	}
	begun = true
	if err := fn(w.line); err != nil {
		refused = m.t != nil && m.t.stands(context.Background()) == nil
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

// begin opens the transaction of a group, or the savepoint of one that joins it. The
// first has none: until somebody joins, its failure is the group's.
func (w *writer) begin(ctx context.Context, g *group) error {
	if len(g.members) > 0 {
		return w.exec(ctx, "SAVEPOINT member")
	}
	g.began = w.db.cfg.Clock()
	return w.open(ctx)
}

// undo takes back what the member did that has the connection. If the database has
// rolled the whole transaction back, the others run again by themselves. So does the member
// where it refused and no error of the database is the reason.
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

// handOn gives the connection to the next one: to who joins the group, or to the last
// of its members, for the COMMIT. Where nobody has anything to commit, who comes next
// begins a group of its own.
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

// commit carries out the COMMIT of a group, lets the next one begin, and tells the
// members. It is called by the last of them.
func (w *writer) commit(g *group) {
	err := errors.New("COMMIT came to no end")
	defer func() {
		if err == nil {
			g.keepOrder()
		} else {
			// Whatever became of it, this side holds nothing any more.
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

// keepOrder has the members of one workspace tell of their events in the order of the
// numbers: each waits for the one before it.
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
			before.told = make(chan struct{})
			m.t.after = before.told
		}
		last[m.t.workspace] = m.t
	}
}
