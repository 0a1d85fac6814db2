package outside

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var pushCeiling = transaction.Ceiling{
	Most: outside.MaxWorkspacePushes, Noun: "subscriptions to pushes", From: "webhooks WHERE kind = 'push'",
}

// PushStore stores push subscriptions of browsers. They are rows of webhooks, so that reading,
// recording and taking over deliveries works as for all webhooks.
type PushStore struct{ db *transaction.DB }

// NewPushStore makes the store of push subscriptions.
func NewPushStore(db *transaction.DB) *PushStore { return &PushStore{db} }

type pushRow struct {
	webhookRow
	DeliveredAt sqldb.Stamp `db:"delivered_at"`
}

func (r *pushRow) push() (*outside.Push, error) {
	return &outside.Push{Webhook: *r.webhook(), LastDeliveredAt: r.DeliveredAt.Ptr()}, nil
}

// pushQuery selects the valid subscriptions. A delivery that was never sent, because its approval
// was settled before, has no status.
var pushQuery = "SELECT " + webhookTable.ColumnsOf("h") + ", (SELECT MAX(d.last_at) FROM webhook_deliveries d " +
	"WHERE d.workspace_id = h.workspace_id AND d.webhook_id = h.id AND d.state = 'delivered' AND d.status > 0) AS delivered_at " +
	"FROM webhooks h WHERE h.workspace_id = $1 AND h.kind = 'push' AND (h.holds_until IS NULL OR h.holds_until > $2) AND "

// Pushes lists a person's push subscriptions, oldest first.
func (s *PushStore) Pushes(ctx context.Context, workspace, person string) ([]*outside.Push, error) {
	var rows []pushRow
	err := s.db.All(ctx, &rows, pushQuery+"h.person = $3 ORDER BY h.created_at, h.id", workspace, sqldb.At(s.db.Clock()), person)
	if err != nil {
		return nil, fmt.Errorf("list the subscriptions: %w", err)
	}
	return transaction.Each(rows, (*pushRow).push)
}

// Push returns one of a person's push subscriptions.
func (s *PushStore) Push(ctx context.Context, workspace, person, id string) (*outside.Push, error) {
	return s.one(ctx, "h.person = $3 AND h.id = $4", workspace, sqldb.At(s.db.Clock()), person, id)
}

// PushAt returns the subscription at an endpoint, of any person.
func (s *PushStore) PushAt(ctx context.Context, workspace, endpoint string) (*outside.Push, error) {
	return s.one(ctx, "h.url = $3 ORDER BY h.id LIMIT 1", workspace, sqldb.At(s.db.Clock()), endpoint)
}

func (s *PushStore) one(ctx context.Context, where string, args ...any) (*outside.Push, error) {
	var row pushRow
	err := s.db.Get(ctx, &row, pushQuery+where, args...)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("subscription")
	}
	if err != nil {
		return nil, fmt.Errorf("read the subscription: %w", err)
	}
	return row.push()
}

// SavePush stores a subscription, replacing the previous one with the same id; made reports that
// there was none. A browser gets the notifications of the person who subscribed last: subscriptions
// of others at the endpoint are deleted. It returns ErrStale if the person has another subscription
// there, because its secret is sealed for that id.
func (s *PushStore) SavePush(ctx context.Context, h *outside.Webhook) (made bool, err error) {
	err = s.db.Configure(ctx, h.WorkspaceID, func(t *transaction.Tx) error {
		w, err := transaction.WorkspaceIn(ctx, t, h.WorkspaceID, "")
		if err != nil {
			return err
		}
		if err := EndPushes(ctx, t, "workspace_id = $1 AND url = $2 AND person <> $3", h.WorkspaceID, h.URL, h.Person); err != nil {
			return err
		}
		if err := EndPushes(ctx, t, "workspace_id = $1 AND holds_until <= $2", h.WorkspaceID, sqldb.At(s.db.Clock())); err != nil {
			return err
		}
		var there []webhookRow
		err = t.All(ctx, &there, "SELECT "+webhookTable.Columns()+" FROM webhooks WHERE workspace_id = $1 AND kind = 'push' AND person = $2 "+
			"ORDER BY id"+s.db.Dialect.Lock, h.WorkspaceID, h.Person)
		if err != nil {
			return fmt.Errorf("list the subscriptions: %w", err)
		}
		for i := range there {
			if there[i].URL == h.URL {
				if there[i].ID != h.ID {
					return domain.ErrStale
				}
				return renewPush(ctx, t, h, there[i].webhook())
			}
		}
		made = true
		return insertPush(ctx, t, h, w, len(there))
	})
	return made, err
}

