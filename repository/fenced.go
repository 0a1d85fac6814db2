package repository

import (
	"context"
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// workspaceState is the state of a workspace after a change: the change, the number of its last event,
// and the length of the queue. The three belong together: if the change is still the latest one,
// the other two are current.
type workspaceState struct {
	change string
	seq    int64
	queue  int64 // unknownQueue if it was not counted
}

// unknownQueue is the length of a queue that was changed: it must be read when needed.
const unknownQueue = -1

// workspaceStates caches the states of the workspaces as this process last wrote or read them. An entry
// may be stale, which a fenced write detects.
type workspaceStates struct {
	mu sync.Mutex
	by map[string]workspaceState
}

// maxWorkspaceStates limits the cached workspaces; when it is exceeded the cache is cleared.
const maxWorkspaceStates = 10_000

func (s *workspaceStates) of(workspace string) workspaceState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[workspace]
}

// learn keeps the newer state. Of two changes with the same number the later call wins: one of them
// had no events.
func (s *workspaceStates) learn(workspace string, now workspaceState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.by[workspace]
	if ok && known.seq > now.seq {
		return
	}
	if s.by == nil || !ok && len(s.by) >= maxWorkspaceStates {
		s.by = map[string]workspaceState{}
	}
	s.by[workspace] = now
}

// fenced writes a change as one statement on the condition that the workspace's state is still
// seen, and reports whether it did. A change that cannot be written that way is not written.
func (s *base) fenced(ctx context.Context, c *domain.Change, seen workspaceState) (bool, error) {
	if !s.db.Fences() || seen.change == "" || len(c.Events) == 0 {
		return false, nil
	}
	return s.db.WriteFenced(ctx, c.WorkspaceID, seen.change, func(inner *sqldb.Tx) error {
		t := &tx{Tx: inner, store: s, seen: seen}
		if err := t.apply(ctx, c, func() error { return t.checkSpent(ctx, c) }); err != nil {
			return err
		}
		return t.noteApplied(ctx, c.WorkspaceID)
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
	v, row, err := s.viewAndRow(ctx, s.db.Once(), workspace, session, "", briefSQL)
	if err != nil {
		return nil, false, nil //nolint:nilerr // it needs more reads, or the lock gives a better error
	}
	// As of the instant of that statement, a rejection and a decision to write nothing are as valid
	// as under the lock.
	if c, err = decide(ctx, v); err != nil || c == nil {
		return nil, true, err
	}
	done, err := s.fenced(ctx, c, row.state())
	if err != nil {
		return nil, true, err
	}
	return c, done, nil
}
