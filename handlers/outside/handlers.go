package outside

import "github.com/fermata-dev/fermata/handlers/edge"

// AgentHandlers handles requests for agents.
type AgentHandlers struct {
	*edge.Edge
	Agents Agents
}

// ProviderHandlers handles requests for the providers of AI models.
type ProviderHandlers struct {
	*edge.Edge
	ProviderPorts
}

// NewProviders makes the handlers of a server.
func NewProviders(e *edge.Edge, ports ProviderPorts) *ProviderHandlers {
	return &ProviderHandlers{e, ports}
}

// ConnectorHandlers handles requests for connectors.
type ConnectorHandlers struct {
	*edge.Edge
	ConnectorPorts
}

// NewConnectors makes the handlers of a server.
func NewConnectors(e *edge.Edge, ports ConnectorPorts) *ConnectorHandlers {
	return &ConnectorHandlers{e, ports}
}

// WebhookHandlers handles requests for webhooks.
type WebhookHandlers struct {
	*edge.Edge
	WebhookPorts
}

// NewWebhooks makes the handlers of a server.
func NewWebhooks(e *edge.Edge, ports WebhookPorts) *WebhookHandlers {
	return &WebhookHandlers{e, ports}
}

// NewAgents makes the handlers of a server.
func NewAgents(e *edge.Edge, agents Agents) *AgentHandlers { return &AgentHandlers{e, agents} }

// NewTasks makes the handlers of a server.
func NewTasks(e *edge.Edge, ports TaskPorts) *TaskHandlers {
	return &TaskHandlers{e, ports, newReports(e.Clock)}
}

// TaskHandlers handles requests for tasks, and the reports of services.
type TaskHandlers struct {
	*edge.Edge
	TaskPorts

	reports *reports
}
