package outside

import "time"

// Push is a browser that notifies its owner of what waits for a person: a webhook of the kind WebhookPush,
// with the fields its owner is shown.
type Push struct {
	Webhook
	// LastDeliveredAt is when its push service took something last, as far as that is kept.
	LastDeliveredAt *time.Time
}

// NewPush is a subscription from a browser, with its user.
type NewPush struct {
	WorkspaceID string
	Person      string // as recorded with what they do
	SignIn      string // the browser's; "" without one
	// Until is when the caller's credentials expire; nil if they do not. Unbound: that is unknown, and the
	// subscription does not end with them.
	Until                  *time.Time
	Unbound                bool
	Endpoint, P256dh, Auth string
	ExpiresAt              *time.Time // by the browser's own word
	Name, Language         string
}

const (
	// MaxPushes limits the subscribed browsers of one person in a workspace, MaxWorkspacePushes those of
	// all its people.
	MaxPushes          = 10
	MaxWorkspacePushes = 500
	// PushHolds is how long a subscription holds that is unbound.
	PushHolds = 30 * 24 * time.Hour
)

// Over reports whether a push subscription has ended.
func (h *Webhook) Over(now time.Time) bool { return h.HoldsUntil != nil && !now.Before(*h.HoldsUntil) }
