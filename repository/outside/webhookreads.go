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

func (r *deliveryRow) delivery() *outside.WebhookDelivery {
	return &outside.WebhookDelivery{
		Seq: r.Seq, Type: domain.LogType(r.Type), SessionID: r.SessionID, State: outside.DeliveryState(r.State), Tries: r.Tries,
		At: r.At.Time, FirstAt: r.FirstAt.Time, LastAt: r.LastAt.Time, NextAt: r.NextAt.Ptr(), Status: r.Status, Detail: r.Detail,
		Took: time.Duration(r.TookMs) * time.Millisecond,
	}
}

// Deliveries lists a webhook's deliveries, latest first; state "" means any.
func (s *WebhookStore) Deliveries(ctx context.Context, workspace, webhook string, state outside.DeliveryState, cursor string, limit int) (
	[]*outside.WebhookDelivery, string, error,
) {
	after, err := sqldb.ReadCursor(cursor, webhook)
	if err != nil {
		return nil, "", err
	}
	if _, err := s.Webhook(ctx, workspace, webhook); err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+deliveryTable.Columns()+" FROM webhook_deliveries WHERE workspace_id = ? AND webhook_id = ?",
		workspace, webhook)
	if state != "" {
		q.Add(" AND state = ?", string(state))
	}
	if cursor != "" {
		q.Add(" AND seq < ?", after.Number)
	}
	q.Add(" ORDER BY seq DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, limit, func(r *deliveryRow) sqldb.Cursor {
		return sqldb.Cursor{Number: r.Seq, ID: r.WebhookID}
	})
	if err != nil {
		return nil, "", fmt.Errorf("list the deliveries: %w", err)
	}
	out := make([]*outside.WebhookDelivery, len(rows))
	for i := range rows {
		out[i] = rows[i].delivery()
	}
	return out, next, nil
}

// keptDeliveries limits how many deliveries of a webhook are kept.
const keptDeliveries = 10_000

// PruneDeliveries deletes old deliveries, and the oldest beyond the limit. Those still being
// retried stay.
func (s *WebhookStore) PruneDeliveries(ctx context.Context, before time.Time) error {
	var all []struct {
		WorkspaceID string `db:"workspace_id"`
		ID          string `db:"id"`
	}
	if err := s.db.All(ctx, &all, "SELECT workspace_id, id FROM webhooks ORDER BY workspace_id, id"); err != nil {
		return fmt.Errorf("look for old deliveries: %w", err)
	}
	for _, h := range all {
		for n := int64(transaction.MaxPruned); n == transaction.MaxPruned; {
			err := s.db.WriteUnseen(ctx, h.WorkspaceID, func(t *transaction.Tx) error {
				var err error
				n, err = t.Write(ctx, "DELETE FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND seq IN "+
					"(SELECT d.seq FROM webhook_deliveries d WHERE d.workspace_id = $1 AND d.webhook_id = $2 AND d.state <> 'retrying' "+
					"AND (d.last_at < $3 OR d.seq <= (SELECT k.seq FROM webhook_deliveries k WHERE k.workspace_id = $1 AND k.webhook_id = $2 "+
					"ORDER BY k.seq DESC LIMIT 1 OFFSET $4)) ORDER BY d.seq LIMIT $5)",
					h.WorkspaceID, h.ID, sqldb.At(before), keptDeliveries, transaction.MaxPruned)
				return err
			})
			if err != nil {
				return fmt.Errorf("delete old deliveries of webhook %s: %w", h.ID, err)
			}
		}
	}
	return nil
}
