package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/handlers/admin"
	"github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/handlers/outside"
	"github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/handlers/userdata"
)

// server has the handlers of all routes, in groups that know only what they call.
type server struct {
	*edge.Edge
	sessions       *sessions.Handlers
	links          *sessions.LinkHandlers
	events         *events.Handlers
	data           *userdata.Handlers
	documents      *userdata.DocumentHandlers
	trust          *userdata.TrustHandlers
	files          *userdata.FileHandlers
	automations    *automations.Handlers
	providers      *outside.ProviderHandlers
	connectors     *outside.ConnectorHandlers
	webhooks       *outside.WebhookHandlers
	tasks          *outside.TaskHandlers
	agents         *outside.AgentHandlers
	people         *people.Handlers
	settings       *people.SettingsHandlers
	process        *admin.Handlers
	protocolRoutes []edge.ProtocolRoute
	web            http.Handler
}

// New makes the handler of the whole API. It panics if a route names no role: that is
// a mistake in the program, found by the first test that starts it.
func New(c Config) http.Handler {
	s := newServer(c)
	return s.Middleware(s.Routes())
}

func newServer(c Config) *server {
	protocols := protocolTable(c.Protocols)
	e := edge.New(c.Edge, protocols)
	return &server{
		Edge:           e,
		sessions:       sessions.New(e, c.Sessions),
		links:          sessions.NewLinks(e, c.Sessions),
		events:         events.New(e, c.Events),
		data:           userdata.New(e, c.UserData),
		documents:      userdata.NewDocuments(e, c.UserData),
		trust:          userdata.NewTrust(e, c.UserData),
		files:          userdata.NewFiles(e, c.UserData.Files),
		automations:    automations.New(e, c.Automations),
		providers:      outside.NewProviders(e, c.Outside.Providers),
		connectors:     outside.NewConnectors(e, c.Outside.Connectors),
		webhooks:       outside.NewWebhooks(e, c.Outside.Webhooks),
		tasks:          outside.NewTasks(e, c.Outside.Tasks),
		agents:         outside.NewAgents(e, c.Outside.Agents),
		people:         people.New(e, c.People),
		settings:       people.NewSettings(e, c.People.Settings),
		process:        admin.New(e, c.Admin),
		protocolRoutes: protocols,
		web:            c.Web,
	}
}
