package handlers

import (
	"context"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// keptTickets is a store of tickets in memory.
type keptTickets struct {
	mu   sync.Mutex
	open map[string]*domain.Ticket
}

func (k *keptTickets) InsertTicket(_ context.Context, t *domain.Ticket) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open == nil {
		k.open = map[string]*domain.Ticket{}
	}
	k.open[t.Hash] = t
	return nil
}

func (k *keptTickets) TakeTicket(_ context.Context, hash string) (*domain.Ticket, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.open[hash]
	delete(k.open, hash)
	return t, nil
}
