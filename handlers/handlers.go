package handlers

import "net/http"

// server has the handlers of all routes, in groups that know only what they call.
type server struct {
	*edge
	sessions       *sessionRoutes
	events         *streamRoutes
	automations    *automationRoutes
	data           *dataRoutes
	documents      *documentRoutes
	providers      *providerRoutes
	tasks          *taskRoutes
	connectors     *connectorRoutes
	settings       *settingsRoutes
	webhooks       *webhookRoutes
	people         *peopleRoutes
	agents         *agentRoutes
	files          *fileRoutes
	links          *linkRoutes
	process        *processRoutes
	protocolRoutes []ProtocolRoute
	web            http.Handler
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
	connectorRoutes struct {
		*edge
		ConnectorPorts
	}
	settingsRoutes struct {
		*edge
		SettingsPorts
		CataloguePorts
		ProviderPorts
	}
	webhookRoutes struct {
		*edge
		WebhookPorts
	}
	peopleRoutes struct {
		*edge
		SettingsPorts
		PeoplePorts
	}
	fileRoutes struct {
		*edge
		Files Files
	}
	processRoutes struct {
		*edge
		Process
		Workspaces Workspaces
	}
)

// New makes the handler of the whole API. It panics if a route names no role: that is
// a mistake in the program, found by the first test that starts it.
func New(c Config) http.Handler {
	s := newServer(c)
	return s.middleware(s.routes())
}

func newServer(c Config) *server {
	e := newEdge(c.Edge, c.Outside.Protocols)
	return &server{
		edge:           e,
		sessions:       &sessionRoutes{e, c.Door, c.Reads, c.Catalogue, c.Settings},
		events:         &streamRoutes{e, c.Reads, c.Streams},
		automations:    &automationRoutes{e, c.Automations, c.Reads.SessionReader},
		data:           &dataRoutes{e, c.Data},
		documents:      &documentRoutes{e, c.Data},
		providers:      &providerRoutes{e, c.Providers},
		tasks:          &taskRoutes{e, c.Door.Tasks, newReports(e.Clock)},
		connectors:     &connectorRoutes{e, c.Outside.Connectors},
		settings:       &settingsRoutes{e, c.Settings, c.Catalogue, c.Providers},
		webhooks:       &webhookRoutes{e, c.Outside.Webhooks},
		agents:         &agentRoutes{e, c.Outside.Agents},
		people:         &peopleRoutes{e, c.Settings, c.People},
		files:          &fileRoutes{e, c.Data.Files},
		links:          &linkRoutes{e, c.Outside.Links, c.Reads.WorkspaceReader, c.Door.Answers, c.Settings.Settings},
		process:        &processRoutes{e, c.Process, c.Settings.Workspaces},
		protocolRoutes: c.Outside.Protocols,
		web:            c.Web,
	}
}
