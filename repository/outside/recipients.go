package outside

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// SyncMailRecipients makes the recipient rows match the settings: a new recipient gets the events
// after newest. Pauses for the quiet hours of the old settings are cleared.
func SyncMailRecipients(ctx context.Context, t *transaction.Tx, w *domain.Workspace, newest int64) error {
	var rows []webhookRow
	err := t.All(ctx, &rows, "SELECT "+webhookTable.Columns()+" FROM webhooks WHERE workspace_id = $1 AND kind = $2 ORDER BY id",
		w.ID, string(outside.WebhookMail))
	if err != nil {
		return fmt.Errorf("list the mail recipients: %w", err)
	}
	known := map[string]bool{}
	for _, r := range rows {
		if !slices.Contains(w.Settings.Notifications.MailTo, r.URL) {
			if err := deleteWebhook(ctx, t, w.ID, r.ID); err != nil {
				return err
			}
			continue
		}
		known[r.URL] = true
	}
	now := t.DB.Clock()
	for _, address := range w.Settings.Notifications.MailTo {
		if known[address] {
			continue
		}
		h := &outside.Webhook{
			ID: t.DB.NewID(domain.PrefixWebhook), WorkspaceID: w.ID, Kind: outside.WebhookMail, URL: address,
			Types: []domain.LogType{domain.LogApprovalRequested}, Enabled: true, SentTo: newest, Version: 1, CreatedAt: now, UpdatedAt: now,
		}
		if _, err := t.Insert(ctx, webhookTable.Rows(webhookRowOf(h)), ""); err != nil {
			return fmt.Errorf("add the mail recipient %s: %w", h.ID, err)
		}
	}
	_, err = t.Write(ctx, "UPDATE webhooks SET paused_until = NULL, enabled = TRUE, disabled_reason = '', epoch = epoch + 1 "+
		"WHERE workspace_id = $1 AND kind <> $2", w.ID, string(outside.WebhookHTTP))
	return err
}

// deleteWebhook deletes a webhook, whose row must be locked, with its backlog and deliveries.
func deleteWebhook(ctx context.Context, t *transaction.Tx, workspace, id string) error {
	for _, table := range []string{"webhook_lanes", "webhook_deliveries"} {
		if _, err := t.Write(ctx, "DELETE FROM "+table+" WHERE workspace_id = $1 AND webhook_id = $2", workspace, id); err != nil {
			return err
		}
	}
	_, err := t.Write(ctx, "DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2", workspace, id)
	return err
}
