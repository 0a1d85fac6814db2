package outside

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type laneRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	WebhookID   string      `db:"webhook_id,key"`
	SessionID   string      `db:"session_id,key"`
	SentTo      int64       `db:"sent_to"`
	Tries       int         `db:"tries"`
	Since       sqldb.Stamp `db:"since"`
	DueAt       sqldb.Stamp `db:"due_at"`
}

type deliveryRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	WebhookID   string      `db:"webhook_id,key"`
	Seq         int64       `db:"seq,key"`
	Type        string      `db:"type"`
	SessionID   string      `db:"session_id"`
	State       string      `db:"state"`
	Tries       int         `db:"tries"`
	At          sqldb.Stamp `db:"at"`
	FirstAt     sqldb.Stamp `db:"first_at"`
	LastAt      sqldb.Stamp `db:"last_at"`
	NextAt      sqldb.Stamp `db:"next_at"`
	Status      int         `db:"status"`
	Detail      string      `db:"detail"`
	TookMs      int64       `db:"took_ms"`
}

var (
	laneTable      = sqldb.NewTable[laneRow]("webhook_lanes")
	laneUpsert     = laneTable.Upsert("")
	deliveryTable  = sqldb.NewTable[deliveryRow]("webhook_deliveries")
	deliveryUpsert = deliveryTable.Upsert("")
)

// LookAtWebhooks returns, for all workspaces, which webhooks are enabled, and which of them have
// work that no other living process does.
func (s *WebhookStore) LookAtWebhooks(ctx context.Context, now time.Time) (*outside.WebhookLook, error) {
	var rows []struct {
		WorkspaceID string `db:"workspace_id"`
		ID          string `db:"id"`
		Kind        string `db:"kind"`
		Behind      bool   `db:"behind"`
	}
	err := s.db.All(ctx, &rows, "SELECT h.workspace_id, h.id, h.kind, ((h.sent_to < w.last_seq OR EXISTS (SELECT 1 FROM webhook_lanes l "+
		"WHERE l.workspace_id = h.workspace_id AND l.webhook_id = h.id AND l.due_at <= $1)) "+
		"AND ((h.owner_node = $2 AND h.owner_incarnation = $3) OR NOT "+transaction.Alive(s.db.Dialect, "h.owner_node", "h.owner_incarnation")+
		")) AS behind FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id WHERE h.enabled ORDER BY h.workspace_id, h.id",
		sqldb.At(now), s.db.Node, s.db.Incarnation)
	if err != nil {
		return nil, fmt.Errorf("look for webhooks: %w", err)
	}
	look := &outside.WebhookLook{}
	for _, r := range rows {
		ref := outside.WebhookRef{WorkspaceID: r.WorkspaceID, ID: r.ID}
		look.Enabled = append(look.Enabled, ref)
		if r.Kind != string(outside.WebhookHTTP) {
			look.People = append(look.People, ref)
		}
		if r.Behind {
			look.Behind = append(look.Behind, ref)
		}
	}
	return look, nil
}

// StandingOf returns a webhook with the position of its workspace's log.
func (s *WebhookStore) StandingOf(ctx context.Context, ref outside.WebhookRef) (*outside.WebhookStanding, error) {
	var row struct {
		webhookRow
		Mine     bool  `db:"mine"`
		Alive    bool  `db:"alive"`
		LastSeq  int64 `db:"last_seq"`
		PrunedTo int64 `db:"pruned_to"`
	}
	err := s.db.Get(ctx, &row, "SELECT "+webhookTable.ColumnsOf("h")+", (h.owner_node = $3 AND h.owner_incarnation = $4) AS mine, "+
		transaction.Alive(s.db.Dialect, "h.owner_node", "h.owner_incarnation")+" AS alive, w.last_seq, w.pruned_to "+
		"FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id WHERE h.workspace_id = $1 AND h.id = $2",
		ref.WorkspaceID, ref.ID, s.db.Node, s.db.Incarnation)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("webhook")
	}
	if err != nil {
		return nil, fmt.Errorf("read the position of the webhook: %w", err)
	}
	return &outside.WebhookStanding{
		Webhook: *row.webhook(), Mine: row.Mine, OwnerAlive: row.Alive, Newest: row.LastSeq, PrunedTo: row.PrunedTo,
	}, nil
}

// ClaimWebhook makes this process the one that sends, unless another living process does: of
// concurrent callers one succeeds. ErrStale: another process was faster, or the webhook was
// changed.
func (s *WebhookStore) ClaimWebhook(ctx context.Context, h *outside.WebhookStanding) error {
	err := s.db.WriteUnseen(ctx, h.WorkspaceID, func(t *transaction.Tx) error {
		return t.WriteOne(ctx, domain.ErrStale, "UPDATE webhooks SET owner_node = $4, owner_incarnation = $5, epoch = epoch + 1 "+
			"WHERE workspace_id = $1 AND id = $2 AND epoch = $3 AND enabled AND NOT "+
			transaction.Alive(s.db.Dialect, "webhooks.owner_node", "webhooks.owner_incarnation"),
			h.WorkspaceID, h.ID, h.Epoch, s.db.Node, s.db.Incarnation)
	})
	if err != nil {
		return fmt.Errorf("claim the webhook %s: %w", h.ID, err)
	}
	h.Epoch++
	h.Mine = true
	return nil
}

