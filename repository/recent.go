package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// RecentExecutions reads a session's executions that ended at since or later, oldest
// first: what the guard against repetition looks at.
func (s *RecordStore) RecentExecutions(ctx context.Context, workspace, session string, since time.Time) ([]*domain.Execution, error) {
	var rows []executionRow
	err := s.db.All(ctx, &rows, "SELECT "+executionTable.Columns()+" FROM executions "+
		"WHERE workspace_id = $1 AND session_id = $2 AND ended_at >= $3 ORDER BY ended_at, id", workspace, session, sqldb.At(since))
	if err != nil {
		return nil, fmt.Errorf("read the recent executions: %w", err)
	}
	return each(rows, (*executionRow).execution)
}
