package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// maxUnsettled limits how many unsettled actions are read: far more than people leave open.
const maxUnsettled = 10_000

// UnsettledCommands lists the ids of the external commands whose outcome is unknown.
func (s *RecordStore) UnsettledCommands(ctx context.Context, workspace string) ([]string, error) {
	var commands []string
	err := s.db.All(ctx, &commands, "SELECT DISTINCT command_id FROM executions "+
		"WHERE workspace_id = $1 AND status = 'UNKNOWN' LIMIT $2", workspace, maxUnsettled)
	if err != nil {
		return nil, fmt.Errorf("list the actions of unknown outcome: %w", err)
	}
	return commands, nil
}

// Execution returns one execution.
func (s *RecordStore) Execution(ctx context.Context, workspace, id string) (*domain.Execution, error) {
	var rows []executionRow
	err := s.db.All(ctx, &rows, "SELECT "+executionTable.Columns()+" FROM executions WHERE workspace_id = $1 AND id = $2", workspace, id)
	if err != nil {
		return nil, fmt.Errorf("read an execution: %w", err)
	}
	if len(rows) == 0 {
		return nil, domain.NotFound("execution")
	}
	return rows[0].execution()
}

// RecentExecutions lists a session's executions that ended at since or later, oldest first, for the
// guard against repetition.
func (s *RecordStore) RecentExecutions(ctx context.Context, workspace, session string, since time.Time) ([]*domain.Execution, error) {
	var rows []executionRow
	err := s.db.All(ctx, &rows, "SELECT "+executionTable.Columns()+" FROM executions "+
		"WHERE workspace_id = $1 AND session_id = $2 AND ended_at >= $3 ORDER BY ended_at, id", workspace, session, sqldb.At(since))
	if err != nil {
		return nil, fmt.Errorf("read the recent executions: %w", err)
	}
	return transaction.Each(rows, (*executionRow).execution)
}
