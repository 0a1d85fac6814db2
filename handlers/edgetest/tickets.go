package edgetest

import (
	"context"
	"sync"

	"github.com/fermata-dev/fermata/domain/people"
)

// KeptTickets is a store of tickets in memory.
type KeptTickets struct {
	mu   sync.Mutex
	open map[string]*people.Ticket
}

func (k *KeptTickets) InsertTicket(_ context.Context, t *people.Ticket) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open == nil {
		k.open = map[string]*people.Ticket{}
	}
	k.open[t.Hash] = t
	return nil
}

func (k *KeptTickets) TakeTicket(_ context.Context, hash string) (*people.Ticket, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.open[hash]
	delete(k.open, hash)
	return t, nil
}
