package outside

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var providerCeiling = transaction.Ceiling{Most: 100, Noun: "providers", From: "providers WHERE 1 = 1"}

// ProviderStore stores the configured providers.
type ProviderStore struct{ db *transaction.DB }

// NewProviderStore makes the store of providers.
func NewProviderStore(db *transaction.DB) *ProviderStore { return &ProviderStore{db} }

type providerRow struct {
	WorkspaceID  string      `db:"workspace_id,key"`
	ID           string      `db:"id,key"`
	Name         string      `db:"name"`
	Kind         string      `db:"kind"`
	Config       string      `db:"config"`
	SecretSealed string      `db:"secret_sealed"`
	SecretMask   string      `db:"secret_mask"`
	EnvGrant     string      `db:"env_grant"`
	IsDefault    bool        `db:"is_default"`
	Version      int64       `db:"version,version"`
	CreatedAt    sqldb.Stamp `db:"created_at,once"`
	UpdatedAt    sqldb.Stamp `db:"updated_at"`
}

var (
	providerTable  = sqldb.NewTable[providerRow]("providers")
	providerUpdate = providerTable.Update()
)

func providerRowOf(p *outside.Provider) providerRow {
	return providerRow{
		WorkspaceID: p.WorkspaceID, ID: p.ID, Name: p.Name, Kind: p.Kind, Config: string(p.Config), SecretSealed: p.SecretSealed,
		SecretMask: p.SecretMask, EnvGrant: p.EnvGrant, IsDefault: p.IsDefault, Version: p.Version,
		CreatedAt: sqldb.At(p.CreatedAt), UpdatedAt: sqldb.At(p.UpdatedAt),
	}
}

func (r *providerRow) provider() (*outside.Provider, error) {
	return &outside.Provider{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, Kind: r.Kind, Config: sqldb.RawJSON(r.Config), SecretSealed: r.SecretSealed,
		SecretMask: r.SecretMask, EnvGrant: r.EnvGrant, IsDefault: r.IsDefault,
		Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// Providers lists a workspace's configured providers, oldest first.
func (s *ProviderStore) Providers(ctx context.Context, workspace string) ([]*outside.Provider, error) {
	var rows []providerRow
	err := s.db.All(
		ctx,
		&rows,
		"SELECT "+providerTable.Columns()+" FROM providers WHERE workspace_id = $1 ORDER BY created_at, id",
		workspace,
	)
	if err != nil {
		return nil, fmt.Errorf("list the providers: %w", err)
	}
	return transaction.Each(rows, (*providerRow).provider)
}

// Provider returns one provider.
func (s *ProviderStore) Provider(ctx context.Context, workspace, id string) (*outside.Provider, error) {
	var row providerRow
	err := s.db.Get(ctx, &row, "SELECT "+providerTable.Columns()+" FROM providers WHERE workspace_id = $1 AND id = $2", workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("provider")
	}
	if err != nil {
		return nil, fmt.Errorf("read the provider: %w", err)
	}
	return row.provider()
}

// DefaultProvider returns the provider of sessions that name none, or nil if there is none.
func (s *ProviderStore) DefaultProvider(ctx context.Context, workspace string) (*outside.Provider, error) {
	var row providerRow
	err := s.db.Get(ctx, &row, "SELECT "+providerTable.Columns()+" FROM providers WHERE workspace_id = $1 AND is_default", workspace)
	if sqldb.NotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the default provider: %w", err)
	}
	return row.provider()
}

// InsertProvider stores a provider. A new default replaces the old one.
func (s *ProviderStore) InsertProvider(ctx context.Context, p *outside.Provider) error {
	row := providerRowOf(p)
	row.Version = max(p.Version, 1)
	err := s.db.Configure(ctx, p.WorkspaceID, func(t *transaction.Tx) error {
		if err := providerCeiling.Room(ctx, t, p.WorkspaceID); err != nil {
			return err
		}
		t.Created = p.ID
		if err := clearDefault(ctx, t, p); err != nil {
			return err
		}
		_, err := t.Insert(ctx, providerTable.Rows(row), "")
		return err
	})
	if err == nil {
		p.Version = row.Version
	}
	return err
}

// UpdateProvider updates a provider if its version matches, and increments the version.
func (s *ProviderStore) UpdateProvider(ctx context.Context, p *outside.Provider) error {
	err := s.db.Configure(ctx, p.WorkspaceID, func(t *transaction.Tx) error {
		if err := clearDefault(ctx, t, p); err != nil {
			return err
		}
		row := providerRowOf(p)
		n, err := t.Write(ctx, providerUpdate, providerTable.Updated(&row)...)
		if err != nil || n == 1 {
			return err
		}
		return transaction.StaleOrGone(ctx, t, "providers", "provider", p.WorkspaceID, p.ID)
	})
	if err == nil {
		p.Version++
	}
	return err
}

// clearDefault unsets the current default if the provider is to be the new one.
func clearDefault(ctx context.Context, t *transaction.Tx, p *outside.Provider) error {
	if !p.IsDefault {
		return nil
	}
	_, err := t.Write(ctx, "UPDATE providers SET is_default = FALSE, version = version + 1 WHERE workspace_id = $1 AND is_default "+
		"AND id <> $2",
		p.WorkspaceID, p.ID)
	return err
}

// DeleteProvider deletes a provider. Sessions that name it get an error when they call it.
func (s *ProviderStore) DeleteProvider(ctx context.Context, workspace, id string) error {
	return s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		return t.WriteOne(ctx, domain.NotFound("provider"), "DELETE FROM providers WHERE workspace_id = $1 AND id = $2", workspace, id)
	})
}
