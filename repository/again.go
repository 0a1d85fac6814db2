package repository

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// lastRoundStep is how many messages are read first of the end of a record; then twice as many,
// and so on.
const lastRoundStep = 8

// LastRound reads the end of a session's record: every try at its last question, in order,
// and a message more where there is one.
func (s *SessionStore) LastRound(ctx context.Context, workspace, session string) ([]*domain.Message, error) {
	return tailOf(ctx, s.db, "messages", workspace, session, 1<<62)
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
