package repository

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/userdata"
)

// forkRow records that a session's record begins with the messages of another one, up to a number.
type forkRow struct {
	WorkspaceID string `db:"workspace_id"`
	SessionID   string `db:"session_id"`
	OriginID    string `db:"origin_id"`
	To          int64  `db:"to_seq"`
}

var forkTable = sqldb.NewTable[forkRow]("forks")

// writeFork records the parts that a new session begins with. The session forked from must still
// exist: then all of its parts do.
func writeFork(ctx context.Context, t *transaction.Tx, s *domain.Session) error {
	if s.Origin == nil {
		return nil
	}
	if err := sessionExists(ctx, t, s.WorkspaceID, s.Origin.SessionID); err != nil {
		return err
	}
	to := map[string]int64{}
	for _, part := range s.Origin.Parts {
		to[part.SessionID] = max(to[part.SessionID], part.To)
	}
	rows := make([]forkRow, 0, len(to))
	for _, part := range s.Origin.Parts {
		if last, ok := to[part.SessionID]; ok {
			rows = append(rows, forkRow{WorkspaceID: s.WorkspaceID, SessionID: s.ID, OriginID: part.SessionID, To: last})
			delete(to, part.SessionID)
		}
	}
	t.InsertLater(forkTable.Rows(rows...))
	return nil
}

// keepForForks preserves the messages of a deleted session that forks begin with.
func keepForForks(ctx context.Context, t *transaction.Tx, workspace, session string) error {
	var to *int64
	err := t.Get(ctx, &to, "SELECT MAX(to_seq) FROM forks WHERE workspace_id = $1 AND origin_id = $2", workspace, session)
	if err != nil {
		return fmt.Errorf("look for forks of a session: %w", err)
	}
	if to == nil {
		return nil
	}
	_, err = t.Write(ctx, "INSERT INTO kept_messages ("+messageTable.Columns()+") SELECT "+messageTable.Columns()+
		" FROM messages WHERE workspace_id = $1 AND session_id = $2 AND seq <= $3", workspace, session, *to)
	if err != nil {
		return fmt.Errorf("preserve the messages of forks: %w", err)
	}
	return userdata.KeepFileUses(ctx, t, workspace, session)
}

// dropKept deletes the messages that were preserved only for a fork that is now deleted.
func dropKept(ctx context.Context, t *transaction.Tx, s *domain.Session) error {
	var done []string
	for _, part := range s.Inherited() {
		if slices.Contains(done, part.SessionID) {
			continue
		}
		done = append(done, part.SessionID)
		_, err := t.Write(ctx, "DELETE FROM kept_messages WHERE workspace_id = $1 AND session_id = $2 AND NOT EXISTS "+
			"(SELECT 1 FROM forks f WHERE f.workspace_id = $1 AND f.origin_id = $2)", s.WorkspaceID, part.SessionID)
		if err != nil {
			return fmt.Errorf("delete the messages preserved for a fork: %w", err)
		}
	}
	return nil
}

// keptIn lists the tables that may hold the messages of a part: those of an existing session, and
// those of a session that was deleted since.
var keptIn = []string{"messages", "kept_messages"}

// Record returns a session's whole record, as the prompt uses it: the inherited parts, then its own
// messages.
func (s *SessionStore) Record(ctx context.Context, session *domain.Session) ([]*domain.Message, error) {
	own, err := s.Messages(ctx, session.WorkspaceID, session.ID, 0, 0)
	if err != nil || session.Origin == nil {
		return own, err
	}
	var all []*domain.Message
	err = s.db.Read(ctx, func(r sqldb.Reader) error {
		all = nil
		for _, part := range session.Origin.Parts {
			rows, err := partRows(ctx, r, session, part, " ORDER BY seq")
			if err != nil {
				return err
			}
			of, err := transaction.Each(rows, (*messageRow).message)
			if err != nil {
				return err
			}
			all = append(all, of...)
		}
		return nil
	})
	return append(all, own...), err
}

// partRows reads the messages of a part as messages of the fork.
func partRows(ctx context.Context, r sqldb.Reader, fork *domain.Session, part domain.RecordPart, order string) ([]messageRow, error) {
	for _, table := range keptIn {
		var rows []messageRow
		err := r.All(ctx, &rows, "SELECT "+messageTable.Columns()+" FROM "+table+
			" WHERE workspace_id = $1 AND session_id = $2 AND seq > $3 AND seq <= $4"+order, fork.WorkspaceID, part.SessionID, part.After, part.To)
		if err != nil {
			return nil, fmt.Errorf("read the parts of a fork: %w", err)
		}
		for i := range rows {
			rows[i].inherit(fork, part)
		}
		if len(rows) > 0 {
			return rows, nil
		}
	}
	return nil, nil
}

// inherit turns a message of a part into one of the fork.
func (r *messageRow) inherit(fork *domain.Session, part domain.RecordPart) {
	r.SessionID = fork.ID
	r.Superseded = r.Superseded && !part.Current
}

// ForkPoint returns what a fork at a message consists of. The message may itself be inherited.
func (s *SessionStore) ForkPoint(ctx context.Context, workspace, session, message string) (*branch.ForkPoint, error) {
	of, err := s.Session(ctx, workspace, session)
	if err != nil {
		return nil, err
	}
	p := &branch.ForkPoint{Session: of}
	whole := append(slices.Clone(of.Inherited()), domain.RecordPart{SessionID: session, To: 1 << 62})
	err = s.db.Read(ctx, func(r sqldb.Reader) error {
		for _, table := range keptIn {
			for _, part := range whole {
				var rows []messageRow
				err := r.All(ctx, &rows, "SELECT "+messageTable.Columns()+" FROM "+table+
					" WHERE workspace_id = $1 AND session_id = $2 AND id = $3", workspace, part.SessionID, message)
				if err != nil {
					return fmt.Errorf("look for the message: %w", err)
				}
				if len(rows) == 0 || rows[0].Seq != nil && !part.Has(*rows[0].Seq) {
					continue
				}
				if p.Message, err = rows[0].message(); err != nil || p.Message.Seq == 0 {
					return err
				}
				tail, err := tailOf(ctx, r, table, workspace, part.SessionID, p.Message.Seq)
				p.Round = branch.LastRound(tail)
				return err
			}
		}
		return domain.NotFound("message")
	})
	return p, err
}

// tailOf reads backwards from a message until the beginning of its round.
func tailOf(ctx context.Context, r sqldb.Reader, table, workspace, session string, to int64) ([]*domain.Message, error) {
	var found []*domain.Message
	for step := lastRoundStep; ; step *= 2 {
		var rows []messageRow
		err := r.All(ctx, &rows, "SELECT "+messageTable.Columns()+" FROM "+table+" WHERE workspace_id = $1 AND session_id = $2 "+
			"AND seq <= $3 ORDER BY seq DESC LIMIT $4", workspace, session, to, step)
		if err != nil {
			return nil, fmt.Errorf("read the last round: %w", err)
		}
		page, err := transaction.Each(rows, (*messageRow).message)
		if err != nil {
			return nil, err
		}
		slices.Reverse(page)
		found = append(page, found...)
		if len(rows) < step || len(branch.LastRound(found)) < len(found) {
			return found, nil
		}
		to = found[0].Seq - 1
	}
}
