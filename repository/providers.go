package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type providerRow struct {
	WorkspaceID  string `db:"workspace_id"`
	ID           string `db:"id"`
	Name         string `db:"name"`
	Kind         string `db:"kind"`
	Config       string `db:"config"`
	SecretSealed string `db:"secret_sealed"`
	SecretMask   string `db:"secret_mask"`
	EnvGrant     string `db:"env_grant"`
	IsDefault    bool   `db:"is_default"`
	Version      int64  `db:"version"`
	CreatedAt    stamp  `db:"created_at"`
	UpdatedAt    stamp  `db:"updated_at"`
}

const providerColumns = "workspace_id, id, name, kind, config, secret_sealed, secret_mask, env_grant, is_default, version, created_at, updated_at"

func (r *providerRow) provider() (*domain.Provider, error) {
	return &domain.Provider{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Kind: r.Kind, Config: raw(r.Config), SecretSealed: r.SecretSealed,
		SecretMask: r.SecretMask, EnvGrant: r.EnvGrant, IsDefault: r.IsDefault, Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// Providers lists a workspace's configured providers, oldest first.
func (s *Store) Providers(ctx context.Context, workspace string) ([]*domain.Provider, error) {
	var rows []providerRow
	err := s.reads.all(ctx, &rows, "SELECT "+providerColumns+" FROM providers WHERE workspace_id = $1 ORDER BY created_at, id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list the providers: %w", err)
	}
	return each(rows, (*providerRow).provider)
}

// Provider reads one provider.
func (s *Store) Provider(ctx context.Context, workspace, id string) (*domain.Provider, error) {
	var row providerRow
	err := s.reads.get(ctx, &row, "SELECT "+providerColumns+" FROM providers WHERE workspace_id = $1 AND id = $2", workspace, id)
	if missing(err) {
		return nil, domain.NotFound("provider")
	}
	if err != nil {
		return nil, fmt.Errorf("read the provider: %w", err)
	}
	return row.provider()
}

// DefaultProvider is the one that sessions use that name none; nil when there is
// none.
func (s *Store) DefaultProvider(ctx context.Context, workspace string) (*domain.Provider, error) {
	var row providerRow
	err := s.reads.get(ctx, &row, "SELECT "+providerColumns+" FROM providers WHERE workspace_id = $1 AND is_default", workspace)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the default provider: %w", err)
	}
	return row.provider()
}

// InsertProvider stores a provider; a new default takes the place of the old one.
func (s *Store) InsertProvider(ctx context.Context, p *domain.Provider) error {
	version := max(p.Version, 1)
	err := s.configure(ctx, p.WorkspaceID, func(t *tx) error {
		t.created = p.ID
		if err := t.dethrone(ctx, p); err != nil {
			return err
		}
		_, err := t.exec(ctx, "INSERT INTO providers ("+providerColumns+") VALUES ("+placeholders(1, 12)+")",
			p.WorkspaceID, p.ID, p.Name, p.Kind, string(p.Config), p.SecretSealed, p.SecretMask, p.EnvGrant, p.IsDefault, version,
			stamp{p.CreatedAt}, stamp{p.UpdatedAt})
		return err
	})
	if err == nil {
		p.Version = version
	}
	return err
}

// UpdateProvider changes a provider on condition of its version, and bumps it.
func (s *Store) UpdateProvider(ctx context.Context, p *domain.Provider) error {
	err := s.configure(ctx, p.WorkspaceID, func(t *tx) error {
		if err := t.dethrone(ctx, p); err != nil {
			return err
		}
		n, err := t.exec(ctx, "UPDATE providers SET name = $4, kind = $5, config = $6, secret_sealed = $7, secret_mask = $8, "+
			"env_grant = $9, is_default = $10, updated_at = $11, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3",
			p.WorkspaceID, p.ID, p.Version, p.Name, p.Kind, string(p.Config), p.SecretSealed, p.SecretMask, p.EnvGrant, p.IsDefault, stamp{p.UpdatedAt})
		if err != nil || n == 1 {
			return err
		}
		return staleOrGone(ctx, t, "providers", "provider", p.WorkspaceID, p.ID)
	})
	if err == nil {
		p.Version++
	}
	return err
}

// dethrone makes room for a new default.
func (t *tx) dethrone(ctx context.Context, p *domain.Provider) error {
	if !p.IsDefault {
		return nil
	}
	_, err := t.exec(ctx, "UPDATE providers SET is_default = FALSE, version = version + 1 WHERE workspace_id = $1 AND is_default AND id <> $2",
		p.WorkspaceID, p.ID)
	return err
}

// DeleteProvider takes a provider away. Sessions that name it are told so when they
// call it.
func (s *Store) DeleteProvider(ctx context.Context, workspace, id string) error {
	return s.configure(ctx, workspace, func(t *tx) error {
		return t.must(ctx, 1, domain.NotFound("provider"), "DELETE FROM providers WHERE workspace_id = $1 AND id = $2", workspace, id)
	})
}

// staleOrGone says why a conditional update found no row.
func staleOrGone(ctx context.Context, r reader, table, noun, workspace, id string) error {
	live := ""
	if table != "providers" && table != "tool_types" {
		live = " AND deleted_at IS NULL"
	}
	var one int
	err := r.get(ctx, &one, "SELECT 1 FROM "+table+" WHERE workspace_id = $1 AND id = $2"+live, workspace, id)
	switch {
	case missing(err):
		return domain.NotFound(noun)
	case err != nil:
		return fmt.Errorf("look for the %s: %w", noun, err)
	}
	return domain.ErrStale
}
