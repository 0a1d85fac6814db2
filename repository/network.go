package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// maxWaiting limits how many sessions are woken at once; the others are woken by their timers.
const maxWaiting = 500

// WaitingForNetwork lists the sessions of a workspace that wait for their provider to be reachable,
// longest wait first.
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
