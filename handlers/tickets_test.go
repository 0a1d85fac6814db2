package handlers

import (
	"context"
	"sync"

	"github.com/fermata-dev/fermata/domain/people"
)

// keptTickets is a store of tickets in memory.
type keptTickets struct {
	mu   sync.Mutex
	open map[string]*people.Ticket
}

func (k *keptTickets) InsertTicket(_ context.Context, t *people.Ticket) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open == nil {
		k.open = map[string]*people.Ticket{}
	}
	k.open[t.Hash] = t
	return nil
}

func (k *keptTickets) TakeTicket(_ context.Context, hash string) (*people.Ticket, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.open[hash]
	delete(k.open, hash)
	return t, nil
}
