package automations

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// giveHook gives an automation with a webhook trigger its secret, once.
func (s *Service) giveHook(a *automation.Automation) error {
	if a.Trigger(automation.TriggerWebhook) == nil || a.HookHash != "" {
		return nil
	}
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		panic("scheduler: no randomness: " + err.Error()) // crypto/rand never fails
	}
	token := hex.EncodeToString(secret[:])
	var err error
	a.HookHash = HookHash(token)
	a.HookSealed, err = s.SealHook(a.WorkspaceID, a.ID, token)
	return err
}

// HookHash is the stored form of a webhook's secret.
func HookHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// isHook reports whether a token is that of an automation's webhook.
func isHook(a *automation.Automation, token string) bool {
	return a.HookHash != "" && subtle.ConstantTimeCompare([]byte(a.HookHash), []byte(HookHash(token))) == 1
}

// RenewHook replaces the URL of the automation's webhook; the old one is invalid at once.
func (s *Service) RenewHook(ctx context.Context, workspace, id string) (*automation.Automation, int64, error) {
	return edited(s.edit(ctx, workspace, id, func(_ rules, v *automation.View, change *domain.Change) (*automation.Automation, error) {
		a := *v.Automation
		if a.Trigger(automation.TriggerWebhook) == nil {
			return nil, domain.Errorf(domain.CodeConflict, "The automation has no webhook trigger. Nothing was changed.")
		}
		a.HookHash, a.HookSealed, a.UpdatedAt = "", "", change.At
		return &a, s.giveHook(&a)
	}))
}
