package configured

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/seal"
)

// place is the sealing context of a provider's key: its kind and origin.
func place(p *outside.Provider, origin string) seal.Place {
	return seal.Place{"provider", p.WorkspaceID, p.ID, p.Kind, origin}
}

// PlaceOf returns the sealing context of a stored provider's key.
func (s *Service) PlaceOf(workspace, id, kindName string, config json.RawMessage) (seal.Place, error) {
	kind, _ := s.registry.Kind(kindName)
	origin, err := originOf(kind, config)
	if err != nil {
		return nil, err
	}
	return place(&outside.Provider{WorkspaceID: workspace, ID: id, Kind: kindName}, origin), nil
}

// sealKey encrypts a key entered for a provider.
func sealKey(keys *seal.Keys, secret string, p *outside.Provider, origin string) (string, error) {
	if !keys.Any() {
		return "", domain.Invalid(
			"/config/api_key",
			"no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it cannot store provider keys. Set it (the same on all nodes), or name an environment variable in api_key_env.",
		)
	}
	return keys.Seal(secret, place(p, origin))
}

// openKey decrypts a provider's key if it was entered for this origin.
func openKey(keys *seal.Keys, p *outside.Provider, origin string) (string, error) {
	var secret string
	var err error
	if seal.IsSealed(p.SecretSealed) {
		secret, err = keys.Open(p.SecretSealed, place(p, origin))
	} else {
		secret, err = keys.OpenFirst(p.SecretSealed, p.ID)
	}
	switch {
	case errors.Is(err, seal.ErrOtherPlace):
		return "", domain.Errorf(domain.CodeProviderKey,
			"The stored key of this provider was entered for another base URL or provider, and is never sent elsewhere. Enter the key again.")
	case err != nil:
		return "", domain.Errorf(domain.CodeProviderKey,
			"The key of this provider cannot be decrypted: FERMATA_SECRET_KEY is missing or has changed. Enter the key again.")
	}
	return secret, nil
}

// OldSeals is the database access of Reseal.
type OldSeals interface {
	ProvidersSealedOtherwise(ctx context.Context, start string) ([]*outside.Provider, error)
	ResealProvider(ctx context.Context, p *outside.Provider, sealed string) error
}

// Reseal binds keys sealed by older versions to their current origin. A key that cannot be
// decrypted, or has no origin, is left unchanged.
func (s *Service) Reseal(ctx context.Context, store OldSeals) error {
	old, err := store.ProvidersSealedOtherwise(ctx, seal.Version)
	if err != nil {
		return err
	}
	for _, p := range old {
		secret, err := s.keys.OpenFirst(p.SecretSealed, p.ID)
		if err != nil {
			continue // reported at startup; the key has to be entered again
		}
		kind, _ := s.registry.Kind(p.Kind)
		origin, err := originOf(kind, p.Config)
		if err != nil {
			continue // such a config cannot be used for calls either
		}
		sealed, err := sealKey(s.keys, secret, p, origin)
		if err != nil {
			return err
		}
		if err := store.ResealProvider(ctx, p, sealed); err != nil {
			return err
		}
	}
	return nil
}

// mask returns the part of a secret that people can recognize it by.
func mask(secret string) string {
	if len(secret) < 12 {
		return "…"
	}
	return secret[:3] + "…" + secret[len(secret)-4:]
}

// isKey reports whether a text can be sent as a key in a request header.
func isKey(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
