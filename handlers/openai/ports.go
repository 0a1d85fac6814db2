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

// Config is what the door is made of; all of it is needed.
type Config struct {
	Door   Sessions
	Record Record
	// Follow listens to what happens in a session.
	Follow    func(stream.Filter) *stream.Reader
	Histories Histories
	Names     *rounds.SessionNames
	Providers Providers
	Access    Access
	Files     rounds.Files
	// Failure says what a client may know of an error.
	Failure func(error) *api.Failure
	// PublicURL is under which people reach the page; "": where the request came to.
	PublicURL string
	Clock     clock.Clock
	NewID     domain.IDSource
}

// Sessions is the one door.
type Sessions interface {
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	UpdateSession(ctx context.Context, ws, session string, patch domain.SessionPatch) (*domain.Receipt, error)
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
	ForkSession(ctx context.Context, ws, session string, in domain.NewFork) (*domain.Receipt, error)
	// AnswerByText takes a message for the answer to an approval.
	AnswerByText(ctx context.Context, ws, approval string, d domain.Decision, said domain.NewMessage) (*domain.Receipt, error)
	RetrySession(ctx context.Context, ws, session string, ask domain.RetryRequest) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// Endings is what ends a response before its time, and what takes it away.
type Endings interface {
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	WithdrawMessage(ctx context.Context, ws, session, message string) (*domain.Receipt, error)
	DeleteSession(ctx context.Context, ws, session string) error
}

// Record reads what is kept. What is not there is a domain not_found error.
type Record interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	SessionByExternalID(ctx context.Context, ws, externalID string) (*domain.Session, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
	// Messages lists those in their place after a number, in order, then those that wait.
	Messages(ctx context.Context, ws, session string, after int64, limit int) ([]*domain.Message, error)
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Histories finds the sessions of what clients hold of their conversations.
type Histories interface {
	KnownHistories(ctx context.Context, ws string, hashes [2]string) ([]domain.KnownHistory, error)
	// RequestOf is what was said of the request that brought a message, in JSON.
	RequestOf(ctx context.Context, ws, session, message string) (string, error)
	// SessionOf is the session of a message; "" where there is no such message.
	SessionOf(ctx context.Context, ws, message string) (string, error)
}

// Providers lists the configured providers, and the commands that their models are offered.
type Providers interface {
	Providers(ctx context.Context, ws string) ([]*domain.Provider, error)
	rounds.Catalogue
}

// Access says whether who asked may still listen.
type Access interface {
	Still(ctx context.Context, id *auth.Identity) error
}
