package openai

import (
	"context"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// Config are the dependencies of both protocols; all of them are required.
type Config struct {
	Door   Sessions
	Record Record
	// Follow subscribes to the events of a session.
	Follow    func(stream.Filter) *stream.Reader
	Histories Histories
	Names     *rounds.SessionNames
	Providers Providers
	Access    Access
	Files     rounds.Files
	// Failure converts an error to what a client may see of it.
	Failure func(error) *api.Failure
	// PublicURL is the base URL of the web app; "": that of the request.
	PublicURL string
	Clock     clock.Clock
	NewID     domain.IDSource
}

// Sessions sends messages and answers to the scheduler.
type Sessions interface {
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	UpdateSession(ctx context.Context, ws, session string, patch domain.SessionPatch) (*domain.Receipt, error)
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
	ForkSession(ctx context.Context, ws, session string, in domain.NewFork) (*domain.Receipt, error)
	// AnswerByText takes a message as the answer to an approval.
	AnswerByText(ctx context.Context, ws, approval string, d domain.Decision, said domain.NewMessage) (*domain.Receipt, error)
	RetrySession(ctx context.Context, ws, session string, ask domain.RetryRequest) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// Endings ends, withdraws and deletes.
type Endings interface {
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	WithdrawMessage(ctx context.Context, ws, session, message string) (*domain.Receipt, error)
	DeleteSession(ctx context.Context, ws, session string) error
}

// Record reads the record. Missing objects are domain errors with the code not_found.
type Record interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	SessionByExternalID(ctx context.Context, ws, externalID string) (*domain.Session, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
	// Messages lists the messages after a sequence number, in order, followed by the queued ones.
	Messages(ctx context.Context, ws, session string, after int64, limit int) ([]*domain.Message, error)
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Histories finds sessions by the hashes of client histories.
type Histories interface {
	KnownHistories(ctx context.Context, ws string, hashes [2]string) ([]domain.KnownHistory, error)
	// RequestOf returns the metadata of the request that brought a message, in JSON.
	RequestOf(ctx context.Context, ws, session, message string) (string, error)
	// SessionOf returns the session of a message; "" if there is no such message.
	SessionOf(ctx context.Context, ws, message string) (string, error)
}

// Providers lists the configured providers, and the commands that their models are offered.
type Providers interface {
	Providers(ctx context.Context, ws string) ([]*domain.Provider, error)
	rounds.Catalogue
}

// Access checks whether the caller may still read.
type Access interface {
	Still(ctx context.Context, id *auth.Identity) error
}
