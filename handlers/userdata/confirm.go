package userdata

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// confirming records that a person has read the external content of rows. A row without any stays as it is, and seq is 0.
type confirming interface {
	ConfirmZone(ctx context.Context, ws, id string, version int64, by domain.Author) (zone *userdata.Zone, seq int64, err error)
	ConfirmToolType(ctx context.Context, ws, id string, version int64, by domain.Author) (t *userdata.ToolType, seq int64, err error)
	ConfirmTool(ctx context.Context, ws, id string, version int64, by domain.Author) (tool *userdata.Tool, seq int64, err error)
	ConfirmEntry(ctx context.Context, ws, id string, version int64, by domain.Author) (entry *userdata.Entry, seq int64, err error)
	ConfirmDocument(ctx context.Context, ws, id string, version int64, by domain.Author) (doc *userdata.Document, seq int64, err error)
}

// TrustHandlers handles requests that confirm rows.
type TrustHandlers struct {
	*edge.Edge
	rows confirming
}

// NewTrust makes the handlers of a server.
func NewTrust(e *edge.Edge, ports Ports) *TrustHandlers { return &TrustHandlers{e, ports.Confirming} }

func (s *TrustHandlers) ConfirmZone(w http.ResponseWriter, r *http.Request) {
	confirmed(s, w, r, "zone_id", s.rows.ConfirmZone, api.ZoneFrom, func(z *userdata.Zone) int64 { return z.Version })
}

func (s *TrustHandlers) ConfirmToolType(w http.ResponseWriter, r *http.Request) {
	confirmed(s, w, r, "tool_type_id", s.rows.ConfirmToolType, api.ToolTypeFrom,
		func(t *userdata.ToolType) int64 { return t.Version })
}

func (s *TrustHandlers) ConfirmTool(w http.ResponseWriter, r *http.Request) {
	confirmed(s, w, r, "tool_id", s.rows.ConfirmTool, api.ToolFrom, func(t *userdata.Tool) int64 { return t.Version })
}

func (s *TrustHandlers) ConfirmEntry(w http.ResponseWriter, r *http.Request) {
	confirmed(s, w, r, "entry_id", s.rows.ConfirmEntry, api.EntryFrom, func(e *userdata.Entry) int64 { return e.Version })
}

func (s *TrustHandlers) ConfirmDocument(w http.ResponseWriter, r *http.Request) {
	confirmed(s, w, r, "document_id", s.rows.ConfirmDocument, api.DocumentFrom,
		func(d *userdata.Document) int64 { return d.Version })
}

// confirmed confirms the row that the path names, and answers with it.
func confirmed[T, A any](
	s *TrustHandlers, w http.ResponseWriter, r *http.Request, param string,
	confirm func(ctx context.Context, ws, id string, version int64, by domain.Author) (*T, int64, error), from func(*T) *A,
	version func(*T) int64,
) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	caller := edge.Caller(r)
	row, seq, err := confirm(r.Context(), caller.Workspace, chi.URLParam(r, param), edge.IfMatch(r), caller.Author())
	writeRestored(s.Edge, w, r, row, seq, err, from, version)
}
