package automations

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/seal"
)

// HookSecrets encrypt the secrets in the URLs of automations' webhooks for storing, bound to their automation.
type HookSecrets struct{ Keys *seal.Keys }

// HookPlace is the place that the secret of an automation's webhook is bound to.
func HookPlace(workspace, automationID string) seal.Place {
	return seal.Place{"hook", workspace, automationID}
}

// Seal encrypts the secret of a webhook's URL.
func (h HookSecrets) Seal(workspace, automationID, token string) (string, error) {
	if !h.Keys.Any() {
		return "", domain.Invalid("/triggers", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it stores no webhook URLs. Set it (the same on all nodes). Nothing was changed.")
	}
	return h.Keys.Seal(token, HookPlace(workspace, automationID))
}

// Open decrypts it. On a server that never had a key it is stored unencrypted.
func (h HookSecrets) Open(a *automation.Automation) (string, error) {
	if !seal.IsSealed(a.HookSealed) {
		return a.HookSealed, nil
	}
	return h.Keys.Open(a.HookSealed, HookPlace(a.WorkspaceID, a.ID))
}

// oldHooks stores the secrets of older versions again.
type oldHooks interface {
	HooksSealedOtherwise(ctx context.Context, start string) ([]*automation.Automation, error)
	ResealHook(ctx context.Context, a *automation.Automation, hash, sealed string) error
}

// Reseal encrypts secrets that older versions stored unencrypted, and adds the hashes by which they are found.
func (h HookSecrets) Reseal(ctx context.Context, store oldHooks, log zerolog.Logger) error {
	old, err := store.HooksSealedOtherwise(ctx, seal.Version)
	if err != nil {
		return err
	}
	for _, a := range old {
		sealed := a.HookSealed
		if h.Keys.Any() {
			if sealed, err = h.Seal(a.WorkspaceID, a.ID, a.HookSealed); err != nil {
				return err
			}
		}
		if err := store.ResealHook(ctx, a, HookHash(a.HookSealed), sealed); err != nil {
			return err
		}
	}
	if len(old) > 0 && !h.Keys.Any() {
		log.Warn().
			Int("webhooks", len(old)).
			Msg("the secrets of webhooks are stored unencrypted: set FERMATA_SECRET_KEY, and the next start encrypts them")
	}
	return nil
}
