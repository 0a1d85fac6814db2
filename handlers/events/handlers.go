package events

import "github.com/fermata-dev/fermata/handlers/edge"

// Handlers handles requests for the log of events, as pages and as streams.
type Handlers struct {
	*edge.Edge
	Ports
}

// New makes the handlers of a server.
func New(e *edge.Edge, ports Ports) *Handlers { return &Handlers{e, ports} }
