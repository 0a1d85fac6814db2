package outside

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var webhookCeiling = transaction.Ceiling{Most: outside.MaxWebhooks, Noun: "webhooks", From: "webhooks WHERE kind = 'http'"}

// WebhookStore stores webhooks, and up to which event each was sent the log.
type WebhookStore struct {
	db *transaction.DB
	// apply writes a change in the transaction, with its events.
	apply func(ctx context.Context, t *transaction.Tx, c *domain.Change, conditions ...func() error) error
}

// NewWebhookStore makes the store of webhooks. apply writes a change with its events in a transaction.
func NewWebhookStore(
	db *transaction.DB, apply func(context.Context, *transaction.Tx, *domain.Change, ...func() error) error,
) *WebhookStore {
	return &WebhookStore{db: db, apply: apply}
}

type webhookRow struct {
	WorkspaceID      string      `db:"workspace_id,key"`
	ID               string      `db:"id,key"`
	URL              string      `db:"url"`
	Types            string      `db:"types"` // comma-separated
	Enabled          bool        `db:"enabled"`
	Kind             string      `db:"kind,once"`
	Links            bool        `db:"links"`
	Person           string      `db:"person,once"`
	Label            string      `db:"label"`
	Language         string      `db:"language"`
	SignIn           string      `db:"sign_in"`
	HoldsUntil       sqldb.Stamp `db:"holds_until"`
	DisabledReason   string      `db:"disabled_reason"`
	SecretSealed     string      `db:"secret_sealed"`
	OldSecretSealed  string      `db:"old_secret_sealed"`
	OldSecretUntil   sqldb.Stamp `db:"old_secret_until"`
	FailingSince     sqldb.Stamp `db:"failing_since"`
	PausedUntil      sqldb.Stamp `db:"paused_until"`
	SentTo           int64       `db:"sent_to"`
	OwnerNode        string      `db:"owner_node,once"`
	OwnerIncarnation string      `db:"owner_incarnation,once"`
	Epoch            int64       `db:"epoch"`
	Version          int64       `db:"version,version"`
	CreatedAt        sqldb.Stamp `db:"created_at,once"`
	UpdatedAt        sqldb.Stamp `db:"updated_at"`
}

var (
	webhookTable  = sqldb.NewTable[webhookRow]("webhooks")
	webhookUpdate = webhookTable.Update()
)

func webhookRowOf(h *outside.Webhook) webhookRow {
	types := make([]string, len(h.Types))
	for i, t := range h.Types {
		types[i] = string(t)
	}
	return webhookRow{
		WorkspaceID: h.WorkspaceID, ID: h.ID, URL: h.URL, Types: strings.Join(types, ","), Enabled: h.Enabled,
		Kind: string(h.Kind), Links: h.Links, Person: h.Person, Label: h.Label,
		Language: h.Language, SignIn: h.SignIn, HoldsUntil: sqldb.AtPtr(h.HoldsUntil),
		DisabledReason: string(h.DisabledReason), SecretSealed: h.Secret, OldSecretSealed: h.OldSecret,
		OldSecretUntil: sqldb.AtPtr(h.OldSecretUntil), FailingSince: sqldb.AtPtr(h.FailingSince), PausedUntil: sqldb.AtPtr(h.PausedUntil),
		SentTo: h.SentTo, Epoch: h.Epoch, Version: h.Version, CreatedAt: sqldb.At(h.CreatedAt), UpdatedAt: sqldb.At(h.UpdatedAt),
	}
}

