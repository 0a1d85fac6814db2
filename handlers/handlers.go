package handlers

import (
	"net/http"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is all that the API needs. Every field is required unless its comment says
// otherwise.
type Config struct {
	// The edge: who calls, what is repeated, what is streamed, what is measured.
	Auth        Authenticator
	Idempotency IdempotencyStore
	Tickets     auth.TicketStore
	Streams     Streams
	Metrics     Metrics // optional
	Log         zerolog.Logger
	Clock       clock.Clock
	Version     VersionInfo
	// Draining says that the server is shutting down: not ready, no new work.
	Draining func() bool
	// Origins of pages that may use the API beside the server's own. Optional.
	Origins auth.Origins
	// RateLimits bound what one caller may ask. Optional: see there for what holds then.
	RateLimits RateLimits
	Health     Health
	// MetricsPage is what GET /metrics serves. Optional: 404 without it.
	MetricsPage http.Handler
	// Web serves everything that is no route of the API (the web page). Optional.
	Web http.Handler

	// The one door to the sessions, in parts.
	Sessions     Sessions
	Steering     Steering
	Conversation Conversation
	Answers      Answers

	// Reads.
	SessionReader   SessionReader
	WorkspaceReader WorkspaceReader
	Record          Record

	// The user's data and the configuration.
	RichText  RichText
	Catalogue Catalogue
	Schedules Schedules
	// Chunks are those of the prompt's level 1.
	Chunks        func() []domain.Chunk
	Automations   Automations
	Runs          Runs
	Seeds         Seeds
	Grants        Grants
	Zones         Zones
	Tools         Tools
	ToolTypes     ToolTypes
	Entries       Entries
	Documents     Documents
	EntryFiles    EntryFiles
	Versions      DocumentVersions
	Undo          Undo
	Periods       Periods
	Search        Search
	Providers     Providers
	ProviderProbe ProviderProbe
	Settings      Settings
	Keys          Keys
	Workspaces    Workspaces
	Admin         Admin
}

// server holds what the handlers share. Its methods are the handlers.
type server struct {
	Config
	edge
}

// New makes the handler of the whole API. It panics if a route names no role: that is
// a mistake in the program, found by the first test that starts it.
func New(c Config) http.Handler {
	s := &server{Config: c, edge: newEdge(&c)}
	return s.middleware(s.routes())
}
