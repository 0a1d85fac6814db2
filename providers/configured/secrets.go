package configured

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/seal"
)

// place is where a provider's key belongs: to one kind of API at one origin.
func place(p *domain.Provider, origin string) seal.Place {
	return seal.Place{"provider", p.WorkspaceID, p.ID, p.Kind, origin}
}

// PlaceOf is where the key of a stored provider belongs.
func (s *Service) PlaceOf(workspace, id, kindName string, config json.RawMessage) (seal.Place, error) {
	kind, _ := s.registry.Kind(kindName)
	origin, err := originOf(kind, config)
	if err != nil {
		return nil, err
	}
	return place(&domain.Provider{WorkspaceID: workspace, ID: id, Kind: kindName}, origin), nil
}

// sealKey encrypts the key that was entered for a provider.
func sealKey(keys *seal.Keys, secret string, p *domain.Provider, origin string) (string, error) {
	if !keys.Any() {
		return "", domain.Invalid(
			"/config/api_key",
			"no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it stores no provider keys. Set it (the same on all nodes), or name an environment variable in api_key_env.",
		)
	}
	return keys.Seal(secret, place(p, origin))
}

// openKey decrypts a provider's key for an origin, if it was entered for that one.
func openKey(keys *seal.Keys, p *domain.Provider, origin string) (string, error) {
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
			"The stored key of this provider was entered for another base URL or provider, and goes to no other. Enter the key again.")
	case err != nil:
		return "", domain.Errorf(domain.CodeProviderKey,
			"The key of this provider cannot be read: FERMATA_SECRET_KEY is missing or has changed. Enter the key again.")
	}
	return secret, nil
}

// OldSeals is what binding keys that were sealed before needs of the database.
type OldSeals interface {
	ProvidersSealedOtherwise(ctx context.Context, start string) ([]*domain.Provider, error)
	ResealProvider(ctx context.Context, p *domain.Provider, sealed string) error
}

// Reseal binds keys that were stored before to where they go now. A key that cannot be
// opened, or has no place to be bound to, is left as it is.
func (s *Service) Reseal(ctx context.Context, store OldSeals) error {
	old, err := store.ProvidersSealedOtherwise(ctx, seal.Version)
	if err != nil {
		return err
	}
	for _, p := range old {
		secret, err := s.keys.OpenFirst(p.SecretSealed, p.ID)
		if err != nil {
			continue // it was told at the start; entering the key again mends it
		}
		kind, _ := s.registry.Kind(p.Kind)
		origin, err := originOf(kind, p.Config)
		if err != nil {
			continue // no call can be made with such a config either
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

// mask shows of a secret what people need to recognise it.
func mask(secret string) string {
	if len(secret) < 12 {
		return "…"
	}
	return secret[:3] + "…" + secret[len(secret)-4:]
}

// isKey says whether a text can be sent as a key: in the header of a request.
func isKey(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
