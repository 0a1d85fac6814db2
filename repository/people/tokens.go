package people

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// maxTokens limits the tokens of one person that have not expired.
const maxTokens = 100

var errTooManyTokens = domain.Errorf(domain.CodeTooMany,
	"This person has %d tokens that have not expired. Use one of them, or revoke them: DELETE /v1/people/{id}/tokens.", maxTokens)

type tokenRow struct {
	WorkspaceID string      `db:"workspace_id"`
	Hash        string      `db:"hash"`
	PersonID    string      `db:"person_id"`
	KeyHash     string      `db:"key_hash"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	ExpiresAt   sqldb.Stamp `db:"expires_at"`
}

var tokenTable = sqldb.NewTable[tokenRow]("person_tokens")

// InsertToken stores a token, and deletes those of the workspace that have expired, a bounded number at a time.
func (s *PersonStore) InsertToken(ctx context.Context, token *people.Token) error {
	return s.db.WriteUnseen(ctx, token.WorkspaceID, func(t *transaction.Tx) error {
		now := sqldb.At(s.db.Clock())
		_, err := t.Write(ctx, "DELETE FROM person_tokens WHERE workspace_id = $1 AND hash IN (SELECT o.hash FROM person_tokens o "+
			"WHERE o.workspace_id = $1 AND o.expires_at <= $2 ORDER BY o.expires_at LIMIT $3)", token.WorkspaceID, now, transaction.MaxPruned)
		if err != nil {
			return err
		}
		var valid int
		err = t.Get(ctx, &valid, "SELECT COUNT(*) FROM person_tokens WHERE workspace_id = $1 AND person_id = $2 AND expires_at > $3",
			token.WorkspaceID, token.PersonID, now)
		if err != nil {
			return err
		}
		if valid >= maxTokens {
			return errTooManyTokens
		}
		_, err = t.Insert(ctx, tokenTable.Rows(tokenRow{
			WorkspaceID: token.WorkspaceID, Hash: token.Hash, PersonID: token.PersonID, KeyHash: token.KeyHash,
			CreatedAt: sqldb.At(token.CreatedAt), ExpiresAt: sqldb.At(token.ExpiresAt),
		}), "")
		return err
	})
}

// TokenByHash finds a token in any workspace. It may have expired.
func (s *PersonStore) TokenByHash(ctx context.Context, hash string) (*people.Token, error) {
	var row tokenRow
	err := s.db.Get(ctx, &row, "SELECT "+tokenTable.Columns()+" FROM person_tokens WHERE hash = $1", hash)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("token")
	}
	if err != nil {
		return nil, fmt.Errorf("look up the token: %w", err)
	}
	return &people.Token{
		WorkspaceID: row.WorkspaceID, Hash: row.Hash, PersonID: row.PersonID, KeyHash: row.KeyHash,
		CreatedAt: row.CreatedAt.Time, ExpiresAt: row.ExpiresAt.Time,
	}, nil
}

// RevokeTokens deletes all tokens of a person.
func (s *PersonStore) RevokeTokens(ctx context.Context, workspace, person string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		if _, err := personIn(ctx, t, workspace, person); err != nil {
			return err
		}
		_, err := t.Write(ctx, "DELETE FROM person_tokens WHERE workspace_id = $1 AND person_id = $2", workspace, person)
		return err
	})
}
