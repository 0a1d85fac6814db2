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
	Edge        Edge
	Process     Process
	Door        Door
	Reads       Reads
	Streams     Streams
	Automations AutomationPorts
	Data        DataPorts
	Catalogue   CataloguePorts
	Providers   ProviderPorts
	Settings    SettingsPorts
	// Web serves everything that is no route of the API (the web page). Optional.
	Web http.Handler
}

// Edge is what every request passes: who calls, what is repeated, what is measured.
type Edge struct {
	Auth        Authenticator
	Idempotency IdempotencyStore
	Tickets     auth.TicketStore
	Metrics     Metrics // optional
	Log         zerolog.Logger
	Clock       clock.Clock
	// Draining says that the server is shutting down: not ready, no new work. Optional.
	Draining func() bool
	// Origins of pages that may use the API beside the server's own. Optional.
	Origins auth.Origins
	// RateLimits bound what one caller may ask. Optional: see there for what holds then.
	RateLimits RateLimits
}

// Process is what the server tells of itself.
type Process struct {
	Version VersionInfo
	Health  Health
	Admin   Admin
	// MetricsPage is what GET /metrics serves. Optional: 404 without it.
	MetricsPage http.Handler
}

// Door is the one door to the sessions, in parts.
type Door struct {
	Sessions Sessions
	Steering Steering
	Messages Messages
	Answers  Answers
}

// Reads are what is read of sessions.
type Reads struct {
	SessionReader   SessionReader
	WorkspaceReader WorkspaceReader
	Record          Record
}

// AutomationPorts are about automations and their runs.
type AutomationPorts struct {
	Automations Automations
	Runs        Runs
	Seeds       Seeds
	Grants      Grants
	Schedules   Schedules
}

// DataPorts are the user's data.
type DataPorts struct {
	Zones      Zones
	Tools      Tools
	ToolTypes  ToolTypes
	Entries    Entries
	EntryFiles EntryFiles
	Documents  Documents
	Versions   DocumentVersions
	Undo       Undo
	Periods    Periods
	Search     Search
}

// CataloguePorts are about what the AI is told and may ask for.
type CataloguePorts struct {
	RichText  RichText
	Catalogue Catalogue
	// Chunks are those of the prompt's level 1.
	Chunks func() []domain.Chunk
}

// ProviderPorts are about the AI providers.
type ProviderPorts struct {
	Providers     Providers
	ProviderProbe ProviderProbe
}

// SettingsPorts are a workspace's settings and keys, and the workspaces.
type SettingsPorts struct {
	Settings   Settings
	Keys       Keys
	Workspaces Workspaces
}

// server has the handlers of all routes, in groups that know only what they call.
type server struct {
	*edge
	sessions    *sessionRoutes
	events      *streamRoutes
	automations *automationRoutes
	data        *dataRoutes
	documents   *documentRoutes
	providers   *providerRoutes
	settings    *settingsRoutes
	process     *processRoutes
	web         http.Handler
}

// The groups of handlers. Each has what all share, and its own ports.
type (
	sessionRoutes struct {
		*edge
		Door
		Reads
		CataloguePorts
		SettingsPorts
	}
	streamRoutes struct {
		*edge
		Reads
		Streams Streams
	}
	automationRoutes struct {
		*edge
		AutomationPorts
		SessionReader SessionReader
	}
	dataRoutes struct {
		*edge
		DataPorts
	}
	documentRoutes struct {
		*edge
		DataPorts
	}
	providerRoutes struct {
		*edge
		ProviderPorts
	}
	settingsRoutes struct {
		*edge
		SettingsPorts
		CataloguePorts
		ProviderPorts
	}
	processRoutes struct {
		*edge
		Process
	}
)

// New makes the handler of the whole API. It panics if a route names no role: that is
// a mistake in the program, found by the first test that starts it.
func New(c Config) http.Handler {
	s := newServer(c)
	return s.middleware(s.routes())
}

func newServer(c Config) *server {
	e := newEdge(c.Edge)
	return &server{
		edge:        e,
		sessions:    &sessionRoutes{e, c.Door, c.Reads, c.Catalogue, c.Settings},
		events:      &streamRoutes{e, c.Reads, c.Streams},
		automations: &automationRoutes{e, c.Automations, c.Reads.SessionReader},
		data:        &dataRoutes{e, c.Data},
		documents:   &documentRoutes{e, c.Data},
		providers:   &providerRoutes{e, c.Providers},
		settings:    &settingsRoutes{e, c.Settings, c.Catalogue, c.Providers},
		process:     &processRoutes{e, c.Process},
		web:         c.Web,
	}
}
