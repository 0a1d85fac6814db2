package automations

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// HooksSealedOtherwise lists the automations of all workspaces whose webhook secret's sealing does
// not begin with start, or whose hash is missing.
func (s *AutomationStore) HooksSealedOtherwise(ctx context.Context, start string) ([]*automation.Automation, error) {
	var rows []automationRow
	err := s.db.All(ctx, &rows, "SELECT "+automationTable.Columns()+" FROM automations WHERE hook_sealed <> '' AND (hook_hash = '' OR "+
		"substr(hook_sealed, 1, $1) <> $2) ORDER BY workspace_id, id", len(start), start)
	if err != nil {
		return nil, fmt.Errorf("list the webhooks sealed in another form: %w", err)
	}
	return transaction.Each(rows, (*automationRow).automation)
}

// ResealHook replaces the hash and the sealing of a's webhook secret, unless the automation was
// changed meanwhile.
func (s *AutomationStore) ResealHook(ctx context.Context, a *automation.Automation, hash, sealed string) error {
	return s.db.Configure(ctx, a.WorkspaceID, func(t *transaction.Tx) error {
		_, err := t.Write(
			ctx,
			"UPDATE automations SET hook_hash = $4, hook_sealed = $5 WHERE workspace_id = $1 AND id = $2 AND hook_sealed = $3",
			a.WorkspaceID,
			a.ID,
			a.HookSealed,
			hash,
			sealed,
		)
		return err
	})
}
