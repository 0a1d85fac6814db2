package userdata

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) MadeZone(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*userdata.Zone, error) {
		return s.Zones.Zone(r.Context(), ws, id)
	}, api.ZoneFrom)
}

func (s *Handlers) MadeTool(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*userdata.Tool, error) {
		return s.Tools.Tool(r.Context(), ws, id)
	}, api.ToolFrom)
}

func (s *Handlers) MadeEntry(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*userdata.Entry, error) {
		return s.Entries.Entry(r.Context(), ws, id)
	}, api.EntryFrom)
}

func (s *DocumentHandlers) MadeDocument(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*userdata.Document, error) {
		return s.Documents.Document(r.Context(), ws, id)
	}, api.DocumentFrom)
}

func (s *Handlers) CurrentZone(r *http.Request, ws string, _ *edge.KeyClaim) (status int, body any, err error) {
	found, err := s.Zones.Zone(r.Context(), ws, chi.URLParam(r, "zone_id"))
	return edge.RebuildCurrent(found, err, api.ZoneFrom)
}

func (s *Handlers) CurrentTool(r *http.Request, ws string, _ *edge.KeyClaim) (status int, body any, err error) {
	found, err := s.Tools.Tool(r.Context(), ws, toolID(r))
	return edge.RebuildCurrent(found, err, api.ToolFrom)
}

func (s *Handlers) CurrentEntry(r *http.Request, ws string, _ *edge.KeyClaim) (status int, body any, err error) {
	found, err := s.Entries.Entry(r.Context(), ws, chi.URLParam(r, "entry_id"))
	return edge.RebuildCurrent(found, err, api.EntryFrom)
}

func (s *DocumentHandlers) CurrentDocument(r *http.Request, ws string, _ *edge.KeyClaim) (status int, body any, err error) {
	found, err := s.Documents.Document(r.Context(), ws, documentID(r))
	return edge.RebuildCurrent(found, err, api.DocumentFrom)
}