// WebhookLanes lists the sessions that a webhook is behind with.
func (s *WebhookStore) WebhookLanes(ctx context.Context, ref outside.WebhookRef) ([]outside.WebhookLane, error) {
	var rows []laneRow
	err := s.db.All(ctx, &rows, "SELECT "+laneTable.Columns()+" FROM webhook_lanes WHERE workspace_id = $1 AND webhook_id = $2 "+
		"ORDER BY due_at, session_id", ref.WorkspaceID, ref.ID)
	if err != nil {
		return nil, fmt.Errorf("read the webhook's backlog: %w", err)
	}
	out := make([]outside.WebhookLane, len(rows))
	for i, r := range rows {
		out[i] = outside.WebhookLane{SessionID: r.SessionID, SentTo: r.SentTo, Tries: r.Tries, Since: r.Since.Time, DueAt: r.DueAt.Time}
	}
	return out, nil
}

// RecordWebhook records the outcomes of deliveries. ErrStale: another process sends by now, and
// nothing was written.
func (s *WebhookStore) RecordWebhook(ctx context.Context, h *outside.Webhook, p *outside.WebhookProgress) error {
	err := s.db.WriteUnseen(ctx, h.WorkspaceID, func(t *transaction.Tx) error { return recordWebhook(ctx, t, h, p) })
	if err != nil {
		return fmt.Errorf("record the deliveries of webhook %s: %w", h.ID, err)
	}
	return nil
}

func recordWebhook(ctx context.Context, t *transaction.Tx, h *outside.Webhook, p *outside.WebhookProgress) error {
	err := t.WriteOne(ctx, domain.ErrStale, "UPDATE webhooks SET sent_to = $4, failing_since = $5, paused_until = $6 "+
		"WHERE workspace_id = $1 AND id = $2 AND epoch = $3 AND enabled",
		h.WorkspaceID, h.ID, h.Epoch, p.SentTo, sqldb.AtPtr(p.FailingSince), sqldb.AtPtr(p.PausedUntil))
	if err != nil {
		return err
	}
	rows := make([]laneRow, len(p.Lanes))
	for i, l := range p.Lanes {
		rows[i] = laneRow{
			WorkspaceID: h.WorkspaceID, WebhookID: h.ID, SessionID: l.SessionID, SentTo: l.SentTo, Tries: l.Tries,
			Since: sqldb.At(l.Since), DueAt: sqldb.At(l.DueAt),
		}
	}
	if len(rows) > 0 {
		if _, err := t.Insert(ctx, laneTable.Rows(rows...), laneUpsert); err != nil {
			return err
		}
	}
	for _, session := range p.CaughtUp {
		_, err := t.Write(ctx, "DELETE FROM webhook_lanes WHERE workspace_id = $1 AND webhook_id = $2 AND session_id = $3",
			h.WorkspaceID, h.ID, session)
		if err != nil {
			return err
		}
	}
	return writeDeliveries(ctx, t, h.WorkspaceID, h.ID, p.Deliveries)
}

func writeDeliveries(ctx context.Context, t *transaction.Tx, workspace, webhook string, all []outside.WebhookDelivery) error {
	if len(all) == 0 {
		return nil
	}
	// A row is written once per statement, in its final state.
	latest := transaction.Distinct(all, func(d outside.WebhookDelivery) string { return strconv.FormatInt(d.Seq, 10) })
	rows := make([]deliveryRow, len(latest))
	for i, d := range latest {
		rows[i] = deliveryRow{
			WorkspaceID: workspace, WebhookID: webhook, Seq: d.Seq, Type: string(d.Type), SessionID: d.SessionID, State: string(d.State),
			Tries: d.Tries, At: sqldb.At(d.At), FirstAt: sqldb.At(d.FirstAt), LastAt: sqldb.At(d.LastAt), NextAt: sqldb.AtPtr(d.NextAt),
			Status: d.Status, Detail: d.Detail, TookMs: d.Took.Milliseconds(),
		}
	}
	_, err := t.Insert(ctx, deliveryTable.Rows(rows...), deliveryUpsert)
	return err
}

// DisableWebhook records the outcomes of deliveries and disables the webhook, with a notice for
// people in the same transaction. A push subscription that is gone is deleted without a notice,
// because its browser accepts none. ErrStale is as in RecordWebhook.
func (s *WebhookStore) DisableWebhook(ctx context.Context, h *outside.Webhook, p *outside.WebhookProgress, reason outside.WebhookReason,
	notice domain.Notice,
) error {
	if h.Kind == outside.WebhookPush {
		return s.endPush(ctx, h)
	}
	err := s.db.Write(ctx, h.WorkspaceID, func(t *transaction.Tx) error {
		c := &domain.Change{WorkspaceID: h.WorkspaceID, At: s.db.Clock()}
		c.Emit(domain.LogEvent{Type: domain.LogNotice, Notice: &notice})
		if err := s.apply(ctx, t, c); err != nil {
			return err
		}
		if err := recordWebhook(ctx, t, h, p); err != nil {
			return err
		}
		return t.WriteOne(ctx, domain.ErrStale, "UPDATE webhooks SET enabled = FALSE, disabled_reason = $3, epoch = epoch + 1, "+
			"version = version + 1, updated_at = $4 WHERE workspace_id = $1 AND id = $2", h.WorkspaceID, h.ID, string(reason), sqldb.At(c.At))
	})
	if err != nil {
		return fmt.Errorf("disable webhook %s: %w", h.ID, err)
	}
	return nil
}
