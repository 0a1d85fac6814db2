package outside

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// SecretStore finds the encrypted secrets of providers, connectors and webhooks, and seals them
// again.
type SecretStore struct{ db *transaction.DB }

// NewSecretStore makes the store of encrypted secrets.
func NewSecretStore(db *transaction.DB) *SecretStore { return &SecretStore{db} }

// SealedWith counts the secrets by the first characters of their sealing, which identify the key.
func (s *SecretStore) SealedWith(ctx context.Context, characters int) (map[string]int, error) {
	var rows []struct {
		Start string `db:"start"`
		N     int    `db:"n"`
	}
	err := s.db.All(ctx, &rows, "SELECT start, COUNT(*) AS n FROM ("+
		"SELECT substr(secret_sealed, 1, $1) AS start FROM providers WHERE secret_sealed <> '' UNION ALL "+
		"SELECT substr(secret_sealed, 1, $1) FROM connectors WHERE secret_sealed <> '' UNION ALL "+
		"SELECT substr(sealed, 1, $1) FROM connector_grants UNION ALL "+
		"SELECT substr(hook_sealed, 1, $1) FROM automations WHERE hook_sealed <> '' UNION ALL "+
		"SELECT substr(secret_sealed, 1, $1) FROM webhooks WHERE secret_sealed <> '') sealed GROUP BY start", characters)
	if err != nil {
		return nil, fmt.Errorf("count the sealed secrets: %w", err)
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Start] = r.N
	}
	return counts, nil
}

// ProvidersSealedOtherwise lists the providers of all workspaces whose key's sealing does not begin
// with start.
func (s *SecretStore) ProvidersSealedOtherwise(ctx context.Context, start string) ([]*outside.Provider, error) {
	var rows []providerRow
	err := s.db.All(ctx, &rows, "SELECT "+providerTable.Columns()+" FROM providers WHERE secret_sealed <> '' "+
		"AND substr(secret_sealed, 1, $1) <> $2 "+
		"ORDER BY workspace_id, id", len(start), start)
	if err != nil {
		return nil, fmt.Errorf("list the keys sealed in another form: %w", err)
	}
	return transaction.Each(rows, (*providerRow).provider)
}

// ResealProvider replaces the sealing of p's key, unless the provider was changed meanwhile.
func (s *SecretStore) ResealProvider(ctx context.Context, p *outside.Provider, sealed string) error {
	return s.db.Configure(ctx, p.WorkspaceID, func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "UPDATE providers SET secret_sealed = $4 WHERE workspace_id = $1 AND id = $2 AND secret_sealed = $3",
			p.WorkspaceID, p.ID, p.SecretSealed, sealed)
		return err
	})
}
