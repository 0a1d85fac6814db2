package webhooks

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// send waits for its place among the requests, sends one event, and tells of it. cut: we
// ended it ourselves, and nothing is known.
func (l *Loop) send(h *domain.Webhook, secrets []string, e *domain.LogEvent, try int) (o outcome, cut bool) {
	select {
	case l.all <- struct{}{}:
		defer func() { <-l.all }()
	case <-l.life.Done():
		return outcome{}, true
	}
	o = l.sender.send(l.wire, h, secrets, messageID(h.ID, e.Seq), e)
	if !o.delivered() && l.wire.Err() != nil {
		return o, true
	}
	l.cfg.Tried(o.result)
	l.cfg.Log.Info().Str("workspace", h.WorkspaceID).Str("webhook", h.ID).Int64("seq", e.Seq).Str("type", string(e.Type)).
		Int("try", try).Str("outcome", string(o.result)).Int("status", o.status).Str("detail", o.detail).
		Int64("duration_ms", o.took.Milliseconds()).Msg("webhook")
	return o, false
}

// noteWaiting keeps since when the oldest event of a webhook waits.
func (l *Loop) noteWaiting(w *worker, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.waiting = since
}

// Oldest is how long the oldest event waits that this process has to send; 0: none does.
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

// notice is what people are told when a webhook is disabled.
func (l *Loop) notice(ctx context.Context, h *domain.Webhook, reason domain.WebhookReason) (domain.Notice, error) {
	w, err := l.cfg.Workspaces.Workspace(ctx, h.WorkspaceID)
	if err != nil {
		return domain.Notice{}, err
	}
	text := w.Settings.Say("The webhook %s was disabled: for three days nothing arrived there. Look at its deliveries, mend the cause, "+
		"enable it again, and have what was missed sent with replay.",
		"Le webhook %s a été désactivé : depuis trois jours, rien n’y arrive. Regardez ses envois, corrigez la cause, réactivez-le, "+
			"puis faites renvoyer ce qui a manqué.", h.ID)
	if reason == domain.WebhookGone {
		text = w.Settings.Say("The webhook %s was disabled: its receiver answered that it is gone for good (410).",
			"Le webhook %s a été désactivé : son destinataire a répondu qu’il n’existe plus (410).", h.ID)
	}
	return domain.Notice{Level: "error", Code: "webhook_disabled", Text: text}, nil
}
