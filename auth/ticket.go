package auth

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	ticketHolds = time.Minute
	maxTickets  = 10_000
)

// Tickets let somebody open an event stream who cannot send a header: each is good
// for one stream, for one minute, as the one who asked for it. They are kept in this
// process only.
type Tickets struct {
	clock clock.Clock
	mu    sync.Mutex
	open  map[string]ticket // by hash
}

type ticket struct {
	identity Identity
	expires  time.Time
}

// NewTickets makes a place for tickets.
func NewTickets(c clock.Clock) *Tickets { return &Tickets{clock: c, open: map[string]ticket{}} }

// Issue makes a ticket for id.
func (t *Tickets) Issue(id *Identity) (text string, expires time.Time, err error) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // ends the program rather than fail
	text = "tkt_" + hex.EncodeToString(raw)
	now := t.clock()
	expires = now.Add(ticketHolds)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) >= maxTickets {
		t.sweep(now)
	}
	if len(t.open) >= maxTickets {
		return "", time.Time{}, domain.Errorf(domain.CodeUnavailable, "Too many tickets are open. Try again in a minute.")
	}
	t.open[Hash(text)] = ticket{*id, expires}
	return text, expires, nil
}

// Redeem takes a ticket: it opens nothing a second time.
func (t *Tickets) Redeem(text string) (*Identity, error) {
	hash := Hash(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.open[hash]
	delete(t.open, hash)
	if !ok || !t.clock().Before(found.expires) {
		return nil, domain.Errorf(domain.CodeUnauthenticated, "This ticket was used, or has expired. Ask for another one.")
	}
	return &found.identity, nil
}

func (t *Tickets) sweep(now time.Time) {
	for hash, open := range t.open {
		if !now.Before(open.expires) {
			delete(t.open, hash)
		}
	}
}
