package rounds

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// Config are the dependencies of the adapter of a front-end protocol; all of them are required.
type Config struct {
	Commands  Commands
	Record    NamedRecord
	Approvals ApprovalReader
	Histories Histories
	Names     *SessionNames
	Files     Files
	// Catalogue lists the commands, whose names tools of clients must not have.
	Catalogue Catalogue
	// Follow subscribes to the events of a session.
	Follow func(stream.Filter) *stream.Reader
	// StillAllowed returns an error once the caller may no longer read.
	StillAllowed func(context.Context, *auth.Identity) error
	API
	Clock clock.Clock
	NewID domain.IDSource
}

// API are functions that the adapters share with the server's own API.
type API struct {
	// Failure converts an error to what a client may see of it.
	Failure func(error) *api.Failure
	// Decision decodes an answer to an approval of a kind.
	Decision func(answer json.RawMessage, kind domain.ApprovalKind) (domain.Decision, error)
}

// Commands sends messages and answers to the scheduler.
type Commands interface {
	Sessions
	UpdateSession(ctx context.Context, ws, session string, patch domain.SessionPatch) (*domain.Receipt, error)
	ForkSession(ctx context.Context, ws, session string, in domain.NewFork) (*domain.Receipt, error)
	// AnswerByText takes a message as the answer to an approval.
	AnswerByText(ctx context.Context, ws, approval string, d domain.Decision, said domain.NewMessage) (*domain.Receipt, error)
	RetrySession(ctx context.Context, ws, session string, ask domain.RetryRequest) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// ApprovalReader reads approvals.
type ApprovalReader interface {
	ApprovalLister
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
}