func (r *webhookRow) webhook() *outside.Webhook {
	var types []domain.LogType
	for t := range strings.SplitSeq(r.Types, ",") {
		types = append(types, domain.LogType(t))
	}
	return &outside.Webhook{
		ID: r.ID, WorkspaceID: r.WorkspaceID, URL: r.URL, Types: types, Enabled: r.Enabled,
		Kind: outside.WebhookKind(r.Kind), Links: r.Links, Person: r.Person, Label: r.Label,
		Language: r.Language, SignIn: r.SignIn, HoldsUntil: r.HoldsUntil.Ptr(),
		DisabledReason: outside.WebhookReason(r.DisabledReason), Secret: r.SecretSealed, OldSecret: r.OldSecretSealed,
		OldSecretUntil: r.OldSecretUntil.Ptr(), FailingSince: r.FailingSince.Ptr(), PausedUntil: r.PausedUntil.Ptr(),
		SentTo: r.SentTo, Epoch: r.Epoch, Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

// Webhooks lists a workspace's webhooks, oldest first. There are few of them.
func (s *WebhookStore) Webhooks(ctx context.Context, workspace string) ([]*outside.Webhook, error) {
	var rows []webhookRow
	err := s.db.All(ctx, &rows, "SELECT "+webhookTable.Columns()+" FROM webhooks WHERE workspace_id = $1 AND kind = 'http' "+
		"ORDER BY created_at, id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list the webhooks: %w", err)
	}
	out := make([]*outside.Webhook, len(rows))
	for i := range rows {
		out[i] = rows[i].webhook()
	}
	return out, nil
}

// Webhook returns one webhook.
func (s *WebhookStore) Webhook(ctx context.Context, workspace, id string) (*outside.Webhook, error) {
	return webhookIn(ctx, s.db, workspace, id, "")
}

func webhookIn(ctx context.Context, r sqldb.Reader, workspace, id, lock string) (*outside.Webhook, error) {
	var row webhookRow
	err := r.Get(ctx, &row, "SELECT "+webhookTable.Columns()+" FROM webhooks WHERE workspace_id = $1 AND id = $2 "+
		"AND kind = 'http'"+lock, workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("webhook")
	}
	if err != nil {
		return nil, fmt.Errorf("read the webhook: %w", err)
	}
	return row.webhook(), nil
}

// InsertWebhook stores a webhook, which gets the events from now on.
func (s *WebhookStore) InsertWebhook(ctx context.Context, h *outside.Webhook) error {
	return s.db.Configure(ctx, h.WorkspaceID, func(t *transaction.Tx) error {
		w, err := transaction.WorkspaceIn(ctx, t, h.WorkspaceID, "")
		if err != nil {
			return err
		}
		if err := webhookCeiling.Room(ctx, t, h.WorkspaceID); err != nil {
			return err
		}
		t.Created = h.ID
		h.Version, h.SentTo = 1, w.LastSeq
		_, err = t.Insert(ctx, webhookTable.Rows(webhookRowOf(h)), "")
		return err
	})
}

// ChangeWebhook updates a webhook by calling change with the current row and the number of the
// workspace's latest event. version is the expected version; 0 matches any. Deliveries in flight
// were decided before, and are not recorded any more.
func (s *WebhookStore) ChangeWebhook(ctx context.Context, workspace, id string, version int64,
	change func(h *outside.Webhook, newest int64) (*outside.WebhookDelivery, error),
) (*outside.Webhook, error) {
	var h *outside.Webhook
	err := s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		w, err := transaction.WorkspaceIn(ctx, t, workspace, "")
		if err != nil {
			return err
		}
		if h, err = webhookIn(ctx, t, workspace, id, s.db.Dialect.Lock); err != nil {
			return err
		}
		if version != 0 && version != h.Version {
			return domain.ChangedSince("webhook")
		}
		before := *h
		skipped, err := change(h, w.LastSeq)
		if err != nil {
			return err
		}
		h.Epoch++
		row := webhookRowOf(h)
		if err := t.WriteOne(ctx, domain.ErrStale, webhookUpdate, webhookTable.Updated(&row)...); err != nil {
			return err
		}
		h.Version++
		switch {
		case h.SentTo != before.SentTo || skipped != nil:
			return resetLanes(ctx, t, h, skipped)
		case h.URL != before.URL, h.Enabled && !before.Enabled:
			return tryLanesNow(ctx, t, h)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// resetLanes deletes the webhook's backlog of sessions: it continues from its one number.
func resetLanes(ctx context.Context, t *transaction.Tx, h *outside.Webhook, skipped *outside.WebhookDelivery) error {
	_, err := t.Write(ctx, "DELETE FROM webhook_lanes WHERE workspace_id = $1 AND webhook_id = $2", h.WorkspaceID, h.ID)
	if err != nil {
		return err
	}
	_, err = t.Write(ctx, "UPDATE webhook_deliveries SET state = $3, next_at = NULL WHERE workspace_id = $1 AND webhook_id = $2 AND state = $4",
		h.WorkspaceID, h.ID, outside.DeliveryFailed, outside.DeliveryRetrying)
	if err != nil || skipped == nil {
		return err
	}
	return writeDeliveries(ctx, t, h.WorkspaceID, h.ID, []outside.WebhookDelivery{*skipped})
}

// tryLanesNow makes the backlog due at once: after correcting an address or enabling a webhook,
// people would otherwise wait hours for the next retry.
func tryLanesNow(ctx context.Context, t *transaction.Tx, h *outside.Webhook) error {
	now := sqldb.At(t.DB.Clock())
	_, err := t.Write(ctx, "UPDATE webhook_lanes SET due_at = $3 WHERE workspace_id = $1 AND webhook_id = $2 AND due_at > $3",
		h.WorkspaceID, h.ID, now)
	if err != nil {
		return err
	}
	_, err = t.Write(ctx, "UPDATE webhook_deliveries SET next_at = $3 WHERE workspace_id = $1 AND webhook_id = $2 AND state = $4",
		h.WorkspaceID, h.ID, now, outside.DeliveryRetrying)
	return err
}

// DeleteWebhook deletes a webhook with its deliveries. Only requests in flight are still sent.
func (s *WebhookStore) DeleteWebhook(ctx context.Context, workspace, id string, version int64) error {
	return s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		h, err := webhookIn(ctx, t, workspace, id, s.db.Dialect.Lock)
		if err != nil {
			return err
		}
		if version != 0 && version != h.Version {
			return domain.ChangedSince("webhook")
		}
		return deleteWebhook(ctx, t, workspace, id)
	})
}
