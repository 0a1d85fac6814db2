package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/clock"
)

// ticketHolds is how long a ticket may be used.
const ticketHolds = time.Minute

// TicketStore keeps tickets where every node finds them.
type TicketStore interface {
	InsertTicket(ctx context.Context, t *people.Ticket) error
	// TakeTicket gives a ticket and deletes it: of many who try, one gets it. nil: there
	// is none.
	TakeTicket(ctx context.Context, hash string) (*people.Ticket, error)
}

// Tickets open event streams for clients that cannot send a header. Each is valid for one stream, for one minute, with
// the rights of its creator, on any node.
type Tickets struct {
	clock clock.Clock
	store TicketStore
}

// NewTickets returns Tickets over a store.
func NewTickets(c clock.Clock, store TicketStore) *Tickets { return &Tickets{clock: c, store: store} }

// Issue makes a ticket for id.
func (t *Tickets) Issue(ctx context.Context, id *Identity) (text string, expires time.Time, err error) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // ends the program rather than fail
	text = "tkt_" + hex.EncodeToString(raw)
	expires = t.clock().Add(ticketHolds)
	err = t.store.InsertTicket(ctx, &people.Ticket{
		Hash: Hash(text), WorkspaceID: id.Workspace, Role: id.Role, Name: id.Name,
		KeyHash: hex.EncodeToString(id.hash[:]), ExpiresAt: expires,
		Holder: id.holder, HoldsUntil: untilOf(id),
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("keep the ticket: %w", err)
	}
	return text, expires, nil
}

// Redeem takes a ticket: it opens nothing a second time.
func (t *Tickets) Redeem(ctx context.Context, text string) (*Identity, error) {
	found, err := t.store.TakeTicket(ctx, Hash(text))
	if err != nil {
		return nil, fmt.Errorf("take the ticket: %w", err)
	}
	if found == nil || !t.clock().Before(found.ExpiresAt) {
		return nil, domain.Errorf(domain.CodeUnauthenticated, "This ticket was used, or has expired. Ask for another one.")
	}
	id := &Identity{Workspace: found.WorkspaceID, Role: found.Role, Name: found.Name, holder: found.Holder}
	if found.HoldsUntil != nil {
		id.until = *found.HoldsUntil
	}
	if hash, err := hex.DecodeString(found.KeyHash); err == nil && len(hash) == sha256.Size {
		copy(id.hash[:], hash)
	}
	return id, nil
}

func untilOf(id *Identity) *time.Time {
	if id.until.IsZero() {
		return nil
	}
	return &id.until
}
