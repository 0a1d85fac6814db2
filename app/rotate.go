package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository/outside"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// Rotate re-encrypts the stored secrets with the newest secret key.
type Rotate struct {
	Config          `embed:""`
	operate.Printed `embed:""`
}

// Run re-encrypts them with the parts of a server that is not started.
func (c *Rotate) Run(ctx context.Context, out io.Writer) (err error) {
	config := c.Config
	config.AcceptUnreadableSecrets = true // they are reported individually
	a, err := open(ctx, config.withDefaults())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.store.Close()) }()
	return (&operate.Rotation{Keys: a.keys, Secrets: a.store.Secrets, Place: a.placeOf}).Run(ctx, c.Printed, out)
}

// placeOf is the place that a stored secret is bound to.
func (a *App) placeOf(of *outside.Sealed) (seal.Place, error) {
	switch of.What {
	case outside.SealedProvider:
		return a.providers.PlaceOf(of.WorkspaceID, of.ID, of.Kind, json.RawMessage(of.Config))
	case outside.SealedConnector:
		return a.connectors.PlaceOf(of.WorkspaceID, of.ID, of.Kind, json.RawMessage(of.Config))
	case outside.SealedGrant:
		return connectors.GrantPlace(of.WorkspaceID, of.ID, of.Origin), nil
	case outside.SealedHook:
		return automations.HookPlace(of.WorkspaceID, of.ID), nil
	case outside.SealedWebhook, outside.SealedOldWebhook:
		return webhooks.Place(of.WorkspaceID, of.ID), nil
	}
	return nil, nil
}
