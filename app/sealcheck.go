package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler"
)

// sealedSecrets is what looking at the secrets at rest needs of the database.
type sealedSecrets interface {
	SealedWith(ctx context.Context, characters int) (map[string]int, error)
	ProvidersSealedOtherwise(ctx context.Context, start string) ([]*domain.Provider, error)
	ResealProvider(ctx context.Context, p *domain.Provider, sealed string) error
	HooksSealedOtherwise(ctx context.Context, start string) ([]*domain.Automation, error)
	ResealHook(ctx context.Context, a *domain.Automation, hash, sealed string) error
}

// unreadable counts the stored secrets that no configured key opens, and all of them.
func (s *sealer) unreadable(ctx context.Context, store sealedSecrets) (unreadable, all int, err error) {
	counts, err := store.SealedWith(ctx, len(sealVersion)+sealKeyID)
	if err != nil {
		return 0, 0, err
	}
	for start, n := range counts {
		all += n
		id, ok := strings.CutPrefix(start, sealVersion)
		if ok && !slices.ContainsFunc(s.keys, func(k sealKey) bool { return k.id == id }) {
			unreadable += n
		}
	}
	first, err := store.ProvidersSealedOtherwise(ctx, sealVersion)
	if err != nil {
		return 0, 0, err
	}
	for _, p := range first {
		if _, err := s.openFirst(p.SecretSealed, p.ID); err != nil {
			unreadable++
		}
	}
	return unreadable, all, nil
}

// wrongKey says what to do about secrets that cannot be opened.
func (s *sealer) wrongKey(unreadable, all int) string {
	what := "FERMATA_SECRET_KEY is not the key that sealed"
	if !s.can() {
		what = "FERMATA_SECRET_KEY is missing; it sealed"
	}
	return fmt.Sprintf("%s %d of the %d stored secrets (provider keys and webhook URLs). Nothing was changed. Set that key again, or, after a new one, "+
		"list it behind the new one with a comma between. If it is lost: start with --accept-unreadable-secrets (FERMATA_ACCEPT_UNREADABLE_SECRETS=true), "+
		"enter the provider keys again and renew the webhook URLs", what, unreadable, all)
}

// prepareSecrets checks that what is stored can be read, then brings it into its present
// form.
func (a *App) prepareSecrets(ctx context.Context) error {
	if err := a.checkSecrets(ctx); err != nil {
		return err
	}
	return a.reseal(ctx)
}

// checkSecrets refuses to start with a key that does not open what is stored, before the
// first call finds out.
func (a *App) checkSecrets(ctx context.Context) error {
	unreadable, all, err := a.sealer.unreadable(ctx, a.store)
	if err != nil || unreadable == 0 {
		return err
	}
	if !a.flags.AcceptUnreadableSecrets {
		return errors.New(a.sealer.wrongKey(unreadable, all))
	}
	a.log.Warn().Int("unreadable", unreadable).Int("stored", all).Msg("stored secrets cannot be read: provider keys must be entered again, webhook URLs renewed")
	return nil
}

// reseal brings secrets that were stored before into their present form: a provider's
// key is bound to where it goes now, a webhook's secret is sealed and found by its hash.
func (a *App) reseal(ctx context.Context) error {
	old, err := a.store.ProvidersSealedOtherwise(ctx, sealVersion)
	if err != nil {
		return err
	}
	for _, p := range old {
		if err := a.resealProvider(ctx, p); err != nil {
			return err
		}
	}
	hooks, err := a.store.HooksSealedOtherwise(ctx, sealVersion)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		sealed := h.HookSealed
		if a.sealer.can() {
			if sealed, err = a.sealer.sealHook(h.WorkspaceID, h.ID, h.HookSealed); err != nil {
				return err
			}
		}
		if err := a.store.ResealHook(ctx, h, scheduler.HookHash(h.HookSealed), sealed); err != nil {
			return err
		}
	}
	if len(hooks) > 0 && !a.sealer.can() {
		a.log.Warn().Int("webhooks", len(hooks)).Msg("the secrets of webhooks lie in the database as they are: set FERMATA_SECRET_KEY, and the next start seals them")
	}
	return nil
}

// resealProvider leaves a key that cannot be opened, or has no place to be bound to.
func (a *App) resealProvider(ctx context.Context, p *domain.Provider) error {
	secret, err := a.sealer.openFirst(p.SecretSealed, p.ID)
	if err != nil {
		return nil //nolint:nilerr // it was told above; entering the key again mends it
	}
	kind, _ := a.registry.Kind(p.Kind)
	origin, err := originOf(kind, p.Config)
	if err != nil {
		return nil //nolint:nilerr // no call can be made with such a config either
	}
	sealed, err := a.sealer.sealProvider(secret, p, origin)
	if err != nil {
		return err
	}
	return a.store.ResealProvider(ctx, p, sealed)
}
