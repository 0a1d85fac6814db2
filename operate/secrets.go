package operate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/seal"
)

// sealedSecrets is the part of the database with encrypted secrets.
type sealedSecrets interface {
	SealedWith(ctx context.Context, characters int) (map[string]int, error)
	ProvidersSealedOtherwise(ctx context.Context, start string) ([]*outside.Provider, error)
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

// wrong explains how to recover from secrets that cannot be decrypted. missing: no key was configured.
func (k SecretKey) wrong(missing bool, unreadable, all int) string {
	what, fix := "FERMATA_SECRET_KEY is not the key that encrypted", "Set that key again"
	file := k.Database.KeyFile()
	switch {
	case k.inFile() && missing:
		what, fix = file+" is missing; its key encrypted", "Restore the file that belongs to this database, or set FERMATA_SECRET_KEY to its key"
	case k.inFile():
		what, fix = "the key in "+file+" is not the one that encrypted", "Restore the file that belongs to this database, or set FERMATA_SECRET_KEY to its key"
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

// Check fails the start with a key that does not decrypt the stored secrets; accept only warns. A key generated for this
// start, because the database was copied without its own, is removed again: it would be mistaken for the right one.
func (k SecretKey) Check(ctx context.Context, keys *seal.Keys, store sealedSecrets, generated, accept bool, log zerolog.Logger) error {
	lost, all, err := unreadable(ctx, keys, store)
	if err != nil || lost == 0 {
		return err
	}
	if !accept {
		refused := errors.New(k.wrong(generated || !keys.Any(), lost, all))
		if generated {
			return errors.Join(refused, os.Remove(k.Database.KeyFile()))
		}
		return refused
	}
	log.Warn().Int("unreadable", lost).Int("stored", all).
		Msg("stored secrets cannot be decrypted: provider keys must be entered again, webhook URLs renewed")
	return nil
}
