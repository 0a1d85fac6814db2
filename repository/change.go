package repository

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
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
	return s.write(ctx, c.WorkspaceID, func(t *tx) error {
		return t.apply(sqldb.Unwatched(ctx), c, func() error { return t.checkSpent(sqldb.Unwatched(ctx), c) })
	})
}

func (s *base) committed(c *domain.Change) {
	if s.cfg.Committed != nil {
		s.cfg.Committed(c)
	}
}

// apply writes a change in the order that all transactions share: the workspace, the sessions,
// their rows, the events, and deletions last. On an error the change is restored to what it was
// before. Conditions are checked under the workspace's lock, before anything is written.
func (t *tx) apply(ctx context.Context, c *domain.Change, conditions ...func() error) error {
	before := keepNumbers(c)
	t.OnFailure(func() { before.restore(c) })
	if err := t.number(ctx, c); err != nil {
		return err
	}
	for _, holds := range conditions {
		if err := holds(); err != nil {
			return err
		}
	}
	for _, write := range []func() error{
		func() error { return t.writeSessions(ctx, c) },
		func() error { return t.writeAutomations(ctx, c) },
		func() error { return t.writeOccurrences(ctx, c.Occurrences) },
		func() error { return t.writeQueue(ctx, c) },
		func() error { return t.writeMessages(ctx, c) },
		func() error { return t.writeExecutions(ctx, c.Executions) },
		func() error { return t.writeApprovals(ctx, c.Approvals) },
		func() error { return t.writeTasks(ctx, c.Tasks) },
		func() error { return writePasskeyUses(ctx, t, c.Passkeys) },
		func() error { return t.writeInbox(ctx, c) },
		func() error { t.writeHistories(c.Histories); return nil },
		func() error { return t.recount(ctx, c) },
		func() error { t.writeTransitions(c.Transitions); t.writeRoundtrips(c.Roundtrips); return nil },
		func() error { return t.writeEvents(ctx, c.Events) },
		func() error { return t.deleteSessions(ctx, c) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	if t.created == "" {
		t.created = createdID(c)
	}
	// Changes of a workspace that share a COMMIT are published in the order of their numbers.
	t.OnCommit(func() { t.store.committed(c) })
	return nil
}

// createdID is the id of what a change created, for a client that repeats its request: the
// automation, else the session, else the message, else the data.
func createdID(c *domain.Change) string {
	for _, w := range c.Automations {
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
// for creating one. decide must not have external effects, because it may run more than once, each
// time on the current View: on a remote database first optimistically, without a lock, and after a
// conflict in one transaction under the workspace's lock.
func (s *Store) Decide(ctx context.Context, workspace, session string, decide func(context.Context, *domain.View) (*domain.Change, error)) (
	*domain.Change, error,
) {
	if c, decided, err := s.decideUnlocked(ctx, workspace, session, decide); decided {
		return c, err
	}
	return s.decided(ctx, workspace, func(ctx context.Context, t *tx) (*domain.Change, error) {
		v, err := s.view(sqldb.Unwatched(ctx), t, workspace, session, s.db.Dialect.Lock, briefSQL)
		if err != nil {
			return nil, err
		}
		change, err := decide(ctx, v)
		if !v.InboxBrief || !errors.Is(err, domain.ErrInboxBrief) {
			return change, err
		}
		if v, err = s.view(sqldb.Unwatched(ctx), t, workspace, session, s.db.Dialect.Lock, waitingSQL); err != nil {
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
	return s.decided(ctx, workspace, func(ctx context.Context, t *tx) (*domain.Change, error) {
		v, err := s.view(sqldb.Unwatched(ctx), t, workspace, session, s.db.Dialect.Lock, waitingSQL)
		if err != nil {
			return nil, err
		}
		return act(ctx, v, t.data(workspace))
	})
}

// decided runs decide in a transaction and writes the change that it returns; nil writes nothing.
func (s *base) decided(ctx context.Context, workspace string, decide func(context.Context, *tx) (*domain.Change, error)) (
	*domain.Change, error,
) {
	var c *domain.Change
	err := s.write(ctx, workspace, func(t *tx) (err error) {
		if c, err = decide(ctx, t); err != nil {
			return err
		}
		if c == nil {
			return errNoChange
		}
		return t.apply(sqldb.Unwatched(ctx), c)
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
	err := s.write(ctx, workspace, func(t *tx) error {
		w, err := workspaceIn(ctx, t, workspace, s.db.Dialect.Lock)
		if err != nil {
			return err
		}
		changes, err := fn(ctx, t.data(workspace))
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
		if err := t.apply(ctx, c); err != nil {
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
