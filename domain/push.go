package domain

import "time"

// Push is a browser that its owner is told at, of what waits for a person: a webhook of the kind
// WebhookPush, with what its owner is shown of it.
type Push struct {
	Webhook
	// LastDeliveredAt is when its push service took something last, as far as that is kept.
	LastDeliveredAt *time.Time
}

// NewPush is a subscription as a browser gives it, and who is there with it.
type NewPush struct {
	WorkspaceID string
	Person      string // as recorded with what they do
	SignIn      string // the browser's; "" without one
	// Until is when what the caller came with ends by itself, nil if it does not. Unbound: nobody can
	// tell, and nothing takes the subscription along when it ends.
	Until                  *time.Time
	Unbound                bool
	Endpoint, P256dh, Auth string
	ExpiresAt              *time.Time // by the browser's own word
	Name, Language         string
}

const (
	// MaxPushes is how many browsers one person is told at in a workspace, MaxWorkspacePushes how
	// many all of its people are.
	MaxPushes          = 10
	MaxWorkspacePushes = 500
	// PushHolds is how long a subscription holds that is unbound.
	PushHolds = 30 * 24 * time.Hour
)

// Over says whether a push holds no more.
func (h *Webhook) Over(now time.Time) bool { return h.HoldsUntil != nil && !now.Before(*h.HoldsUntil) }
