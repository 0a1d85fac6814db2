package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// dueWorkSQL selects everything that is due in all workspaces in one query: $1 is now, $2 limits
// each list.
const dueWorkSQL = "SELECT 'session' AS kind, workspace_id, id, at FROM (SELECT workspace_id, id, wake_at AS at FROM sessions " +
	"WHERE wake_at <= $1 ORDER BY wake_at, workspace_id, id LIMIT $2) woken " +
	"UNION ALL SELECT 'automation', workspace_id, id, at FROM (SELECT workspace_id, id, next_at AS at FROM automations " +
	"WHERE next_at <= $1 ORDER BY next_at, workspace_id, id LIMIT $2) planned " +
	"UNION ALL SELECT 'task', workspace_id, id, at FROM (SELECT workspace_id, id, due_at AS at FROM tasks " +
	"WHERE due_at <= $1 ORDER BY due_at, workspace_id, id LIMIT $2) outside " +
	"UNION ALL SELECT 'next', '', '', at FROM (SELECT MIN(due_at) AS at FROM tasks WHERE due_at > $1) next_task WHERE at IS NOT NULL " +
	"UNION ALL SELECT 'next', '', '', at FROM (SELECT MIN(wake_at) AS at FROM sessions WHERE wake_at > $1) next_wake WHERE at IS NOT NULL " +
	"UNION ALL SELECT 'next', '', '', at FROM (SELECT MIN(next_at) AS at FROM automations WHERE next_at > $1) next_plan WHERE at IS NOT NULL"

// sweepSQL adds, by partial indexes, the waiting sessions and the watching automations, and the
// automations whose latest runs failed without being checked because the process died between the
// end of the run and the check. Of an automation's history it reads only the end.
var sweepSQL = dueWorkSQL +
	" UNION ALL SELECT 'waiting', workspace_id, '', 0 FROM (SELECT DISTINCT workspace_id FROM sessions WHERE " + hasSomethingToDo + ") waiting " +
	"UNION ALL SELECT 'due', workspace_id, automation_id, 0 FROM (SELECT DISTINCT workspace_id, automation_id FROM occurrences " +
	"WHERE state = 'DUE') due " +
	"UNION ALL SELECT 'watching', a.workspace_id, a.id, 0 FROM automations a JOIN workspaces w ON w.id = a.workspace_id " +
	"WHERE a.watches AND a.seen_seq < w.last_seq " +
	"UNION ALL SELECT 'failing', f.workspace_id, f.id, 0 FROM automations f WHERE f.enabled AND f.deleted_at IS NULL AND (SELECT COUNT(*) FROM (" +
	endsSQL("f.workspace_id", "f.id", "f.schedule_since", "$3") + ") ends " +
	"WHERE end_reason = 'ERROR' OR end_reason = 'TIMEOUT' OR end_reason = 'LIMIT_REACHED') = $3"

// DueWork returns what the scheduler has to do now, at most limit of each kind. A sweep includes
// waiting sessions and watching automations.
func (s *SlotStore) DueWork(ctx context.Context, now time.Time, limit int, sweep bool) (*automation.DueWork, error) {
	sql, args := dueWorkSQL, []any{sqldb.At(now), limit}
	if sweep {
		sql, args = sweepSQL, append(args, automation.FailuresToDisable)
	}
	var rows []struct {
		Kind        string      `db:"kind"`
		WorkspaceID string      `db:"workspace_id"`
		ID          string      `db:"id"`
		At          sqldb.Stamp `db:"at"`
	}
	if err := s.db.All(ctx, &rows, sql, args...); err != nil {
		return nil, fmt.Errorf("read the due work: %w", err)
	}
	a := &automation.DueWork{}
	waiting := map[string]bool{}
	for _, r := range rows {
		switch r.Kind {
		case "session":
			a.Sessions = append(a.Sessions, domain.SessionRef{WorkspaceID: r.WorkspaceID, SessionID: r.ID})
		case "automation":
			a.Automations = append(a.Automations, domain.AutomationRef{WorkspaceID: r.WorkspaceID, ID: r.ID})
		case "task":
			a.Tasks = append(a.Tasks, domain.TaskRef{WorkspaceID: r.WorkspaceID, ID: r.ID})
		case "failing":
			a.Failing = append(a.Failing, domain.AutomationRef{WorkspaceID: r.WorkspaceID, ID: r.ID})
		case "watching":
			a.Watching = append(a.Watching, domain.AutomationRef{WorkspaceID: r.WorkspaceID, ID: r.ID})
		case "due", "waiting":
			if r.Kind == "due" {
				a.Due = append(a.Due, domain.AutomationRef{WorkspaceID: r.WorkspaceID, ID: r.ID})
			}
			if !waiting[r.WorkspaceID] {
				waiting[r.WorkspaceID] = true
				a.Waiting = append(a.Waiting, r.WorkspaceID)
			}
		default:
			if a.Next.IsZero() || r.At.Before(a.Next) {
				a.Next = r.At.Time
			}
		}
	}
	return a, nil
}
