package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type keyRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
	Name        string `db:"name"`
	Role        string `db:"role"`
	Prefix      string `db:"prefix"`
	Hash        string `db:"hash"`
	CreatedAt   stamp  `db:"created_at"`
	LastUsedAt  stamp  `db:"last_used_at"`
	RevokedAt   stamp  `db:"revoked_at"`
}

const keyColumns = "workspace_id, id, name, role, prefix, hash, created_at, last_used_at, revoked_at"

func (r *keyRow) key() (*domain.Key, error) {
	return &domain.Key{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Role: domain.Role(r.Role), Prefix: r.Prefix, Hash: r.Hash,
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.ptr(), RevokedAt: r.RevokedAt.ptr(),
	}, nil
}

// Keys lists a workspace's keys, oldest first, revoked ones too.
func (s *Store) Keys(ctx context.Context, workspace string) ([]*domain.Key, error) {
	var rows []keyRow
	err := s.reads.all(ctx, &rows, "SELECT "+keyColumns+" FROM keys WHERE workspace_id = $1 ORDER BY created_at, id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list the keys: %w", err)
	}
	return each(rows, (*keyRow).key)
}

// KeyByHash finds a key that is not revoked, of whatever workspace.
func (s *Store) KeyByHash(ctx context.Context, hash string) (*domain.Key, error) {
	var row keyRow
	err := s.reads.get(ctx, &row, "SELECT "+keyColumns+" FROM keys WHERE hash = $1 AND revoked_at IS NULL", hash)
	if missing(err) {
		return nil, domain.NotFound("key")
	}
	if err != nil {
		return nil, fmt.Errorf("look up the key: %w", err)
	}
	return row.key()
}

// AnyKey says whether any workspace has a key that is not revoked.
func (s *Store) AnyKey(ctx context.Context) (bool, error) {
	var n int
	if err := s.reads.get(ctx, &n, "SELECT COUNT(*) FROM keys WHERE revoked_at IS NULL"); err != nil {
		return false, fmt.Errorf("count the keys: %w", err)
	}
	return n > 0, nil
}

// InsertKey stores a key.
func (s *Store) InsertKey(ctx context.Context, k *domain.Key) error {
	return s.configure(ctx, k.WorkspaceID, func(t *tx) error {
		t.created = k.ID
		_, err := t.exec(ctx, "INSERT INTO keys ("+keyColumns+") VALUES ("+placeholders(1, 9)+")",
			k.WorkspaceID, k.ID, k.Name, string(k.Role), k.Prefix, k.Hash, stamp{k.CreatedAt}, stampOf(k.LastUsedAt), stampOf(k.RevokedAt))
		return err
	})
}

// RevokeKey makes a key worthless for ever. Revoking it again changes nothing.
func (s *Store) RevokeKey(ctx context.Context, workspace, id string) error {
	return s.configure(ctx, workspace, func(t *tx) error {
		return t.must(ctx, 1, domain.NotFound("key"),
			"UPDATE keys SET revoked_at = COALESCE(revoked_at, $3) WHERE workspace_id = $1 AND id = $2", workspace, id, stamp{s.cfg.Clock()})
	})
}

// configure writes what belongs to a workspace as a whole, one writer at a time.
func (s *Store) configure(ctx context.Context, workspace string, fn func(t *tx) error) error {
	_, err := s.write(ctx, workspace, func(t *tx) error {
		if _, err := workspaceIn(ctx, t, workspace, s.dialect.lock); err != nil {
			return err
		}
		return fn(t)
	})
	return err
}
