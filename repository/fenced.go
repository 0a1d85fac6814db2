package repository

import (
	"context"
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// standing is how a workspace stood after a change: the change, the number of its last
// event, and how long the queue was. The three go together: whoever finds the change to
// be still the latest one knows the other two.
type standing struct {
	change string
	seq    int64
	queue  int64 // unknownQueue, if nobody counted
}

// unknownQueue is the length of a queue that was changed: what looks at it reads it.
const unknownQueue = -1

// standings remembers how the workspaces stood when this process last wrote or read
// them. It may be behind: then a fenced write finds that out.
type standings struct {
	mu sync.Mutex
	by map[string]standing
}

// maxStandings bounds the workspaces that are remembered; one too many forgets them all.
const maxStandings = 10_000

func (s *standings) of(workspace string) standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[workspace]
}

// learn keeps what is newer. Of two changes with the same number the later one to come
// counts: one of them had no events.
func (s *standings) learn(workspace string, now standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.by[workspace]
	if ok && known.seq > now.seq {
		return
	}
	if s.by == nil || !ok && len(s.by) >= maxStandings {
		s.by = map[string]standing{}
	}
	s.by[workspace] = now
}

// fenced writes a change as one statement on the condition that seen is still how its
// workspace stands, and says whether it did. What needs more than that is not written.
func (s *base) fenced(ctx context.Context, c *domain.Change, seen standing) (bool, error) {
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

// decideUnlocked decides on what one statement reads of a session, without a lock, and
// writes the change if nobody else has written to the workspace meanwhile. decided says
// that this is the end of it: false leaves everything to be done under the lock.
func (s *base) decideUnlocked(
	ctx context.Context, workspace, session string, decide func(context.Context, *domain.View) (*domain.Change, error),
) (c *domain.Change, decided bool, err error) {
	if !s.db.Fences() || session == "" {
		return nil, false, nil
	}
	// No transaction watches ctx here: the statement does it itself.
	v, row, err := s.viewAndRow(ctx, s.db.Once(), workspace, session, "", briefSQL)
	if err != nil {
		return nil, false, nil //nolint:nilerr // it needs more reading, or is told better under the lock
	}
	// As of the instant of that statement, a refusal and a decision to write nothing are
	// as right as under the lock.
	if c, err = decide(ctx, v); err != nil || c == nil {
		return nil, true, err
	}
	done, err := s.fenced(ctx, c, row.standing())
	if err != nil {
		return nil, true, err
	}
	return c, done, nil
}
