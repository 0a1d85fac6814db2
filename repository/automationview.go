package repository

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// DecideAutomation is Decide for an automation: it reads the view under the workspace's lock and
// writes the change that decide returns in the same transaction; nil writes nothing. With
// automation "" the view has no automation: it is for creating one.
func (s *Store) DecideAutomation(
	ctx context.Context, workspace, automationID string, decide func(context.Context, *automation.View) (*domain.Change, error),
) (*domain.Change, error) {
	return s.decided(ctx, workspace, func(ctx context.Context, t *transaction.Tx) (*domain.Change, error) {
		v, err := s.automationView(sqldb.Unwatched(ctx), t, workspace, automationID)
		if err != nil {
			return nil, err
		}
		return decide(ctx, v)
	})
}

func (s *base) automationView(ctx context.Context, r sqldb.Reader, workspace, automationID string) (*automation.View, error) {
	v := &automation.View{}
	base, err := s.view(ctx, r, viewOf{
		workspace: workspace, lock: s.db.Dialect.Lock, inbox: waitingSQL, lane: func(w *domain.Workspace) (lane string, err error) {
			if automationID == "" {
				return "", nil
			}
			if v.Automation, err = automations.AutomationIn(ctx, r, workspace, automationID); err != nil {
				return "", err
			}
			return w.Settings.LaneOf(domain.Run, v.Automation.LaneOwner()), nil
		},
	})
	if err != nil {
		return nil, err
	}
	if v.View = *base; automationID == "" {
		return v, nil
	}
	if v.Due, err = automations.DueIn(ctx, r, workspace, automationID); err != nil {
		return nil, err
	}
	var last sqldb.Stamp
	err = r.Get(ctx, &last, "SELECT MAX(scheduled_at) FROM occurrences WHERE workspace_id = $1 AND automation_id = $2 "+
		"AND scheduled_at > $3 AND trigger_kind <> 'EVENT'",
		workspace, automationID, sqldb.At(v.Automation.ScheduleSince))
	if err != nil {
		return nil, fmt.Errorf("read the history of occurrences: %w", err)
	}
	v.LastScheduled = last.Time
	if v.Grants, err = activeGrants(ctx, r, workspace, automationID, ""); err != nil {
		return nil, err
	}
	if err := runsOf(ctx, r, v); err != nil {
		return nil, err
	}
	v.BehindOwnRun = len(v.Unended) > 0
	v.Spent, err = s.spentIn(ctx, r, v.Workspace, &domain.Session{AutomationID: automationID, Budgets: v.Automation.Budgets})
	return v, err
}

// runsOf reads the automation's unfinished runs, the outcomes of the latest finished ones, and its
// SEED.
func runsOf(ctx context.Context, r sqldb.Reader, v *automation.View) error {
	ws, owner := v.Workspace.ID, v.Automation
	var rows []sessionRow
	err := r.All(ctx, &rows, "SELECT * FROM (SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 "+
		"AND automation_id = $2 AND type = 'AUTOMATION' "+
		"AND phase <> 'COMPLETED' ORDER BY created_at, id LIMIT $3) runs "+
		"UNION ALL SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND id = $4",
		ws, owner.ID, automations.MaxDue, owner.SeedSessionID)
	if err != nil {
		return fmt.Errorf("read the runs: %w", err)
	}
	all, err := transaction.Each(rows, (*sessionRow).session)
	if err != nil {
		return err
	}
	for _, session := range all {
		if session.Type == domain.Seed {
			v.SeedSession = session
		} else {
			v.Unended = append(v.Unended, session)
		}
	}
	slices.SortFunc(v.Unended, func(a, b *domain.Session) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	if v.Ends, err = endsOf(ctx, r, owner); err != nil {
		return err
	}
	if v.Seed, err = messagesIn(ctx, r, ws, owner.SeedSessionID); err != nil {
		return err
	}
	for _, m := range v.Seed {
		if m.Sender != domain.SenderUser {
			return fmt.Errorf("read the SEED of %s: message %s is not a user's", owner.ID, m.ID)
		}
	}
	return nil
}

// endsSQL selects the outcomes of an automation's latest runs since an instant, newest first. The
// redundant condition automation_id <> ” allows the partial index of sessions with an automation
// to be used.
func endsSQL(workspace, automationID, since, limit string) string {
	return strings.NewReplacer("$workspace", workspace, "$automation", automationID, "$since", since, "$limit", limit).Replace(
		"SELECT * FROM (SELECT end_reason, created_at AS at, id FROM sessions WHERE workspace_id = $workspace " +
			"AND automation_id = $automation AND automation_id <> '' AND type = 'AUTOMATION' AND phase = 'COMPLETED' " +
			"AND created_at > $since ORDER BY created_at DESC, id DESC LIMIT $limit) runs " +
			"UNION ALL SELECT * FROM (SELECT 'ERROR' AS end_reason, recorded_at AS at, id FROM occurrences WHERE workspace_id = $workspace " +
			"AND automation_id = $automation AND state = 'FAILED' AND recorded_at > $since ORDER BY recorded_at DESC, id DESC LIMIT $limit) failed " +
			"ORDER BY at DESC, id DESC LIMIT $limit")
}

// endsOf returns the outcomes of an automation's latest runs, newest first. An occurrence that
// could not be started counts as an error.
func endsOf(ctx context.Context, r sqldb.Reader, a *automation.Automation) ([]domain.EndReason, error) {
	var rows []struct {
		Reason string      `db:"end_reason"`
		At     sqldb.Stamp `db:"at"`
		ID     string      `db:"id"`
	}
	err := r.All(ctx, &rows, endsSQL("$1", "$2", "$3", "$4"),
		a.WorkspaceID, a.ID, sqldb.At(a.ScheduleSince), automation.FailuresToDisable)
	if err != nil {
		return nil, fmt.Errorf("read the outcomes of the runs: %w", err)
	}
	var ends []domain.EndReason
	for _, row := range rows {
		ends = append(ends, domain.EndReason(row.Reason))
	}
	return ends, nil
}

// activeGrants lists the grants of a run's automation that are not revoked, with their uses in this
// run.
func activeGrants(ctx context.Context, r sqldb.Reader, workspace, automationID, run string) ([]*domain.Grant, error) {
	all, err := automations.GrantsIn(ctx, r, workspace, automationID, run)
	if err != nil {
		return nil, err
	}
	var active []*domain.Grant
	for _, g := range all {
		if g.RevokedAt == nil {
			active = append(active, g)
		}
	}
	return active, nil
}
