package webhooks

import (
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Secrets seals the signing secrets of webhooks.
type Secrets struct{ Keys *seal.Keys }

// Place is the sealing context of a webhook's secrets.
func Place(workspace, id string) seal.Place { return seal.Place{"webhook", workspace, id} }

func placeOf(h *outside.Webhook) seal.Place { return Place(h.WorkspaceID, h.ID) }

// make generates a secret for a webhook and returns it. It is shown once.
func (s Secrets) make(h *outside.Webhook) (string, error) {
	if !s.Keys.Any() {
		return "", domain.Invalid("/url", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it cannot store signing secrets. Set it (the same on all nodes). Nothing was changed.")
	}
	secret := auth.NewWebhookSecret()
	sealed, err := s.Keys.Seal(secret, placeOf(h))
	if err != nil {
		return "", err
	}
	h.Secret = sealed
	return secret, nil
}

// Keep seals the credentials of a webhook of another kind.
func (s Secrets) Keep(h *outside.Webhook, secret string) error {
	sealed, err := s.Keys.Seal(secret, placeOf(h))
	if err != nil {
		return err
	}
	h.Secret = sealed
	return nil
}

// Kept decrypts what Keep sealed.
func (s Secrets) Kept(h *outside.Webhook) (string, error) { return s.Keys.Open(h.Secret, placeOf(h)) }

// open returns the current signing secrets, newest first.
func (s Secrets) open(h *outside.Webhook, now time.Time) ([]string, error) {
	if h.Secret == "" && h.Kind == outside.WebhookMail {
		return nil, nil // // email addresses have none
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
