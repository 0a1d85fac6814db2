package handlers

import "net/http"

// server has the handlers of all routes, in groups that know only what they call.
type server struct {
	*edge
	sessions       *sessionRoutes
	links          *linkRoutes
	events         *streamRoutes
	data           *dataRoutes
	documents      *documentRoutes
	files          *fileRoutes
	automations    *automationRoutes
	providers      *providerRoutes
	connectors     *connectorRoutes
	webhooks       *webhookRoutes
	tasks          *taskRoutes
	agents         *agentRoutes
	people         *peopleRoutes
	settings       *settingsRoutes
	process        *processRoutes
	protocolRoutes []ProtocolRoute
	web            http.Handler
}

// New makes the handler of the whole API. It panics if a route names no role: that is
// a mistake in the program, found by the first test that starts it.
func New(c Config) http.Handler {
	s := newServer(c)
	return s.middleware(s.routes())
}

func newServer(c Config) *server {
	protocols := protocolTable(c.Protocols)
	e := newEdge(c.Edge, protocols)
	return &server{
		edge:           e,
		sessions:       newSessions(e, c.Sessions),
		links:          newLinks(e, c.Sessions),
		events:         newEvents(e, c.Events),
		data:           newData(e, c.UserData),
		documents:      newDocuments(e, c.UserData),
		files:          newFiles(e, c.UserData.Files),
		automations:    newAutomations(e, c.Automations),
		providers:      newProviders(e, c.Outside.Providers),
		connectors:     newConnectors(e, c.Outside.Connectors),
		webhooks:       newWebhooks(e, c.Outside.Webhooks),
		tasks:          newTasks(e, c.Outside.Tasks),
		agents:         newAgents(e, c.Outside.Agents),
		people:         newPeople(e, c.People),
		settings:       newSettings(e, c.People.Settings),
		process:        newProcess(e, c.Admin),
		protocolRoutes: protocols,
		web:            c.Web,
	}
}
