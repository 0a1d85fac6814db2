package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// spentIn sums what counts towards the budgets that the session shares with others. It queries
// nothing if no budget is set. Days and months are those of the workspace's calendar.
func (s *base) spentIn(ctx context.Context, r sqldb.Reader, w *domain.Workspace, session *domain.Session) (domain.Spent, error) {
	limits := w.Settings.Limits
	daily := limits.Chat.MaxCostPerDay != nil || limits.Automation.MaxCostPerDay != nil
	monthly := limits.Chat.MaxCostPerMonth != nil || limits.Automation.MaxCostPerMonth != nil
	own := session != nil && session.AutomationID != "" && session.Budgets.MaxCostPerDay != nil
	var sum domain.Spent
	if !daily && !monthly && !own {
		return sum, nil
	}
	dates, err := calendar.Of(&w.Settings)
	if err != nil {
		return sum, err
	}
	year, month, day := dates.Day(s.cfg.Clock())
	today, thisMonth := dates.DayStart(year, month, day), dates.DayStart(year, month, 1)
	sum.Day = fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	sum.Month = sum.Day[:len("2006-01")]
	if daily {
		if sum.Today, err = spent(ctx, r, w.ID, today); err != nil {
			return sum, err
		}
	}
	if monthly {
		if sum.ThisMonth, err = spent(ctx, r, w.ID, thisMonth); err != nil {
			return sum, err
		}
	}
	if own {
		if sum.AutomationToday, err = spentByAutomation(ctx, r, w.ID, session.AutomationID, today); err != nil {
			return sum, err
		}
	}
	except := ""
	if session != nil {
		except = session.ID
	}
	sum.Reserved, err = reserved(ctx, r, w.ID, except)
	if s.reservedBeside != nil {
		sum.Reserved += s.reservedBeside(w.ID)
	}
	return sum, err
}

// ReserveBeside makes budgets include the maximum cost, in US dollars, of running calls that belong
// to no session. It must be called before the store is used.
func (s *base) ReserveBeside(reserved func(workspace string) float64) { s.reservedBeside = reserved }

// spent sums the cost of a workspace's calls since an instant, in US dollars.
func spent(ctx context.Context, r sqldb.Reader, workspace string, since time.Time) (float64, error) {
	return costOf(ctx, r, "roundtrips WHERE workspace_id = $1 AND ended_at >= $2", workspace, sqldb.At(since))
}

// spentByAutomation is spent for the runs of one automation, deleted ones included.
func spentByAutomation(ctx context.Context, r sqldb.Reader, workspace, automation string, since time.Time) (float64, error) {
	return costOf(ctx, r, "roundtrips WHERE workspace_id = $1 AND ended_at >= $2 AND automation_id = $3",
		workspace, sqldb.At(since), automation)
}

func costOf(ctx context.Context, r sqldb.Reader, from string, args ...any) (float64, error) {
	var sum float64
	err := r.Get(ctx, &sum, "SELECT CAST(COALESCE(SUM(cost), 0) AS DOUBLE PRECISION) FROM "+from, args...)
	if err != nil {
		return 0, fmt.Errorf("sum the costs: %w", err)
	}
	return sum, nil
}

// reserved sums the maximum costs of the running calls, except those of one session.
func reserved(ctx context.Context, r sqldb.Reader, workspace, except string) (float64, error) {
	var micros int64
	err := r.Get(ctx, &micros, "SELECT CAST(COALESCE(SUM(reserved_micros), 0) AS BIGINT) FROM sessions "+
		"WHERE workspace_id = $1 AND reserved_micros > 0 AND id <> $2", workspace, except)
	if err != nil {
		return 0, fmt.Errorf("sum the reserved costs: %w", err)
	}
	return float64(micros) / 1e6, nil
}

// checkSpent rejects a change whose decision relied on budget that was used since. The workspace's
// row is locked, so nothing can be spent concurrently.
func (s *base) checkSpent(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	if c.Spent == nil || len(c.Sessions) == 0 {
		return nil
	}
	row, err := transaction.WorkspaceIn(ctx, t, c.WorkspaceID, "")
	if err != nil {
		return err
	}
	w, err := row.Workspace(s.settings.of)
	if err != nil {
		return err
	}
	now, err := s.spentIn(ctx, t, w, c.Sessions[len(c.Sessions)-1].Session)
	if err != nil {
		return err
	}
	if !now.Same(*c.Spent) {
		return fmt.Errorf("another session has spent or reserved money: %w", domain.ErrStale)
	}
	return nil
}
