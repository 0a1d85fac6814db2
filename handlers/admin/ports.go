package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
)

// Workspaces keeps the workspaces. Creating one that exists is a domain conflict.
type Workspaces interface {
	Workspaces(ctx context.Context) ([]*domain.Workspace, error)
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	CreateWorkspace(ctx context.Context, ws *domain.Workspace) error
}

// Admin says how the server is.
type Admin interface {
	Invariants(ctx context.Context, ws string) ([]reports.Invariant, error)
	// Status is that of this process, as far as it concerns the workspace; whole: all of it,
	// and all nodes, for the operator. The providers are those of the workspace.
	Status(ctx context.Context, ws string, whole bool) (*Status, error)
}

// Status is a look at this process.
type Status struct {
	Node          string
	Incarnation   string
	StartedAt     time.Time
	Database      string // "sqlite" or "postgres"
	Sessions      int    // driven by this node now
	StreamClients int
	LeaseUntil    *time.Time
	Nodes         []reports.Node // all that share the database; only for the operator
	Breakers      []Breaker
}

// Breaker is that of a provider with recent failures. Model "": of all its models.
type Breaker struct {
	ProviderID string
	Model      string
	State      string
	Failures   int
	Until      time.Time
	LastError  string
}

// Ports are about the server itself.
type Ports struct {
	Version    VersionInfo
	Health     Health
	Admin      Admin
	Workspaces Workspaces
	// MetricsPage is what GET /metrics serves. Optional: 404 without it.
	MetricsPage http.Handler
}

// Health says whether the server can do its work.
type Health interface {
	Ping(ctx context.Context) error
}

// VersionInfo is what GET /version says.
type VersionInfo struct {
	Version string
	Commit  string
	BuiltAt string // RFC 3339; empty: unknown
}
