package webhooks

import (
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Secrets seals what messages are signed with, each for its webhook.
type Secrets struct{ Keys *seal.Keys }

// Place is where the secrets of a webhook belong.
func Place(workspace, id string) seal.Place { return seal.Place{"webhook", workspace, id} }

func placeOf(h *domain.Webhook) seal.Place { return Place(h.WorkspaceID, h.ID) }

// make gives a webhook a new secret, and gives it back: it is shown once.
func (s Secrets) make(h *domain.Webhook) (string, error) {
	if !s.Keys.Any() {
		return "", domain.Invalid("/url", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it keeps no secrets to sign with. Set it (the same on all nodes). Nothing was changed.")
	}
	secret := auth.NewWebhookSecret()
	sealed, err := s.Keys.Seal(secret, placeOf(h))
	if err != nil {
		return "", err
	}
	h.Secret = sealed
	return secret, nil
}

// Keep seals what is needed to send to a webhook of another kind.
func (s Secrets) Keep(h *domain.Webhook, secret string) error {
	sealed, err := s.Keys.Seal(secret, placeOf(h))
	if err != nil {
		return err
	}
	h.Secret = sealed
	return nil
}

// Kept opens what Keep sealed.
func (s Secrets) Kept(h *domain.Webhook) (string, error) { return s.Keys.Open(h.Secret, placeOf(h)) }

// open gives the secrets that sign now, the newest first.
func (s Secrets) open(h *domain.Webhook, now time.Time) ([]string, error) {
	if h.Secret == "" && h.Kind == domain.WebhookMail {
		return nil, nil // an address of mail has none
	}
	secret, err := s.Keys.Open(h.Secret, placeOf(h))
	if err != nil {
		return nil, err
	}
	all := []string{secret}
	if h.OldSecret != "" && h.OldSecretUntil != nil && now.Before(*h.OldSecretUntil) {
		old, err := s.Keys.Open(h.OldSecret, placeOf(h))
		if err != nil {
			return nil, err
		}
		all = append(all, old)
	}
	return all, nil
}
