package webhooks

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// send waits for a request slot, sends one event, and reports the attempt. cut is true if the
// request was aborted by this process; its outcome is then unknown.
func (l *Loop) send(h *outside.Webhook, secrets []string, e *domain.LogEvent, try int) (o outcome, cut bool) {
	select {
	case l.all <- struct{}{}:
		defer func() { <-l.all }()
	case <-l.life.Done():
		return outcome{}, true
	}
	o = l.carry(h, secrets, e)
	if !o.delivered() && l.wire.Err() != nil {
		return o, true
	}
	if o.result == Held {
		return o, false
	}
	l.cfg.Tried(o.result)
	l.cfg.Log.Info().Str("workspace", h.WorkspaceID).Str("webhook", h.ID).Int64("seq", e.Seq).Str("type", string(e.Type)).
		Int("try", try).Str("outcome", string(o.result)).Int("status", o.status).Str("detail", o.detail).
		Int64("duration_ms", o.took.Milliseconds()).Msg("webhook")
	return o, false
}

// carry sends an event with the carrier of its kind.
func (l *Loop) carry(h *outside.Webhook, secrets []string, e *domain.LogEvent) outcome {
	id := messageID(h.ID, e.Seq)
	if carrier := l.cfg.Carriers[h.Kind]; carrier != nil {
		began, secret := l.cfg.Clock(), ""
		if len(secrets) > 0 {
			secret = secrets[0]
		}
		came := carrier.Carry(l.wire, h, secret, id, e)
		return outcome{
			result: came.Result, status: came.Status, detail: came.Detail, retryAfter: came.RetryAfter, heldUntil: came.HeldUntil,
			at: began, took: l.cfg.Clock().Sub(began),
		}
	}
	link := ""
	if h.Links && l.cfg.Link != nil && e.Type == domain.LogApprovalRequested {
		var err error
		if link, err = l.cfg.Link(l.wire, e, h.ID); err != nil {
			l.cfg.Log.Warn().Err(err).Str("webhook", h.ID).Int64("seq", e.Seq).Msg("could not create a link for a webhook")
			return outcome{result: Unreachable, detail: "its link could not be created", at: l.cfg.Clock()}
		}
	}
	return l.sender.send(l.wire, h, secrets, id, e, link)
}

// noteWaiting records the time of the oldest undelivered event of a webhook.
func (l *Loop) noteWaiting(w *worker, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.waiting = since
}

// Oldest returns the age of the oldest undelivered event of this process, or 0.
func (l *Loop) Oldest() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var oldest time.Duration
	now := l.cfg.Clock()
	for _, w := range l.workers {
		if !w.waiting.IsZero() {
			oldest = max(oldest, now.Sub(w.waiting))
		}
	}
	return oldest
}

// notice returns the notice for people when a webhook is disabled, or none for a browser that is
// gone.
func (l *Loop) notice(ctx context.Context, h *outside.Webhook, reason outside.WebhookReason) (domain.Notice, error) {
	if h.Kind == outside.WebhookPush {
		return domain.Notice{}, nil
	}
	w, err := l.cfg.Workspaces.Workspace(ctx, h.WorkspaceID)
	if err != nil {
		return domain.Notice{}, err
	}
	text := domain.Say("The webhook %s was disabled: nothing was delivered for three days. Check its deliveries, fix the cause, "+
		"enable it again, and use replay to send the missed events.",
		"Le webhook %s a été désactivé : depuis trois jours, rien n’y arrive. Regardez ses envois, corrigez la cause, réactivez-le, "+
			"puis faites renvoyer ce qui a manqué.", h.ID)
	if reason == outside.WebhookGone {
		text = domain.Say("The webhook %s was disabled: its receiver responded that it is permanently gone (410).",
			"Le webhook %s a été désactivé : son destinataire a répondu qu’il n’existe plus (410).", h.ID)
	}
	return *domain.NoticeOf("error", "webhook_disabled", text, w.Settings.Language), nil
}
