package repository

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

type occurrenceRow struct {
	WorkspaceID   string `db:"workspace_id"`
	AutomationID  string `db:"automation_id"`
	ScheduledAt   stamp  `db:"scheduled_at"`
	Trigger       string `db:"trigger_kind"`
	ID            string `db:"id"`
	State         string `db:"state"`
	Reason        string `db:"reason"`
	SessionID     string `db:"session_id"`
	CoalescedInto stamp  `db:"coalesced_into"`
	RecordedAt    stamp  `db:"recorded_at"`
}

const (
	occurrenceColumns = "workspace_id, automation_id, scheduled_at, trigger_kind, id, state, reason, session_id, coalesced_into, recorded_at"
	occurrenceWidth   = 10
	// The id stays: it is that of the row, whatever becomes of the instant.
	occurrenceUpsert = " ON CONFLICT (workspace_id, automation_id, scheduled_at) DO UPDATE SET state = excluded.state, " +
		"reason = excluded.reason, session_id = excluded.session_id, coalesced_into = excluded.coalesced_into, " +
		"recorded_at = excluded.recorded_at WHERE occurrences.state = 'DUE'"
)

func (r *occurrenceRow) occurrence() (*domain.Occurrence, error) {
	return &domain.Occurrence{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AutomationID: r.AutomationID, ScheduledAt: r.ScheduledAt.Time, Trigger: r.Trigger,
		State: domain.OccurrenceState(r.State), Reason: r.Reason, SessionID: r.SessionID,
		CoalescedInto: r.CoalescedInto.ptr(), RecordedAt: r.RecordedAt.Time,
	}, nil
}

// writeOccurrences records what became of scheduled instants. Only one that is DUE can
// change: what was decided stays, so nothing fires twice.
func (t *tx) writeOccurrences(ctx context.Context, occurrences []*domain.Occurrence) error {
	for _, o := range occurrences {
		err := t.must(ctx, 1, domain.ErrStale, t.store.texts.insert("occurrences", occurrenceColumns, 1, occurrenceUpsert),
			o.WorkspaceID, o.AutomationID, stamp{o.ScheduledAt}, cmp.Or(o.Trigger, domain.BySchedule), o.ID, string(o.State), o.Reason, o.SessionID,
			stampOf(o.CoalescedInto), stamp{o.RecordedAt})
		if err != nil {
			return fmt.Errorf("record the occurrence of %s at %s: %w", o.AutomationID, o.ScheduledAt.Format(time.RFC3339), err)
		}
	}
	return nil
}

// Occurrences lists what became of scheduled instants, the latest first.
func (s *Store) Occurrences(ctx context.Context, workspace string, f domain.OccurrenceFilter) ([]*domain.Occurrence, string, error) {
	before, err := readCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+occurrenceColumns+" FROM occurrences WHERE workspace_id = ?", workspace)
	if f.AutomationID != "" {
		q.add(" AND automation_id = ?", f.AutomationID)
	}
	if len(f.States) > 0 {
		q.add(" AND (state = ?", string(f.States[0]))
		for _, state := range f.States[1:] {
			q.add(" OR state = ?", string(state))
		}
		q.add(")")
	}
	if !f.Since.IsZero() {
		q.add(" AND scheduled_at >= ?", stamp{f.Since})
	}
	if !f.Until.IsZero() {
		q.add(" AND scheduled_at < ?", stamp{f.Until})
	}
	if f.Cursor != "" {
		q.add(" AND (scheduled_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.add(" ORDER BY scheduled_at DESC, id DESC")
	rows, next, err := turn(ctx, s.reads, q, f.Limit, func(r *occurrenceRow) cursorKey { return cursorKey{r.ScheduledAt.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the occurrences: %w", err)
	}
	all, err := each(rows, (*occurrenceRow).occurrence)
	return all, next, err
}

// maxDue bounds how many open occurrences of one automation a decision sees: more than
// the misfire policy "all" ever leaves open.
const maxDue = 200

// dueIn lists what is DUE of one automation, oldest first.
func dueIn(ctx context.Context, r reader, workspace, automation string) ([]*domain.Occurrence, error) {
	var rows []occurrenceRow
	err := r.all(ctx, &rows, "SELECT "+occurrenceColumns+" FROM occurrences WHERE workspace_id = $1 AND automation_id = $2 "+
		"AND state = 'DUE' ORDER BY scheduled_at LIMIT $3", workspace, automation, maxDue)
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	return each(rows, (*occurrenceRow).occurrence)
}

// DueOccurrences lists the automations of a workspace that have an occurrence DUE, the
// longest due first.
func (s *Store) DueOccurrences(ctx context.Context, workspace string) ([]domain.AutomationRef, error) {
	return s.orderRefs(ctx, "SELECT workspace_id, automation_id AS id FROM occurrences WHERE workspace_id = $1 AND state = 'DUE' "+
		"GROUP BY workspace_id, automation_id ORDER BY MIN(scheduled_at), automation_id", workspace)
}
