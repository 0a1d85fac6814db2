package mcpserver

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// Config are the dependencies of the handler; all but PublicURL are required.
type Config struct {
	Commands  Sessions
	Record    Record
	Approvals Approvals
	Data      Data
	Documents Documents
	// Histories finds the message that the same request sent before.
	Histories Histories
	// Follow subscribes to the events of a session.
	Follow func(stream.Filter) *stream.Reader
	rounds.API
	// Keys seal what a client keeps for the server between two requests.
	Keys *seal.Keys
	// PublicURL is the base URL of the web app; "": that of the request.
	PublicURL string
	Version   string
	Clock     clock.Clock
}

// Sessions sends messages, answers and other commands to the scheduler.
type Sessions interface {
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	StopSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
	ExecuteAutomation(ctx context.Context, ws, id, by string) (*domain.Receipt, error)
}

// Record reads the record. Missing objects are domain errors with the code not_found.
type Record interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Sessions(ctx context.Context, ws string, filter domain.SessionFilter) ([]*domain.Session, string, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
	// Messages lists the messages after a sequence number, in order, followed by the queued ones.
	Messages(ctx context.Context, ws, session string, after int64, limit int) ([]*domain.Message, error)
	MessagePage(ctx context.Context, session *domain.Session, cursor string, limit int, latest bool) ([]*domain.Message, string, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Approvals reads approvals.
type Approvals interface {
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
}

// Data reads the user's data.
type Data interface {
	Zones(ctx context.Context, ws, cursor string, limit int) ([]userdata.Zone, string, error)
	Tools(ctx context.Context, ws, zone, cursor string, limit int) ([]userdata.Tool, string, error)
	ToolTypes(ctx context.Context, ws string) ([]userdata.ToolType, error)
	Entries(ctx context.Context, ws string, query userdata.EntryQuery) ([]userdata.Entry, string, error)
	ResolvePeriod(ctx context.Context, ws string, period domain.Period) (domain.Span, error)
	Search(ctx context.Context, ws string, query userdata.SearchQuery) ([]userdata.SearchHit, string, error)
}

// Documents reads the documents of the workspace.
type Documents interface {
	Documents(ctx context.Context, ws, cursor string, limit int) ([]userdata.Document, string, error)
	Document(ctx context.Context, ws, id string) (*userdata.Document, error)
}

// Histories finds messages by the hash of the request that brought them.
type Histories interface {
	KnownHistories(ctx context.Context, ws string, hashes [2]string) ([]domain.KnownHistory, error)
}
