package mcpserver

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/rounds"
)

// Config are the dependencies of the handler; all but PublicURL are required, and of rounds.Config all but
// what attachments and tools of clients need.
type Config struct {
	rounds.Config
	Runs       Runs
	Workspaces Workspaces
	Data       Data
	Documents  Documents
	// Keys seal what a client keeps for the server between two requests.
	Keys *seal.Keys
	// PublicURL is the base URL of the web app; "": that of the request.
	PublicURL string
	Version   string
}

// Runs starts and stops what sessions do.
type Runs interface {
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	StopSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	ExecuteAutomation(ctx context.Context, ws, id, by string) (*domain.Receipt, error)
}

// Workspaces reads workspaces and lists their sessions.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	Sessions(ctx context.Context, ws string, filter domain.SessionFilter) ([]*domain.Session, string, error)
}

// Data reads the user's data.
type Data interface {
	Zones(ctx context.Context, ws, cursor string, limit int) ([]userdata.Zone, string, error)
	Tools(ctx context.Context, ws, zone, cursor string, limit int) ([]userdata.Tool, string, error)
	ToolTypes(ctx context.Context, ws string) ([]userdata.ToolType, error)
	Entries(ctx context.Context, ws string, query userdata.EntryQuery) ([]userdata.Entry, string, error)
	ResolvePeriod(ctx context.Context, ws string, period calendar.Period) (calendar.Span, error)
	Search(ctx context.Context, ws string, query userdata.SearchQuery) ([]userdata.SearchHit, string, error)
}

// Documents reads the documents of the workspace.
type Documents interface {
	Documents(ctx context.Context, ws, cursor string, limit int) ([]userdata.Document, string, error)
	Document(ctx context.Context, ws, id string) (*userdata.Document, error)
}
