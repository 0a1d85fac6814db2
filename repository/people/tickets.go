package people

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// maxTickets limits the unused tickets of one key: per key, so that none locks out the others of
// its workspace.
const maxTickets = 1_000

var errTooManyTickets = domain.Errorf(domain.CodeUnavailable,
	"This key has %d tickets open that were not used. Use one of them, or try again in a minute.", maxTickets)

type ticketRow struct {
	WorkspaceID string      `db:"workspace_id"`
	Hash        string      `db:"hash"`
	Role        string      `db:"role"`
	Name        string      `db:"name"`
	KeyHash     string      `db:"key_hash"`
	ExpiresAt   sqldb.Stamp `db:"expires_at"`
	Holder      string      `db:"holder"`
	HoldsUntil  sqldb.Stamp `db:"holds_until"`
}

var ticketTable = sqldb.NewTable[ticketRow]("stream_tickets")

// InsertTicket stores a ticket, and deletes the workspace's expired ones.
func (s *KeyStore) InsertTicket(ctx context.Context, ticket *people.Ticket) error {
	err := s.db.WriteUnseen(ctx, ticket.WorkspaceID, func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "DELETE FROM stream_tickets WHERE workspace_id = $1 "+
			"AND expires_at <= $2", ticket.WorkspaceID, sqldb.At(s.db.Clock()))
		if err != nil {
			return err
		}
		var open int
		err = t.Get(ctx, &open, "SELECT COUNT(*) FROM stream_tickets WHERE workspace_id = $1 AND key_hash = $2",
			ticket.WorkspaceID, ticket.KeyHash)
		if err != nil {
			return err
		}
		if open >= maxTickets {
			return errTooManyTickets
		}
		_, err = t.Insert(ctx, ticketTable.Rows(ticketRow{
			WorkspaceID: ticket.WorkspaceID, Hash: ticket.Hash, Role: string(ticket.Role), Name: ticket.Name, KeyHash: ticket.KeyHash,
			ExpiresAt: sqldb.At(ticket.ExpiresAt), Holder: string(ticket.Holder), HoldsUntil: sqldb.AtPtr(ticket.HoldsUntil),
		}), "")
		return err
	})
	return err
}

var errTicketTaken = errors.New("the ticket was taken concurrently")

// TakeTicket deletes and returns a ticket; nil if there is none. Of concurrent callers, on any
// node, only one gets it.
func (s *KeyStore) TakeTicket(ctx context.Context, hash string) (*people.Ticket, error) {
	var row ticketRow
	// A guess costs one read and no write.
	err := s.db.Get(ctx, &row, "SELECT "+ticketTable.Columns()+" FROM stream_tickets WHERE hash = $1", hash)
	if sqldb.NotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the ticket: %w", err)
	}
	err = s.db.WriteUnseen(ctx, row.WorkspaceID, func(t *transaction.Tx) error {
		return t.WriteOne(ctx, errTicketTaken, "DELETE FROM stream_tickets WHERE workspace_id = $1 AND hash = $2", row.WorkspaceID, hash)
	})
	if errors.Is(err, errTicketTaken) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take the ticket: %w", err)
	}
	return &people.Ticket{
		Hash: row.Hash, WorkspaceID: row.WorkspaceID, Role: domain.Role(row.Role), Name: row.Name,
		KeyHash: row.KeyHash, ExpiresAt: row.ExpiresAt.Time, Holder: people.Holder(row.Holder), HoldsUntil: row.HoldsUntil.Ptr(),
	}, nil
}
