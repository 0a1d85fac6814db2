package repository

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/outside"
	"github.com/fermata-dev/fermata/repository/people"
	"github.com/fermata-dev/fermata/repository/userdata"
)

// Commit writes a change atomically and sets its numbers. It returns domain.ErrStale if a session
// was written by another process since it was read: reload it and decide again. If the reply to
// COMMIT is lost and the change turns out not to be applied, it is written again under the same
// conditions.
func (s *Store) Commit(ctx context.Context, c *domain.Change) error {
	done, err := s.fenced(ctx, c, s.states.of(c.WorkspaceID))
	if done || err != nil {
		return err
	}
	return s.db.Write(ctx, c.WorkspaceID, func(t *transaction.Tx) error {
		return s.apply(sqldb.Unwatched(ctx), t, c, func() error { return s.checkSpent(sqldb.Unwatched(ctx), t, c) })
	})
}

// apply writes a change in the order that all transactions share: the workspace, the sessions,
// their rows, the events, and deletions last. On an error the change is restored to what it was
// before. Conditions are checked under the workspace's lock, before anything is written.
func (s *base) apply(ctx context.Context, t *transaction.Tx, c *domain.Change, conditions ...func() error) error {
	before := keepNumbers(c)
	t.OnFailure(func() { before.restore(c) })
	if err := s.number(ctx, t, c); err != nil {
		return err
	}
	for _, holds := range conditions {
		if err := holds(); err != nil {
			return err
		}
	}
	for _, write := range []func() error{
		func() error { return writeSessions(ctx, t, c) },
		func() error { return automations.Write(ctx, t, c) },
		func() error { return automations.WriteOccurrences(ctx, t, automation.Occurrences(c)) },
		func() error { return writeQueue(ctx, t, c) },
		func() error { return writeMessages(ctx, t, c) },
		func() error { return writeExecutions(ctx, t, c.Executions) },
		func() error { return writeApprovals(ctx, t, c.Approvals) },
		func() error { return outside.WriteTasks(ctx, t, c.Tasks) },
		func() error { return people.WritePasskeyUses(ctx, t, c.Passkeys) },
		func() error { return writeInbox(ctx, t, c) },
		func() error { writeHistories(t, c.Histories); return nil },
		func() error { return writeHeldAnswers(ctx, t, c) },
		func() error { return recount(ctx, t, c) },
		func() error { writeTransitions(t, c.Transitions); writeRoundtrips(t, c.Roundtrips); return nil },
		func() error { return s.writeEvents(ctx, t, c.Events) },
		func() error { return deleteSessions(ctx, t, c) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	if t.Created == "" {
		t.Created = createdID(c)
	}
	// Changes of a workspace that share a COMMIT are published in the order of their numbers.
	t.OnCommit(func() { s.db.Committed(c) })
	return nil
}

// createdID is the id of what a change created, for a client that repeats its request: the
// automation, else the session, else the message, else the data.
func createdID(c *domain.Change) string {
	for _, w := range automation.Writes(c) {
		if w.Insert {
			return w.Automation.ID
		}
	}
	for _, w := range c.Sessions {
		if w.Insert {
			return w.Session.ID
		}
	}
	for _, m := range c.Messages {
		if m.Sender == domain.SenderUser {
			return m.ID
		}
	}
	for _, e := range c.Events {
		if e.Change != nil {
			return e.Change.ID
		}
	}
	return ""
}

// errNoChange rolls back a transaction whose decision was to write nothing.
var errNoChange = errors.New("nothing to write")

// Decide reads a session's View and writes the change that decide returns, provided the workspace
// has not changed in between; nil writes nothing. With session "" the View has no session: it is
// for creating made. decide must not have external effects, because it may run more than once, each
// time on the current View: on a remote database first optimistically, without a lock, and after a
// conflict in one transaction under the workspace's lock.
func (s *Store) Decide(
	ctx context.Context, workspace, session string, made *domain.Session,
	decide func(context.Context, *domain.View) (*domain.Change, error),
) (*domain.Change, error) {
	if c, decided, err := s.decideUnlocked(ctx, workspace, session, decide); decided {
		return c, err
	}
	return s.decided(ctx, workspace, func(ctx context.Context, t *transaction.Tx) (*domain.Change, error) {
		of := viewOf{workspace: workspace, session: session, lock: s.db.Dialect.Lock, inbox: briefSQL}
		if made != nil {
			of.lane = func(w *domain.Workspace) (string, error) { return w.Settings.LaneOf(made.Type, made.Owner), nil }
		}
		v, err := s.view(sqldb.Unwatched(ctx), t, of)
		if err != nil {
			return nil, err
		}
		change, err := decide(ctx, v)
		if !v.InboxBrief || !errors.Is(err, domain.ErrInboxBrief) {
			return change, err
		}
		of.inbox = waitingSQL
		if v, err = s.view(sqldb.Unwatched(ctx), t, of); err != nil {
			return nil, err
		}
		return decide(ctx, v)
	})
}

// Act is Decide with the user's data in the same transaction: what act writes to the data is stored
// together with the change that it returns. If that is nil, the writes are rolled back.
func (s *Store) Act(
	ctx context.Context, workspace, session string, act func(context.Context, *domain.View, *Data) (*domain.Change, error),
) (*domain.Change, error) {
	return s.decided(ctx, workspace, func(ctx context.Context, t *transaction.Tx) (*domain.Change, error) {
		of := viewOf{workspace: workspace, session: session, lock: s.db.Dialect.Lock, inbox: waitingSQL}
		v, err := s.view(sqldb.Unwatched(ctx), t, of)
		if err != nil {
			return nil, err
		}
		return act(ctx, v, userdata.DataIn(t, workspace))
	})
}

// decided runs decide in a transaction and writes the change that it returns; nil writes nothing.
func (s *base) decided(ctx context.Context, workspace string, decide func(context.Context, *transaction.Tx) (*domain.Change, error)) (
	*domain.Change, error,
) {
	var c *domain.Change
	err := s.db.Write(ctx, workspace, func(t *transaction.Tx) (err error) {
		if c, err = decide(ctx, t); err != nil {
			return err
		}
		if c == nil {
			return errNoChange
		}
		return s.apply(sqldb.Unwatched(ctx), t, c)
	})
	if errors.Is(err, errNoChange) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// WriteData changes the user's data outside of a session. The changes that fn returns are written
// to the log in the same transaction. The result is the number of the last of these events, or of
// the workspace's latest event if fn returns none.
func (s *Store) WriteData(ctx context.Context, workspace string, fn func(context.Context, *Data) ([]domain.DataChange, error)) (
	int64, error,
) {
	var c *domain.Change
	var seq int64
	err := s.db.Write(ctx, workspace, func(t *transaction.Tx) error {
		w, err := transaction.WorkspaceIn(ctx, t, workspace, s.db.Dialect.Lock)
		if err != nil {
			return err
		}
		changes, err := fn(ctx, userdata.DataIn(t, workspace))
		if err != nil {
			return err
		}
		c, seq = &domain.Change{WorkspaceID: workspace, At: s.cfg.Clock()}, w.LastSeq
		for i := range changes {
			c.Emit(domain.LogEvent{Type: domain.LogDataChanged, Change: &changes[i]})
		}
		if len(changes) == 0 {
			return nil
		}
		if err := s.apply(ctx, t, c); err != nil {
			return err
		}
		seq = t.Seq
		return nil
	})
	if err != nil {
		return 0, err
	}
	return seq, nil
}
