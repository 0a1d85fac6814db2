package handlers

// sessionRoutes handles requests for sessions, their messages, their record and what waits for a person.
type sessionRoutes struct {
	*edge
	SessionPorts
}

// newSessions makes the handlers of a server.
func newSessions(e *edge, ports SessionPorts) *sessionRoutes { return &sessionRoutes{e, ports} }

// streamRoutes handles requests for the log of events, as pages and as streams.
type streamRoutes struct {
	*edge
	EventPorts
}

// newEvents makes the handlers of a server.
func newEvents(e *edge, ports EventPorts) *streamRoutes { return &streamRoutes{e, ports} }

// dataRoutes handles requests for zones, tools and entries.
type dataRoutes struct {
	*edge
	DataPorts
}

// newData makes the handlers of a server.
func newData(e *edge, ports DataPorts) *dataRoutes { return &dataRoutes{e, ports} }

// documentRoutes handles requests for documents.
type documentRoutes struct {
	*edge
	DataPorts
}

// newDocuments makes the handlers of a server.
func newDocuments(e *edge, ports DataPorts) *documentRoutes { return &documentRoutes{e, ports} }

// automationRoutes handles requests for automations and their runs.
type automationRoutes struct {
	*edge
	AutomationPorts
}

// newAutomations makes the handlers of a server.
func newAutomations(e *edge, ports AutomationPorts) *automationRoutes {
	return &automationRoutes{e, ports}
}

// providerRoutes handles requests for the providers of AI models.
type providerRoutes struct {
	*edge
	ProviderPorts
}

// newProviders makes the handlers of a server.
func newProviders(e *edge, ports ProviderPorts) *providerRoutes { return &providerRoutes{e, ports} }

// connectorRoutes handles requests for connectors.
type connectorRoutes struct {
	*edge
	ConnectorPorts
}

// newConnectors makes the handlers of a server.
func newConnectors(e *edge, ports ConnectorPorts) *connectorRoutes { return &connectorRoutes{e, ports} }

// webhookRoutes handles requests for webhooks.
type webhookRoutes struct {
	*edge
	WebhookPorts
}

// newWebhooks makes the handlers of a server.
func newWebhooks(e *edge, ports WebhookPorts) *webhookRoutes { return &webhookRoutes{e, ports} }

// peopleRoutes handles requests for people who sign in.
type peopleRoutes struct {
	*edge
	PeoplePorts
}

// newPeople makes the handlers of a server.
func newPeople(e *edge, ports PeoplePorts) *peopleRoutes { return &peopleRoutes{e, ports} }

// settingsRoutes handles requests for a workspace's settings and keys.
type settingsRoutes struct {
	*edge
	SettingsPorts
}

// newSettings makes the handlers of a server.
func newSettings(e *edge, ports SettingsPorts) *settingsRoutes { return &settingsRoutes{e, ports} }

// processRoutes handles requests for the server itself.
type processRoutes struct {
	*edge
	AdminPorts
}

// newProcess makes the handlers of a server.
func newProcess(e *edge, ports AdminPorts) *processRoutes { return &processRoutes{e, ports} }

// fileRoutes handles requests for files.
type fileRoutes struct {
	*edge
	Files Files
}

// newFiles makes the handlers of a server.
func newFiles(e *edge, files Files) *fileRoutes { return &fileRoutes{e, files} }

// newAgents makes the handlers of a server.
func newAgents(e *edge, agents Agents) *agentRoutes { return &agentRoutes{e, agents} }

// newTasks makes the handlers of a server.
func newTasks(e *edge, ports TaskPorts) *taskRoutes {
	return &taskRoutes{e, ports, newReports(e.Clock)}
}

// newLinks makes the handlers of a server.
func newLinks(e *edge, ports SessionPorts) *linkRoutes {
	return &linkRoutes{e, ports.Links, ports.WorkspaceReader, ports.Answers, ports.Settings}
}
