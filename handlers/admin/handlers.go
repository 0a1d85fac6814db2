package admin

import "github.com/fermata-dev/fermata/handlers/edge"

// Handlers handles requests for the server itself.
type Handlers struct {
	*edge.Edge
	Ports
}

// New makes the handlers of a server.
func New(e *edge.Edge, ports Ports) *Handlers { return &Handlers{e, ports} }
