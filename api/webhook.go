package api

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// WebhookFrom is a webhook as clients see it. secret is only in the answer that made it.
func WebhookFrom(h *outside.Webhook, secret string) *Webhook {
	out := &Webhook{
		ID: h.ID, URL: h.URL, Types: h.Types, Enabled: h.Enabled, Links: h.Links, DisabledReason: textOrNull(string(h.DisabledReason)),
		FailingSince: timePtr(h.FailingSince), PausedUntil: timePtr(h.PausedUntil), SentTo: h.SentTo,
		OldSecretUntil: timePtr(h.OldSecretUntil), CreatedAt: Time(h.CreatedAt), UpdatedAt: Time(h.UpdatedAt),
	}
	if secret != "" {
		out.Secret = &secret
	}
	return out
}

// WebhookDeliveryFrom is what became of an event at a webhook.
func WebhookDeliveryFrom(d *outside.WebhookDelivery) *WebhookDelivery {
	out := &WebhookDelivery{
		Seq: d.Seq, SessionID: textOrNull(d.SessionID), State: d.State, Tries: d.Tries,
		At: Time(d.At), FirstAt: Time(d.FirstAt), LastAt: Time(d.LastAt), NextAt: timePtr(d.NextAt), Status: numberOrNull(d.Status),
		Detail: textOrNull(d.Detail), DurationMs: d.Took.Milliseconds(),
	}
	if d.Type != "" {
		out.Type = &d.Type
	}
	return out
}

// WebhookTestFrom converts the result of a test message to a webhook's address.
func WebhookTestFrom(t *outside.WebhookTest) *WebhookTest {
	return &WebhookTest{Ok: t.OK, Status: numberOrNull(t.Status), Detail: textOrNull(t.Detail), LatencyMs: t.Took.Milliseconds()}
}

// Domain returns the requested change.
func (in *WebhookPatch) Domain() outside.WebhookPatch {
	return outside.WebhookPatch{URL: in.URL, Types: LogTypesOf(in.Types), Enabled: in.Enabled, Links: in.Links}
}

// LogTypesOf converts names of event types; nil stays nil.
func LogTypesOf(names []string) []domain.LogType {
	if names == nil {
		return nil
	}
	out := make([]domain.LogType, len(names))
	for i, n := range names {
		out[i] = domain.LogType(n)
	}
	return out
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func numberOrNull(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
