package handlers

import (
	"context"
	"net/http"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is all that the API needs. Every field is required unless its comment says otherwise.
type Config struct {
	Edge        Edge
	Sessions    SessionPorts
	Events      EventPorts
	UserData    DataPorts
	Automations AutomationPorts
	Outside     OutsidePorts
	People      PeoplePorts
	Admin       AdminPorts
	// Protocols are other protocols to the same sessions. Optional, each of them.
	Protocols Protocols
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
	Cookies    auth.Cookies
	// PublicURL is where browsers reach the server, without a / at the end; empty: the address
	// that the request came to.
	PublicURL string
	// Language is that of a workspace, for callers who prefer none; "": it could not be read. Optional.
	Language func(ctx context.Context, workspace string) string
}

// AdminPorts are about the server itself.
type AdminPorts struct {
	Version    VersionInfo
	Health     Health
	Admin      Admin
	Workspaces Workspaces
	// MetricsPage is what GET /metrics serves. Optional: 404 without it.
	MetricsPage http.Handler
}

// SessionPorts are the door to the sessions, in parts, and what is read of them.
type SessionPorts struct {
	Sessions        Sessions
	Steering        Steering
	Again           Again
	Messages        Messages
	Answers         Answers
	SessionReader   SessionReader
	WorkspaceReader WorkspaceReader
	Record          Record
	RichText        RichText
	Catalogue       Catalogue
	Settings        SettingsReader
	Links           LinkPorts
}

// EventPorts are the log of events, and what a listener gets first.
type EventPorts struct {
	Sessions  SessionLog
	Workspace WorkspaceState
	Streams   Streams
}

// AutomationPorts are about automations and their runs.
type AutomationPorts struct {
	Automations Automations
	Runs        Runs
	RunReader   RunReader
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
	Files      Files
}

// OutsidePorts are what connects the server with others, and what the AI calls beside its
// commands.
type OutsidePorts struct {
	Providers  ProviderPorts
	Connectors ConnectorPorts
	Webhooks   WebhookPorts
	Tasks      TaskPorts
	Agents     Agents
}

// ProviderPorts are about the AI providers.
type ProviderPorts struct {
	Providers     Providers
	ProviderProbe ProviderProbe
}

// ConnectorPorts are about the servers outside whose commands join the catalogue.
type ConnectorPorts struct {
	Connectors     Connectors
	ConnectorProbe ConnectorProbe
	SignIn         ConnectorSignIn
	Previewer      ConnectorPreviewer
}

// WebhookPorts manage webhooks and their deliveries.
type WebhookPorts struct {
	Webhooks Webhooks
	Sending  WebhookSending
}

// PeoplePorts are how people sign in, and their settings.
type PeoplePorts struct {
	SignIns    SignIns
	Passkeys   Passkeys
	Pushes     Pushes
	Issuer     Issuer // optional: without one people sign in with keys
	Workspaces WorkspaceList
	Settings   SettingsPorts
}

// SettingsPorts are a workspace's settings and keys.
type SettingsPorts struct {
	Settings  Settings
	Keys      Keys
	Providers ProviderReader
	// Chunks are those of the prompt's level 1.
	Chunks func() []domain.Chunk
	// MailOff says why this server sends no mail (MailNoServer, MailNoAddress); empty: it does.
	MailOff string
}
