package userdata

import "github.com/fermata-dev/fermata/handlers/edge"

// Handlers handles requests for zones, tools and entries.
type Handlers struct {
	*edge.Edge
	Ports
}

// New makes the handlers of a server.
func New(e *edge.Edge, ports Ports) *Handlers { return &Handlers{e, ports} }

// DocumentHandlers handles requests for documents.
type DocumentHandlers struct {
	*edge.Edge
	Ports
}

// NewDocuments makes the handlers of a server.
func NewDocuments(e *edge.Edge, ports Ports) *DocumentHandlers { return &DocumentHandlers{e, ports} }

// FileHandlers handles requests for files.
type FileHandlers struct {
	*edge.Edge
	Files Files
}

// NewFiles makes the handlers of a server.
func NewFiles(e *edge.Edge, files Files) *FileHandlers { return &FileHandlers{e, files} }
