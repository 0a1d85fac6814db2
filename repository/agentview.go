package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// agentsOf reads the agents that carry out calls of a session's latest answer, and the agents that
// these called. A session whose answer calls none costs no query.
func agentsOf(ctx context.Context, r sqldb.Reader, s *domain.Session, planned []*domain.Execution) ([]*domain.AgentView, error) {
	if !s.KeepsAgents() {
		return nil, nil
	}
	var ids []string
	for _, x := range planned {
		if domain.CallsAgent(x.Command) {
			ids = append(ids, domain.AgentSessionID(x.ID))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []sessionRow
	among, args := sqldb.InList(3, ids)
	err := r.All(ctx, &rows, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND parent_session_id = $2 "+
		"AND id "+among+" ORDER BY id", append([]any{s.WorkspaceID, s.ID}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read the agents of a session: %w", err)
	}
	agents := make([]*domain.AgentView, 0, len(rows))
	for i := range rows {
		a, err := agentOf(ctx, r, &rows[i])
		if err != nil {
			return nil, err
		}
		agents = append(agents, a)
	}
	return agents, nil
}

func agentOf(ctx context.Context, r sqldb.Reader, row *sessionRow) (*domain.AgentView, error) {
	s, err := row.session()
	if err != nil {
		return nil, err
	}
	a := &domain.AgentView{Session: s}
	if s.Phase == domain.Completed {
		return a, nil
	}
	if a.Open, a.CancelMessage, a.Planned, err = waitOf(ctx, r, s, row.OpenApprovals); err != nil {
		return nil, err
	}
	a.Agents, err = agentsOf(ctx, r, s, a.Planned)
	return a, err
}
