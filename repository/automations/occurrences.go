package automations

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type occurrenceRow struct {
	WorkspaceID   string      `db:"workspace_id,key"`
	AutomationID  string      `db:"automation_id,key"`
	ScheduledAt   sqldb.Stamp `db:"scheduled_at,key"`
	Trigger       string      `db:"trigger_kind,once"`
	ID            string      `db:"id,once"` // the row's id, unaffected by the outcome
	State         string      `db:"state"`
	Reason        string      `db:"reason"`
	SessionID     string      `db:"session_id"`
	CoalescedInto sqldb.Stamp `db:"coalesced_into"`
	RecordedAt    sqldb.Stamp `db:"recorded_at"`
}

var (
	occurrenceTable  = sqldb.NewTable[occurrenceRow]("occurrences")
	occurrenceUpsert = occurrenceTable.Upsert("occurrences.state = 'DUE'")
)

func (r *occurrenceRow) occurrence() (*automation.Occurrence, error) {
	return &automation.Occurrence{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AutomationID: r.AutomationID, ScheduledAt: r.ScheduledAt.Time, Trigger: r.Trigger,
		State: automation.OccurrenceState(r.State), Reason: r.Reason, SessionID: r.SessionID,
		CoalescedInto: r.CoalescedInto.Ptr(), RecordedAt: r.RecordedAt.Time,
	}, nil
}

// WriteOccurrences records the outcomes of scheduled instants. Only a DUE occurrence can change: a
// decided one is final, so nothing fires twice.
func WriteOccurrences(ctx context.Context, t *transaction.Tx, occurrences []*automation.Occurrence) error {
	for _, o := range occurrences {
		n, err := t.Insert(ctx, occurrenceTable.Rows(occurrenceRow{
			WorkspaceID: o.WorkspaceID, AutomationID: o.AutomationID, ScheduledAt: sqldb.At(o.ScheduledAt),
			Trigger: cmp.Or(o.Trigger, domain.BySchedule), ID: o.ID, State: string(o.State), Reason: o.Reason, SessionID: o.SessionID,
			CoalescedInto: sqldb.AtPtr(o.CoalescedInto), RecordedAt: sqldb.At(o.RecordedAt),
		}), occurrenceUpsert)
		if err == nil && n != 1 {
			err = domain.ErrStale
		}
		if err != nil {
			return fmt.Errorf("record the occurrence of %s at %s: %w", o.AutomationID, o.ScheduledAt.Format(time.RFC3339), err)
		}
	}
	return nil
}

// Occurrences lists the scheduled instants and their outcomes, latest first.
func (s *AutomationStore) Occurrences(ctx context.Context, workspace string, f automation.OccurrenceFilter) (
	[]*automation.Occurrence, string, error,
) {
	before, err := sqldb.ReadCursor(f.Cursor, domain.PrefixOccurrence)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+occurrenceTable.Columns()+" FROM occurrences WHERE workspace_id = ?", workspace)
	if f.AutomationID != "" {
		q.Add(" AND automation_id = ?", f.AutomationID)
	}
	if len(f.States) > 0 {
		q.Add(" AND (state = ?", string(f.States[0]))
		for _, state := range f.States[1:] {
			q.Add(" OR state = ?", string(state))
		}
		q.Add(")")
	}
	if !f.Since.IsZero() {
		q.Add(" AND scheduled_at >= ?", sqldb.At(f.Since))
	}
	if !f.Until.IsZero() {
		q.Add(" AND scheduled_at < ?", sqldb.At(f.Until))
	}
	if f.Cursor != "" {
		q.Add(" AND (scheduled_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY scheduled_at DESC, id DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, f.Limit,
		func(r *occurrenceRow) sqldb.Cursor { return sqldb.TimeCursor(r.ScheduledAt, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the occurrences: %w", err)
	}
	all, err := transaction.Each(rows, (*occurrenceRow).occurrence)
	return all, next, err
}

// MaxDue limits how many DUE occurrences of an automation a decision reads: more than the misfire
// policy "all" ever leaves.
const MaxDue = 200

// DueIn lists the DUE occurrences of an automation, oldest first.
func DueIn(ctx context.Context, r sqldb.Reader, workspace, automationID string) ([]*automation.Occurrence, error) {
	var rows []occurrenceRow
	err := r.All(ctx, &rows, "SELECT "+occurrenceTable.Columns()+" FROM occurrences WHERE workspace_id = $1 AND automation_id = $2 "+
		"AND state = 'DUE' ORDER BY scheduled_at LIMIT $3", workspace, automationID, MaxDue)
	if err != nil {
		return nil, fmt.Errorf("read the due work: %w", err)
	}
	return transaction.Each(rows, (*occurrenceRow).occurrence)
}

// DueOccurrences lists the automations of a workspace that have a DUE occurrence, longest due
// first.
func (s *AutomationStore) DueOccurrences(ctx context.Context, workspace string) ([]domain.AutomationRef, error) {
	return s.automationRefs(ctx, "SELECT workspace_id, automation_id AS id FROM occurrences WHERE workspace_id = $1 AND state = 'DUE' "+
		"GROUP BY workspace_id, automation_id ORDER BY MIN(scheduled_at), automation_id", workspace)
}
