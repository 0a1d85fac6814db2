package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// lastRoundStep is how many messages are read at once of the end of a record.
const lastRoundStep = 50

// LastRound reads the end of a session's record: every try at its last question, in order,
// and a message more where there is one.
func (s *SessionStore) LastRound(ctx context.Context, workspace, session string) ([]*domain.Message, error) {
	var found []*domain.Message
	for before := int64(1 << 62); ; {
		var rows []messageRow
		err := s.db.All(ctx, &rows, "SELECT "+messageTable.Columns()+" FROM messages WHERE workspace_id = $1 AND session_id = $2 "+
			"AND seq < $3 ORDER BY seq DESC LIMIT $4", workspace, session, before, lastRoundStep)
		if err != nil {
			return nil, fmt.Errorf("read the last round: %w", err)
		}
		for i := range rows {
			m, err := rows[i].message()
			if err != nil {
				return nil, err
			}
			found = append([]*domain.Message{m}, found...)
			before = m.Seq
		}
		if len(rows) < lastRoundStep || len(domain.LastRound(found)) < len(found) {
			return found, nil
		}
	}
}

// ExecutionsOf reads what became of the commands of some answers of a session.
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
		return nil
	})
	return all, err
}
