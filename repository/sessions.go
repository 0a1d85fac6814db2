package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Session reads one session, with its position in the queue.
func (s *Store) Session(ctx context.Context, workspace, id string) (*domain.Session, error) {
	return s.oneSession(ctx, workspace, "id = $2", id)
}

// SessionByExternalID reads the session that a client named.
func (s *Store) SessionByExternalID(ctx context.Context, workspace, externalID string) (*domain.Session, error) {
	if externalID == "" {
		return nil, domain.NotFound("session")
	}
	return s.oneSession(ctx, workspace, "external_id = $2 AND external_id <> ''", externalID)
}

func (s *Store) oneSession(ctx context.Context, workspace, where, key string) (*domain.Session, error) {
	var row sessionRow
	err := s.reads.get(ctx, &row, "SELECT "+sessionColumns+" FROM sessions WHERE workspace_id = $1 AND "+where, workspace, key)
	if missing(err) {
		return nil, domain.NotFound("session")
	}
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	session, err := row.session()
	if err != nil || session.QueuedAt == nil {
		return session, err
	}
	return session, s.placeInQueue(ctx, []*domain.Session{session})
}

// placeInQueue fills the positions of queued sessions.
func (s *Store) placeInQueue(ctx context.Context, sessions []*domain.Session) error {
	queue, err := queueIn(ctx, s.reads, sessions[0].WorkspaceID, queueWhole)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		for _, q := range queue {
			if q.SessionID == session.ID {
				session.QueuePosition = q.Position
			}
		}
	}
	return nil
}

// Sessions lists sessions, newest first. The second result is the cursor of the next
// page, "" at the end.
func (s *Store) Sessions(ctx context.Context, workspace string, f domain.SessionFilter) ([]*domain.Session, string, error) {
	before, err := readCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+sessionColumns+" FROM sessions WHERE workspace_id = ?", workspace)
	if f.Type != "" {
		q.add(" AND type = ?", string(f.Type))
	}
	if f.Status != "" {
		q.add(" AND status = ?", string(f.Status))
	}
	if f.AutomationID != "" {
		q.add(" AND automation_id = ?", f.AutomationID)
	}
	if f.Query != "" {
		q.add(" AND LOWER(name) LIKE LOWER(?) ESCAPE '!'", "%"+escapeLike(f.Query)+"%")
	}
	if f.Trigger != "" {
		q.add(" AND trigger_kind = ?", f.Trigger)
	}
	if f.EndReason != "" {
		q.add(" AND end_reason = ?", string(f.EndReason))
	}
	if !f.Since.IsZero() {
		q.add(" AND created_at >= ?", stamp{f.Since})
	}
	if !f.Until.IsZero() {
		q.add(" AND created_at < ?", stamp{f.Until})
	}
	if f.Cursor != "" {
		q.add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := turn(ctx, s.reads, q, f.Limit, func(r *sessionRow) cursorKey { return cursorKey{r.CreatedAt.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the sessions: %w", err)
	}
	all, err := each(rows, (*sessionRow).session)
	if err != nil {
		return nil, "", err
	}
	for _, session := range all {
		if session.QueuedAt != nil {
			return all, next, s.placeInQueue(ctx, all)
		}
	}
	return all, next, nil
}

// sessionExists gives the same error for an unknown session as for one of another
// workspace.
func sessionExists(ctx context.Context, r reader, workspace, id string) error {
	var one int
	err := r.get(ctx, &one, "SELECT 1 FROM sessions WHERE workspace_id = $1 AND id = $2", workspace, id)
	if missing(err) {
		return domain.NotFound("session")
	}
	if err != nil {
		return fmt.Errorf("look for the session: %w", err)
	}
	return nil
}

// hasSomethingToDo is the condition of sessions that want the slot and do not hold
// it: those that say so, and a CHAT at rest for which a message waits.
const hasSomethingToDo = "(wants_slot OR inbox_pending > 0) AND NOT holds_slot AND " +
	"(wants_slot OR (type = 'CHAT' AND phase = 'IDLE'))"

// escapeLike takes the meaning from the wildcards in what a person typed.
func escapeLike(s string) string {
	var out []rune
	for _, r := range s {
		if r == '%' || r == '_' || r == '!' {
			out = append(out, '!')
		}
		out = append(out, r)
	}
	return string(out)
}

// writeSessions writes every session's row in the given order, on the condition that
// nobody else has since it was read.
func (t *tx) writeSessions(ctx context.Context, c *domain.Change) error {
	for _, w := range c.Sessions {
		args, err := sessionArgs(w.Session)
		if err != nil {
			return fmt.Errorf("write session %s: %w", w.Session.ID, err)
		}
		if w.Insert {
			err = t.insertSession(ctx, w.Session, args)
		} else {
			err = t.updateSession(ctx, w, c.At, args)
		}
		if err != nil {
			return fmt.Errorf("write session %s: %w", w.Session.ID, err)
		}
	}
	return nil
}

func (t *tx) updateSession(ctx context.Context, w domain.SessionWrite, at time.Time, args []any) error {
	version, epoch := w.Session.Version-1, w.Session.RunEpoch
	if w.Claim {
		epoch--
	}
	args = append([]any{w.Session.WorkspaceID, w.Session.ID, version, epoch}, args...)
	n, err := t.exec(ctx, sessionUpdate, args...)
	if err != nil || n == 1 {
		return err
	}
	return t.must(ctx, 1, domain.ErrStale, sessionUpdateSlot, append(args, stamp{at})...)
}

func (t *tx) insertSession(ctx context.Context, s *domain.Session, args []any) error {
	var since stamp
	if s.HoldsSlot {
		since = stamp{s.UpdatedAt}
	}
	args = append([]any{s.WorkspaceID, s.ID, stamp{s.CreatedAt}, since}, args...)
	_, err := t.exec(ctx, sessionInsert, args...)
	return err
}

// deleteSessions comes last: everything of the session goes with its row. What it
// said in the log and what it spent stay.
func (t *tx) deleteSessions(ctx context.Context, c *domain.Change) error {
	for _, w := range c.Sessions {
		if !w.Delete {
			continue
		}
		err := t.must(ctx, 1, domain.ErrStale, "DELETE FROM sessions WHERE workspace_id = $1 AND id = $2", c.WorkspaceID, w.Session.ID)
		if err != nil {
			return fmt.Errorf("delete session %s: %w", w.Session.ID, err)
		}
		if err := t.countQueue(ctx, c.WorkspaceID); err != nil {
			return err
		}
	}
	return nil
}
