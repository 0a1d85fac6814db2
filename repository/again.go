package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// lastRoundStep is how many messages the first read of a record's end fetches; each further read
// fetches twice as many.
const lastRoundStep = 8

// LastRound returns the end of a session's record: every try at its last question, in order, and
// the message before them if there is one.
func (s *SessionStore) LastRound(ctx context.Context, workspace, session string) ([]*domain.Message, error) {
	return tailOf(ctx, s.db, "messages", workspace, session, 1<<62)
}

// ExecutionsOf lists the executions of some answers of a session, followed by those of the agents
// that they called, directly or indirectly.
func (s *RecordStore) ExecutionsOf(ctx context.Context, workspace, session string, answers []string) ([]*domain.Execution, error) {
	var all []*domain.Execution
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		all = nil
		for _, answer := range answers {
			of, err := executionsOf(ctx, r, workspace, session, answer)
			if err != nil {
				return err
			}
			all = append(all, of...)
		}
		of, err := executionsOfAgents(ctx, r, workspace, all)
		all = append(all, of...)
		return err
	})
	return all, err
}

// executionsOfAgents lists the executions of the agents that calls started, recursively.
func executionsOfAgents(ctx context.Context, r sqldb.Reader, workspace string, calls []*domain.Execution) ([]*domain.Execution, error) {
	var all []*domain.Execution
	for _, call := range calls {
		if !domain.CallsAgent(call.Command) {
			continue
		}
		var rows []executionRow
		err := r.All(ctx, &rows, "SELECT "+executionTable.Columns()+" FROM executions WHERE workspace_id = $1 AND session_id = $2 "+
			"ORDER BY created_at, position, id", workspace, domain.AgentSessionID(call.ID))
		if err != nil {
			return nil, fmt.Errorf("list the executions of an agent: %w", err)
		}
		own, err := transaction.Each(rows, (*executionRow).execution)
		if err != nil {
			return nil, err
		}
		called, err := executionsOfAgents(ctx, r, workspace, own) // at most two levels: an agent cannot call further
		if err != nil {
			return nil, err
		}
		all = append(append(all, own...), called...)
	}
	return all, nil
}
