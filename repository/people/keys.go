package people

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/outside"
)

var keyCeiling = transaction.Ceiling{Most: 500, Noun: "keys", From: "keys WHERE revoked_at IS NULL"}

// KeyStore stores API keys and the tickets that were issued for them.
type KeyStore struct{ db *transaction.DB }

type keyRow struct {
	WorkspaceID string      `db:"workspace_id"`
	ID          string      `db:"id"`
	Name        string      `db:"name"`
	Role        string      `db:"role"`
	Prefix      string      `db:"prefix"`
	Hash        string      `db:"hash"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	ExpiresAt   sqldb.Stamp `db:"expires_at"`
	LastUsedAt  sqldb.Stamp `db:"last_used_at"`
	RevokedAt   sqldb.Stamp `db:"revoked_at"`
	ActsFor     string      `db:"acts_for"`
}

var keyTable = sqldb.NewTable[keyRow]("keys")

func keyRowOf(k *people.Key) keyRow {
	return keyRow{
		WorkspaceID: k.WorkspaceID, ID: k.ID, Name: k.Name, Role: string(k.Role), Prefix: k.Prefix, Hash: k.Hash,
		CreatedAt: sqldb.At(k.CreatedAt), ExpiresAt: sqldb.AtPtr(k.ExpiresAt), LastUsedAt: sqldb.AtPtr(k.LastUsedAt),
		RevokedAt: sqldb.AtPtr(k.RevokedAt), ActsFor: k.ActsFor,
	}
}

func (r *keyRow) key() (*people.Key, error) {
	return &people.Key{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Role: domain.Role(r.Role), Prefix: r.Prefix, Hash: r.Hash,
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Ptr(), LastUsedAt: r.LastUsedAt.Ptr(), RevokedAt: r.RevokedAt.Ptr(),
		ActsFor: r.ActsFor,
	}, nil
}

var keysQuery = "SELECT " + keyTable.Columns() + " FROM keys WHERE workspace_id = $1 ORDER BY created_at, id"

// Keys lists a workspace's keys, oldest first, revoked ones too.
func (s *KeyStore) Keys(ctx context.Context, workspace string) ([]*people.Key, error) {
	var rows []keyRow
	err := s.db.All(ctx, &rows, keysQuery, workspace)
	if err != nil {
		return nil, fmt.Errorf("list the keys: %w", err)
	}
	return transaction.Each(rows, (*keyRow).key)
}

// KeyByHash finds a key that is not revoked, in any workspace. The key may have expired.
func (s *KeyStore) KeyByHash(ctx context.Context, hash string) (*people.Key, error) {
	var row keyRow
	err := s.db.Get(ctx, &row, "SELECT "+keyTable.Columns()+" FROM keys WHERE hash = $1 AND revoked_at IS NULL", hash)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("key")
	}
	if err != nil {
		return nil, fmt.Errorf("look up the key: %w", err)
	}
	return row.key()
}

// anyKeyQuery is 1 if any key was ever created. Rows of revoked keys stay.
const anyKeyQuery = "SELECT COUNT(*) FROM (SELECT 1 FROM keys LIMIT 1) AS made"

// AnyKey reports whether any workspace ever had a key, revoked ones included. Once true, it stays
// true.
func (s *KeyStore) AnyKey(ctx context.Context) (bool, error) {
	var n int
	if err := s.db.Get(ctx, &n, anyKeyQuery); err != nil {
		return false, fmt.Errorf("look for keys: %w", err)
	}
	return n > 0, nil
}

// InsertKey stores a key. may decides within the transaction whether it may be created; first is
// true for the first key ever in any workspace. A nil may allows it.
func (s *KeyStore) InsertKey(ctx context.Context, k *people.Key, may func(first bool) error) error {
	return s.db.Configure(ctx, k.WorkspaceID, func(t *transaction.Tx) error {
		if may != nil {
			var n int
			if err := t.Get(ctx, &n, anyKeyQuery); err != nil {
				return err
			}
			if err := may(n == 0); err != nil {
				return err
			}
		}
		if err := keyCeiling.Room(ctx, t, k.WorkspaceID); err != nil {
			return err
		}
		t.Created = k.ID
		_, err := t.Insert(ctx, keyTable.Rows(keyRowOf(k)), "")
		return err
	})
}

// RevokeKey revokes a key permanently and deletes the push subscriptions that were created with it.
// Revoking it again changes nothing. may decides within the transaction, given all keys of the
// workspace, whether it may be revoked. A nil may allows it.
func (s *KeyStore) RevokeKey(ctx context.Context, workspace, id string, may func(all []*people.Key) error) error {
	return s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		if may != nil {
			var rows []keyRow
			if err := t.All(ctx, &rows, keysQuery, workspace); err != nil {
				return err
			}
			all, err := transaction.Each(rows, (*keyRow).key)
			if err != nil {
				return err
			}
			if err := may(all); err != nil {
				return err
			}
		}
		err := t.WriteOne(
			ctx,
			domain.NotFound("key"),
			"UPDATE keys SET revoked_at = COALESCE(revoked_at, $3) WHERE workspace_id = $1 AND id = $2",
			workspace,
			id,
			sqldb.At(s.db.Clock()),
		)
		if err != nil {
			return err
		}
		return outside.EndPushes(ctx, t, "workspace_id = $1 AND person = $2", workspace, id)
	})
}

// KeysUsed records when keys were used last; an older time never replaces a newer one. It locks
// only the keys' own rows.
func (s *KeyStore) KeysUsed(ctx context.Context, uses []people.KeyUse) error {
	err := s.db.Write(ctx, "", func(t *transaction.Tx) error {
		for _, u := range uses {
			_, err := t.Write(ctx, "UPDATE keys SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2 AND (last_used_at IS NULL "+
				"OR last_used_at < $3)",
				u.WorkspaceID, u.KeyID, sqldb.At(u.At))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write when keys were used: %w", err)
	}
	return nil
}
