package outside

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// Sealed is an encrypted secret and where it belongs.
type Sealed struct {
	What        SealedWhat `db:"what"`
	WorkspaceID string     `db:"workspace_id"`
	ID          string     `db:"id"`
	Kind        string     `db:"kind"`   // of a provider or connector
	Config      string     `db:"config"` // of a provider or connector
	Origin      string     `db:"origin"` // of a sign-in
	Text        string     `db:"text"`
}

// SealedWhat is the kind of object that a secret belongs to.
type SealedWhat string

// The kinds of objects with secrets.
const (
	SealedProvider   SealedWhat = "provider key"
	SealedConnector  SealedWhat = "connector's secrets"
	SealedGrant      SealedWhat = "sign-in to a connector"
	SealedHook       SealedWhat = "automation's webhook URL"
	SealedWebhook    SealedWhat = "webhook's secret"
	SealedOldWebhook SealedWhat = "webhook's secret of before"
)

// sealedIn maps a kind to its table, id column and secret column.
var sealedIn = map[SealedWhat][3]string{
	SealedProvider: {"providers", "id", "secret_sealed"}, SealedConnector: {"connectors", "id", "secret_sealed"},
	SealedGrant: {"connector_grants", "connector_id", "sealed"}, SealedHook: {"automations", "id", "hook_sealed"},
	SealedWebhook: {"webhooks", "id", "secret_sealed"}, SealedOldWebhook: {"webhooks", "id", "old_secret_sealed"},
}

// SealedOtherwise lists the secrets of all workspaces whose sealing does not begin with start.
func (s *SecretStore) SealedOtherwise(ctx context.Context, start string) ([]Sealed, error) {
	var rows []Sealed
	err := s.db.All(ctx, &rows, "SELECT * FROM ("+
		"SELECT 'provider key' AS what, workspace_id, id, kind, config, '' AS origin, secret_sealed AS text FROM providers UNION ALL "+
		"SELECT 'connector''s secrets', workspace_id, id, kind, config, '', secret_sealed FROM connectors UNION ALL "+
		"SELECT 'sign-in to a connector', workspace_id, connector_id, '', '', origin, sealed FROM connector_grants UNION ALL "+
		"SELECT 'automation''s webhook URL', workspace_id, id, '', '', '', hook_sealed FROM automations UNION ALL "+
		"SELECT 'webhook''s secret', workspace_id, id, '', '', '', secret_sealed FROM webhooks UNION ALL "+
		"SELECT 'webhook''s secret of before', workspace_id, id, '', '', '', old_secret_sealed FROM webhooks) sealed "+
		"WHERE text <> '' AND substr(text, 1, $1) <> $2 ORDER BY workspace_id, what, id", len(start), start)
	if err != nil {
		return nil, fmt.Errorf("list the secrets with another sealing: %w", err)
	}
	return rows, nil
}

// ErrChangedMeanwhile is returned if a secret is no longer what was read.
var ErrChangedMeanwhile = fmt.Errorf("the secret was changed meanwhile: %w", domain.ErrStale)

// Reseal replaces a secret's sealing, if it is still what was read.
func (s *SecretStore) Reseal(ctx context.Context, of *Sealed, sealed string) error {
	at := sealedIn[of.What]
	return s.db.Configure(ctx, of.WorkspaceID, func(t *transaction.Tx) error {
		query := "UPDATE " + at[0] + " SET " + at[2] + " = $4 WHERE workspace_id = $1 AND " + at[1] + " = $2 AND " + at[2] + " = $3"
		return t.WriteOne(ctx, ErrChangedMeanwhile, query, of.WorkspaceID, of.ID, of.Text, sealed)
	})
}
