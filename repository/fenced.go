package repository

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// workspaceStates caches the states of the workspaces as this process last wrote or read them. An entry
// may be stale, which a fenced write detects.
type workspaceStates struct {
	by cache.Map[string, transaction.State]
}

func (s *workspaceStates) of(workspace string) transaction.State {
	state, _ := s.by.Get(workspace) // the zero state is that of no workspace
	return state
}

// learn keeps the newer state. Of two changes with the same number the later call wins: one of them
// had no events.
func (s *workspaceStates) learn(workspace string, now transaction.State) {
	s.by.SetIf(workspace, now, func(known transaction.State) bool { return known.Seq <= now.Seq })
}

// fenced writes a change as one statement on the condition that the workspace's state is still
// seen, and reports whether it did. A change that cannot be written that way is not written.
func (s *base) fenced(ctx context.Context, c *domain.Change, seen transaction.State) (bool, error) {
	if !s.db.Fences() || seen.Change == "" || len(c.Events) == 0 {
		return false, nil
	}
	return s.db.WriteFenced(ctx, c.WorkspaceID, seen.Change, func(inner *sqldb.Tx) error {
		t := &transaction.Tx{Tx: inner, DB: s.db, Seen: seen}
		if err := s.apply(ctx, t, c, func() error { return s.checkSpent(ctx, t, c) }); err != nil {
			return err
		}
		return t.NoteApplied(ctx, c.WorkspaceID)
	})
}

// decideUnlocked decides on the result of one statement, without a lock, and writes the change if
// the workspace has not changed meanwhile. decided false means that everything must be repeated
// under the lock.
func (s *base) decideUnlocked(
	ctx context.Context, workspace, session string, decide func(context.Context, *domain.View) (*domain.Change, error),
) (c *domain.Change, decided bool, err error) {
	if !s.db.Fences() || session == "" {
		return nil, false, nil
	}
	// No transaction watches ctx here: the statement itself does.
	v, row, err := s.viewAndRow(ctx, s.db.Once(), viewOf{workspace: workspace, session: session, inbox: briefSQL})
	if err != nil {
		return nil, false, nil //nolint:nilerr // it needs more reads, or the lock gives a better error
	}
	// As of the instant of that statement, a rejection and a decision to write nothing are as valid
	// as under the lock.
	if c, err = decide(ctx, v); err != nil || c == nil {
		return nil, true, err
	}
	done, err := s.fenced(ctx, c, row.State())
	if err != nil {
		return nil, true, err
	}
	return c, done, nil
}