func insertPush(ctx context.Context, t *transaction.Tx, h *outside.Webhook, w *transaction.WorkspaceRow, others int) error {
	if others >= outside.MaxPushes {
		return domain.Errorf(domain.CodeTooMany,
			"A person can have push notifications in at most %d browsers of a workspace. Nothing was stored: delete a subscription that is no longer used.", outside.MaxPushes)
	}
	if err := pushCeiling.Room(ctx, t, h.WorkspaceID); err != nil {
		return err
	}
	t.Created = h.ID
	h.Version, h.SentTo = 1, w.LastSeq // it gets the events from now on
	_, err := t.Insert(ctx, webhookTable.Rows(webhookRowOf(h)), "")
	return err
}

// renewPush replaces an existing subscription. Deliveries in flight were decided before, and are
// recorded only if they are still valid.
func renewPush(ctx context.Context, t *transaction.Tx, h, before *outside.Webhook) error {
	otherwise := 0
	if h.Secret != before.Secret || h.Language != before.Language {
		otherwise = 1
	}
	err := t.WriteOne(ctx, domain.NotFound("subscription"), "UPDATE webhooks SET label = $3, language = $4, secret_sealed = $5, sign_in = $6, "+
		"holds_until = $7, updated_at = $8, version = version + 1, epoch = epoch + $9 WHERE workspace_id = $1 AND id = $2",
		before.WorkspaceID, before.ID, h.Label, h.Language, h.Secret, h.SignIn, sqldb.AtPtr(h.HoldsUntil), sqldb.At(h.UpdatedAt), otherwise)
	h.CreatedAt, h.FailingSince, h.SentTo = before.CreatedAt, before.FailingSince, before.SentTo
	h.Version, h.Epoch = before.Version+1, before.Epoch+int64(otherwise)
	return err
}

// DeletePush deletes one of a person's subscriptions.
func (s *PushStore) DeletePush(ctx context.Context, workspace, person, id string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		var found string
		err := t.Get(ctx, &found, "SELECT id FROM webhooks WHERE workspace_id = $1 AND kind = 'push' AND person = $2 AND id = $3"+
			s.db.Dialect.Lock, workspace, person, id)
		if sqldb.NotFound(err) {
			return domain.NotFound("subscription")
		}
		if err != nil {
			return fmt.Errorf("read the subscription: %w", err)
		}
		return deleteWebhook(ctx, t, workspace, id)
	})
}

// PrunePushes deletes expired subscriptions.
func (s *PushStore) PrunePushes(ctx context.Context, now time.Time) error {
	var workspaces []string
	err := s.db.All(ctx, &workspaces, "SELECT DISTINCT workspace_id FROM webhooks WHERE kind = 'push' AND holds_until <= $1", sqldb.At(now))
	if err != nil {
		return fmt.Errorf("look for subscriptions that are over: %w", err)
	}
	for _, workspace := range workspaces {
		err := s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
			return EndPushes(ctx, t, "workspace_id = $1 AND holds_until <= $2", workspace, sqldb.At(now))
		})
		if err != nil {
			return fmt.Errorf("delete the subscriptions of workspace %s that are over: %w", workspace, err)
		}
	}
	return nil
}

// endPush deletes a subscription that the push service reports as gone, unless it was changed
// meanwhile.
func (s *WebhookStore) endPush(ctx context.Context, h *outside.Webhook) error {
	return s.db.WriteUnseen(ctx, h.WorkspaceID, func(t *transaction.Tx) error {
		var found string
		err := t.Get(ctx, &found, "SELECT id FROM webhooks WHERE workspace_id = $1 AND id = $2 AND kind = 'push' AND epoch = $3"+
			s.db.Dialect.Lock, h.WorkspaceID, h.ID, h.Epoch)
		if sqldb.NotFound(err) {
			return fmt.Errorf("end the push %s: %w", h.ID, domain.ErrStale)
		}
		if err != nil {
			return fmt.Errorf("read the push that ends: %w", err)
		}
		return deleteWebhook(ctx, t, h.WorkspaceID, h.ID)
	})
}

// EndPushes deletes the subscriptions that match a condition, which names the workspace.
func EndPushes(ctx context.Context, t *transaction.Tx, where string, args ...any) error {
	var rows []struct {
		WorkspaceID string `db:"workspace_id"`
		ID          string `db:"id"`
	}
	err := t.All(ctx, &rows, "SELECT workspace_id, id FROM webhooks WHERE kind = 'push' AND "+where+" ORDER BY workspace_id, id"+
		t.DB.Dialect.Lock, args...)
	if err != nil {
		return fmt.Errorf("look for subscriptions that end: %w", err)
	}
	for _, r := range rows {
		if err := deleteWebhook(ctx, t, r.WorkspaceID, r.ID); err != nil {
			return err
		}
	}
	return nil
}
