package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/outside"
)

// SessionStore reads sessions and their messages.
type SessionStore struct{ *base }

// Session returns one session, with its position in the queue.
func (s *SessionStore) Session(ctx context.Context, workspace, id string) (*domain.Session, error) {
	return s.oneSession(ctx, workspace, "id = $2", id)
}

// SessionByExternalID returns the session with a client's own id.
func (s *SessionStore) SessionByExternalID(ctx context.Context, workspace, externalID string) (*domain.Session, error) {
	if externalID == "" {
		return nil, domain.NotFound("session")
	}
	return s.oneSession(ctx, workspace, "external_id = $2 AND external_id <> ''", externalID)
}

func (s *SessionStore) oneSession(ctx context.Context, workspace, where, key string) (*domain.Session, error) {
	var row sessionRow
	err := s.db.Get(ctx, &row, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND "+where, workspace, key)
	if sqldb.NotFound(err) {
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

// placeInQueue sets the positions of queued sessions.
func (s *SessionStore) placeInQueue(ctx context.Context, sessions []*domain.Session) error {
	queue, err := queueIn(ctx, s.db, domain.LaneRef{Workspace: sessions[0].WorkspaceID}, queueWhole)
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

// named adds the condition of a search in the name, or in the name and the messages.
func (s *SessionStore) named(q *sqldb.Query, f domain.SessionFilter) {
	pattern := "%" + escapeLike(f.Query) + "%"
	if !f.InMessages {
		q.Add(" AND LOWER(name) LIKE LOWER(?) ESCAPE '!'", pattern)
		return
	}
	q.Add(" AND (LOWER(name) LIKE LOWER(?) ESCAPE '!' OR EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = sessions.workspace_id "+
		"AND m.session_id = sessions.id AND m.sender IN ('USER', 'AI') AND "+s.db.Dialect.Said+"))", pattern, pattern)
}

// Sessions lists sessions, newest first. The second result is the cursor of the next page, "" at
// the end.
func (s *SessionStore) Sessions(ctx context.Context, workspace string, f domain.SessionFilter) ([]*domain.Session, string, error) {
	before, err := sqldb.ReadCursor(f.Cursor, domain.PrefixSession)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = ?", workspace)
	if f.Type != "" {
		q.Add(" AND type = ?", string(f.Type))
	}
	if f.Status != "" {
		q.Add(" AND status = ?", string(f.Status))
	}
	if f.AutomationID != "" {
		q.Add(" AND automation_id = ? AND automation_id <> ''", f.AutomationID)
	}
	if f.Owner != "" {
		q.Add(" AND owner = ? AND owner <> ''", f.Owner)
	}
	if f.Query != "" {
		s.named(q, f)
	}
	if f.Trigger != "" {
		q.Add(" AND trigger_kind = ?", f.Trigger)
	}
	if f.EndReason != "" {
		q.Add(" AND end_reason = ?", string(f.EndReason))
	}
	if !f.Since.IsZero() {
		q.Add(" AND created_at >= ?", sqldb.At(f.Since))
	}
	if !f.Until.IsZero() {
		q.Add(" AND created_at < ?", sqldb.At(f.Until))
	}
	if f.Cursor != "" {
		q.Add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, f.Limit,
		func(r *sessionRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the sessions: %w", err)
	}
	all, err := transaction.Each(rows, (*sessionRow).session)
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

// sessionExists returns the same error for an unknown session as for one of another workspace.
func sessionExists(ctx context.Context, r sqldb.Reader, workspace, id string) error {
	var one int
	err := r.Get(ctx, &one, "SELECT 1 FROM sessions WHERE workspace_id = $1 AND id = $2", workspace, id)
	if sqldb.NotFound(err) {
		return domain.NotFound("session")
	}
	if err != nil {
		return fmt.Errorf("look for the session: %w", err)
	}
	return nil
}

// hasSomethingToDo is the condition of sessions that want the slot and do not hold it: those marked
// so, and a CHAT at rest with a message in its inbox.
const hasSomethingToDo = "(wants_slot OR inbox_pending > 0) AND NOT holds_slot AND " +
	"(wants_slot OR (type = 'CHAT' AND phase = 'IDLE'))"

// escapeLike escapes the wildcards in user input.
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

// writeSessions writes the rows of the sessions in the given order, provided their versions are
// still those that were read.
func writeSessions(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	for _, w := range c.Sessions {
		row, err := sessionRowOf(w.Session)
		switch {
		case err != nil:
		case w.Insert:
			if _, err = t.Insert(ctx, sessionTable.Rows(row), ""); err == nil {
				err = writeFork(ctx, t, w.Session)
			}
		default:
			err = updateSession(ctx, t, &row, w.Claim, c.At)
		}
		if err != nil {
			return fmt.Errorf("write session %s: %w", w.Session.ID, err)
		}
	}
	return nil
}

func updateSession(ctx context.Context, t *transaction.Tx, row *sessionRow, claim bool, at time.Time) error {
	version, epoch := row.Version-1, row.RunEpoch
	if claim {
		epoch--
	}
	args := sessionTable.Updated(row, version, epoch)
	if t.Gathers() {
		t.UpdateLater(sessionUpdateLater, append(args, sqldb.At(at))...)
		return nil
	}
	n, err := t.Write(ctx, sessionUpdate, args...)
	if err != nil || n == 1 {
		return err
	}
	return t.WriteOne(ctx, domain.ErrStale, sessionUpdateSlot, append(args, sqldb.At(at))...)
}

// deleteSessions comes last: everything that belongs to the session is deleted with its row, except
// its events in the log and its costs.
func deleteSessions(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	for _, w := range c.Sessions {
		if !w.Delete {
			continue
		}
		if err := keepForForks(ctx, t, c.WorkspaceID, w.Session.ID); err != nil {
			return err
		}
		err := t.WriteOne(ctx, domain.ErrStale, "DELETE FROM sessions WHERE workspace_id = $1 AND id = $2", c.WorkspaceID, w.Session.ID)
		if err != nil {
			return fmt.Errorf("delete session %s: %w", w.Session.ID, err)
		}
		if err := dropKept(ctx, t, w.Session); err != nil {
			return err
		}
		if err := outside.DeleteTasksOf(ctx, t, w.Session); err != nil {
			return err
		}
		if err := countQueue(ctx, t, c.WorkspaceID); err != nil {
			return err
		}
	}
	return nil
}
