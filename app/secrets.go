package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// sealedSecrets is the part of the database with encrypted secrets.
type sealedSecrets interface {
	SealedWith(ctx context.Context, characters int) (map[string]int, error)
	ProvidersSealedOtherwise(ctx context.Context, start string) ([]*domain.Provider, error)
}

// unreadable counts the stored secrets that no configured key decrypts, and all of them.
func unreadable(ctx context.Context, keys *seal.Keys, store sealedSecrets) (unreadable, all int, err error) {
	counts, err := store.SealedWith(ctx, seal.Head)
	if err != nil {
		return 0, 0, err
	}
	for head, n := range counts {
		all += n
		if !keys.Has(head) {
			unreadable += n
		}
	}
	first, err := store.ProvidersSealedOtherwise(ctx, seal.Version)
	if err != nil {
		return 0, 0, err
	}
	for _, p := range first {
		if _, err := keys.OpenFirst(p.SecretSealed, p.ID); err != nil {
			unreadable++
		}
	}
	return unreadable, all, nil
}

// wrongKey explains how to recover from secrets that cannot be decrypted. missing: no key was configured.
func (f *Config) wrongKey(missing bool, unreadable, all int) string {
	what, fix := "FERMATA_SECRET_KEY is not the key that encrypted", "Set that key again"
	ofFile := f.SecretKey == "" && f.DatabaseURL == ""
	switch {
	case ofFile && missing:
		what, fix = f.keyFile()+" is missing; its key encrypted", "Restore the file that belongs to this database, or set FERMATA_SECRET_KEY to its key"
	case ofFile:
		what, fix = "the key in "+f.keyFile()+" is not the one that encrypted", "Restore the file that belongs to this database, or set FERMATA_SECRET_KEY to its key"
	case missing:
		what = "FERMATA_SECRET_KEY is missing; it encrypted"
	}
	return fmt.Sprintf(
		"%s %d of %s (provider keys and webhook URLs). Nothing was changed. %s, or list it after a new one, separated by a comma. "+
			"If it is lost: start with --accept-unreadable-secrets (FERMATA_ACCEPT_UNREADABLE_SECRETS=true), "+
			"enter the provider keys again and renew the webhook URLs",
		what,
		unreadable,
		domain.Many(all, "stored secret"),
		fix,
	)
}

// checkSecrets fails the start with a key that does not decrypt the stored secrets. A key generated for
// this start, because the database was copied without its own, is removed again: it would be mistaken
// for the right one.
func (a *App) checkSecrets(ctx context.Context) error {
	lost, all, err := unreadable(ctx, a.keys, a.store.Secrets)
	if err != nil || lost == 0 {
		return err
	}
	if !a.flags.AcceptUnreadableSecrets {
		refused := errors.New(a.flags.wrongKey(a.newKey || !a.keys.Any(), lost, all))
		if a.newKey {
			return errors.Join(refused, os.Remove(a.flags.keyFile()))
		}
		return refused
	}
	a.log.Warn().Int("unreadable", lost).Int("stored", all).
		Msg("stored secrets cannot be decrypted: provider keys must be entered again, webhook URLs renewed")
	return nil
}

// reseal migrates secrets stored by older versions: a provider's key is now bound to its destination,
// and a webhook's secret is encrypted and looked up by its hash.
func (a *App) reseal(ctx context.Context) error {
	if err := a.providers.Reseal(ctx, a.store.Secrets); err != nil {
		return err
	}
	hooks, err := a.store.Secrets.HooksSealedOtherwise(ctx, seal.Version)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		sealed := h.HookSealed
		if a.keys.Any() {
			if sealed, err = a.sealHook(h.WorkspaceID, h.ID, h.HookSealed); err != nil {
				return err
			}
		}
		if err := a.store.Secrets.ResealHook(ctx, h, automations.HookHash(h.HookSealed), sealed); err != nil {
			return err
		}
	}
	if len(hooks) > 0 && !a.keys.Any() {
		a.log.Warn().
			Int("webhooks", len(hooks)).
			Msg("the secrets of webhooks are stored unencrypted: set FERMATA_SECRET_KEY, and the next start encrypts them")
	}
	return nil
}

func hookPlace(workspace, automation string) seal.Place {
	return seal.Place{"hook", workspace, automation}
}

// sealHook encrypts the secret of a webhook's URL.
func (a *App) sealHook(workspace, automation, token string) (string, error) {
	if !a.keys.Any() {
		return "", domain.Invalid("/triggers", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it stores no webhook URLs. Set it (the same on all nodes). Nothing was changed.")
	}
	return a.keys.Seal(token, hookPlace(workspace, automation))
}

// openHook decrypts it. On a server that never had a key it is stored unencrypted.
func (a *App) openHook(automation *domain.Automation) (string, error) {
	if !seal.IsSealed(automation.HookSealed) {
		return automation.HookSealed, nil
	}
	return a.keys.Open(automation.HookSealed, hookPlace(automation.WorkspaceID, automation.ID))
}
