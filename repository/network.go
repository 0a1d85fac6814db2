package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// maxWaiting bounds how many sessions are woken by one piece of news; the timers of the
// others wake them.
const maxWaiting = 500

// WaitingForNetwork lists the sessions of a workspace that wait until their provider can
// be reached again, those that have waited longest first.
func (s *SlotStore) WaitingForNetwork(ctx context.Context, workspace string) ([]domain.NetworkWaiter, error) {
	var rows []struct {
		ID         string `db:"id"`
		ProviderID string `db:"provider_id"`
	}
	err := s.db.All(ctx, &rows, "SELECT id, provider_id FROM sessions WHERE workspace_id = $1 AND phase = 'WAITING_NETWORK_RETRY' "+
		"ORDER BY last_event_time, id LIMIT $2", workspace, maxWaiting)
	if err != nil {
		return nil, fmt.Errorf("list the sessions that wait for their provider: %w", err)
	}
	waiting := make([]domain.NetworkWaiter, len(rows))
	for i, r := range rows {
		waiting[i] = domain.NetworkWaiter{SessionID: r.ID, ProviderID: r.ProviderID}
	}
	return waiting, nil
}
