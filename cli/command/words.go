package command

import (
	"time"

	"github.com/fermata-dev/fermata/api"
)

// ClockTime formats a timestamp of the API for people.
func ClockTime(t api.Timestamp) string { return time.Time(t).Local().Format(time.DateTime) }

// OrNever is ClockTime, for a timestamp that may be missing.
func OrNever(t *api.Timestamp) string {
	if t == nil {
		return "never"
	}
	return ClockTime(*t)
}

// WebhookState shows whether deliveries succeed.
func WebhookState(h *api.Webhook) string {
	switch {
	case h.DisabledReason != nil:
		return "disabled (" + *h.DisabledReason + ")"
	case !h.Enabled:
		return "disabled"
	case h.FailingSince != nil:
		return "failing since " + ClockTime(*h.FailingSince)
	default:
		return "good"
	}
}
