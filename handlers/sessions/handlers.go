package sessions

import "github.com/fermata-dev/fermata/handlers/edge"

// Handlers handles requests for sessions, their messages, their record and what waits for a person.
type Handlers struct {
	*edge.Edge
	Ports
}

// New makes the handlers of a server.
func New(e *edge.Edge, ports Ports) *Handlers { return &Handlers{e, ports} }

// NewLinks makes the handlers of a server.
func NewLinks(e *edge.Edge, ports Ports) *LinkHandlers {
	return &LinkHandlers{e, ports.Links, ports.WorkspaceReader, ports.Answers, ports.Settings}
}
