package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/repository"
)

// rotated is the result of re-encrypting the stored secrets.
type rotated struct {
	Resealed int      `json:"resealed"`
	Already  int      `json:"already"`
	Lost     []string `json:"unreadable,omitempty"`
}

// RotateSecret re-encrypts everything that an older key encrypted with the newest one, one secret at a
// time: if it is interrupted, the next call continues.
func RotateSecret(ctx context.Context, config Config, output string, out io.Writer) (err error) {
	config.AcceptUnreadableSecrets = true // they are reported individually
	a, err := open(ctx, config.withDefaults())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.store.Close()) }()
	if !a.keys.Any() {
		return errors.New("there is no secret key to encrypt with: set FERMATA_SECRET_KEY to the new key, a comma, and the old one")
	}
	done, err := (rotation{a}).run(ctx)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s re-encrypted, %s already encrypted with the newest key.",
		domain.Plural(done.Resealed, "secret was", "secrets were"), domain.Plural(done.Already, "was", "were"))
	if len(done.Lost) == 0 {
		text += " The older keys are no longer needed: remove them from FERMATA_SECRET_KEY on all nodes."
	}
	if err := (printed{output}).say(out, done, text); err != nil || len(done.Lost) == 0 {
		return err
	}
	return fmt.Errorf("no configured key decrypts %s: %v. Nothing was changed there. "+
		"List the key that encrypted them after the others, or enter them again", domain.Many(len(done.Lost), "secret"), done.Lost)
}

// rotation re-encrypts secrets with the parts of a server that is not started.
type rotation struct{ *App }

func (a rotation) run(ctx context.Context) (*rotated, error) {
	newest := a.keys.Head()
	all, err := a.store.Secrets.SealedWith(ctx, seal.Head)
	if err != nil {
		return nil, err
	}
	older, err := a.store.Secrets.SealedOtherwise(ctx, newest)
	if err != nil {
		return nil, err
	}
	done := &rotated{Already: all[newest]}
	for i := range older {
		of := &older[i]
		secret, at, err := a.opened(of)
		if err != nil {
			done.Lost = append(done.Lost, fmt.Sprintf("the %s of %s (workspace %s)", of.What, of.ID, of.WorkspaceID))
			continue
		}
		sealed, err := a.keys.Seal(secret, at)
		if err != nil {
			return nil, err
		}
		err = a.store.Secrets.Reseal(ctx, of, sealed)
		switch {
		case err == nil:
			done.Resealed++
		case !errors.Is(err, repository.ErrChangedMeanwhile): // the concurrent change encrypted it with the newest key
			return nil, err
		}
	}
	return done, nil
}

// opened is a decrypted secret and its location.
func (a rotation) opened(of *repository.Sealed) (secret string, at seal.Place, err error) {
	switch of.What {
	case repository.SealedProvider:
		at, err = a.providers.PlaceOf(of.WorkspaceID, of.ID, of.Kind, json.RawMessage(of.Config))
	case repository.SealedConnector:
		at, err = a.connectors.PlaceOf(of.WorkspaceID, of.ID, of.Kind, json.RawMessage(of.Config))
	case repository.SealedGrant:
		at = connectors.GrantPlace(of.WorkspaceID, of.ID, of.Origin)
	case repository.SealedHook:
		at = hookPlace(of.WorkspaceID, of.ID)
	case repository.SealedWebhook, repository.SealedOldWebhook:
		at = webhooks.Place(of.WorkspaceID, of.ID)
	}
	if err != nil {
		return "", nil, err
	}
	secret, err = a.keys.Open(of.Text, at)
	return secret, at, err
}
