package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/explain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

const (
	// lastTransitions is how many of the latest transitions explain a session.
	lastTransitions = 10
	// namedAhead is how many of the sessions ahead in the queue are named.
	namedAhead = 10
)

// Standing returns what explains the state of a session, as of one instant.
func (s *SessionStore) Standing(ctx context.Context, workspace, session string) (*explain.Inputs, error) {
	st := &explain.Inputs{}
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		var err error
		if st.View, err = s.view(ctx, r, viewOf{workspace: workspace, session: session, inbox: briefSQL}); err != nil {
			return err
		}
		var rows []transitionRow
		err = r.All(ctx, &rows, "SELECT "+transitionTable.Columns()+" FROM transitions WHERE workspace_id = $1 AND session_id = $2 "+
			"ORDER BY number DESC LIMIT $3", workspace, session, lastTransitions)
		if err != nil {
			return fmt.Errorf("read the last transitions: %w", err)
		}
		if st.Last, err = transaction.Each(rows, (*transitionRow).transition); err != nil {
			return err
		}
		if st.Ahead, err = ahead(ctx, r, st.View); err != nil {
			return err
		}
		st.Answer, err = latestAnswer(ctx, r, st.View.Session)
		return err
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

// latestAnswer returns the AI's latest answer in a session, or nil if another one was chosen since.
func latestAnswer(ctx context.Context, r sqldb.Reader, s *domain.Session) (*domain.Message, error) {
	if s.State.AnswerID == "" {
		return nil, nil
	}
	m, err := messageIn(ctx, r, s.WorkspaceID, s.ID, s.State.AnswerID)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the latest answer: %w", err)
	case m.Superseded:
		return nil, nil
	}
	return m, nil
}

// ahead names the sessions ahead of this one in the queue: all of the queue if the session is not
// in it, because it would be added at the end.
func ahead(ctx context.Context, r sqldb.Reader, v *domain.View) ([]explain.SessionName, error) {
	position := v.Session.QueuePosition
	if len(v.Queue) == 0 || position == 1 {
		return nil, nil
	}
	var rows []struct {
		ID    string `db:"id"`
		Name  string `db:"name"`
		Type  string `db:"type"`
		Phase string `db:"phase"`
	}
	err := r.All(ctx, &rows, "SELECT s.id, s.name, s.type, s.phase FROM queue q CROSS JOIN sessions s WHERE s.workspace_id = q.workspace_id "+
		"AND s.id = q.session_id AND q.workspace_id = $1 AND q.lane = $2 ORDER BY q.number, q.session_id LIMIT $3",
		v.Workspace.ID, v.Lane, namedAhead)
	if err != nil {
		return nil, fmt.Errorf("name those ahead in the queue: %w", err)
	}
	var names []explain.SessionName
	for i, row := range rows {
		if position > 0 && i+1 >= position {
			break
		}
		names = append(names, explain.SessionName{
			ID: row.ID, Name: row.Name, Type: domain.SessionType(row.Type), Phase: domain.Phase(row.Phase), Position: i + 1,
		})
	}
	return names, nil
}
