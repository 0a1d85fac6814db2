package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// ceiling limits the number of rows of a noun in a workspace: such lists are read whole by the
// prompt, the page and the scheduler, and any holder of a key could otherwise grow them until the
// disk is full. Deleted rows do not count.
type ceiling struct {
	most  int
	noun  string // plural
	query string
}

func newCeiling(most int, noun, from string) ceiling {
	return ceiling{most, noun, "SELECT count(*) FROM (SELECT 1 FROM " + from + " AND workspace_id = $1 LIMIT $2) AS few"}
}

var (
	zoneCeiling       = newCeiling(500, "zones", "zones WHERE deleted_at IS NULL")
	toolCeiling       = newCeiling(2000, "tools", "tools WHERE deleted_at IS NULL")
	toolTypeCeiling   = newCeiling(200, "tool types", "tool_types WHERE 1 = 1")
	documentCeiling   = newCeiling(1000, "documents", "documents WHERE deleted_at IS NULL")
	automationCeiling = newCeiling(500, "automations", "automations WHERE deleted_at IS NULL")
	keyCeiling        = newCeiling(500, "keys", "keys WHERE revoked_at IS NULL")
	signInCeiling     = newCeiling(10_000, "sign-ins", "sign_ins WHERE 1 = 1")
	passkeyCeiling    = newCeiling(10_000, "registrations of passkeys", "passkey_registrations WHERE 1 = 1")
	providerCeiling   = newCeiling(100, "providers", "providers WHERE 1 = 1")
	agentCeiling      = newCeiling(100, "agents", "agents WHERE 1 = 1")
	webhookCeiling    = newCeiling(outside.MaxWebhooks, "webhooks", "webhooks WHERE kind = 'http'")
	pushCeiling       = newCeiling(outside.MaxWorkspacePushes, "subscriptions to pushes", "webhooks WHERE kind = 'push'")
	connectorCeiling  = newCeiling(50, "connectors", "connectors WHERE 1 = 1")
)

// room returns an error if the workspace is at its limit. It must be called in the inserting
// transaction, under the workspace's lock.
func (c ceiling) room(ctx context.Context, r sqldb.Reader, workspace string) error {
	return c.roomFor(ctx, r, workspace, 1)
}

// roomFor is room for several more rows.
func (c ceiling) roomFor(ctx context.Context, r sqldb.Reader, workspace string, more int) error {
	var n int
	if err := r.Get(ctx, &n, c.query, workspace, c.most); err != nil {
		return fmt.Errorf("count the %s: %w", c.noun, err)
	}
	if n+more > c.most {
		return domain.Errorf(domain.CodeTooMany, "A workspace has at most %d %s. Nothing was stored: delete some that are not needed.", c.most, c.noun)
	}
	return nil
}

// rooms checks the limits of a workspace before anything is stored.
type rooms struct {
	r         sqldb.Reader
	workspace string
}

// RoomForAutomations returns an error if so many more automations would exceed the limit.
func (x rooms) RoomForAutomations(ctx context.Context, more int) error {
	return automationCeiling.roomFor(ctx, x.r, x.workspace, more)
}
