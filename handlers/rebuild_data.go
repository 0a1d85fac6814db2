package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func (s *dataRoutes) madeZone(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Zone, error) {
		return s.Zones.Zone(r.Context(), ws, id)
	}, api.ZoneFrom)
}

func (s *dataRoutes) madeTool(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Tool, error) {
		return s.Tools.Tool(r.Context(), ws, id)
	}, api.ToolFrom)
}

func (s *dataRoutes) madeEntry(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Entry, error) {
		return s.Entries.Entry(r.Context(), ws, id)
	}, api.EntryFrom)
}

func (s *documentRoutes) madeDocument(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Document, error) {
		return s.Documents.Document(r.Context(), ws, id)
	}, api.DocumentFrom)
}

func (s *dataRoutes) currentZone(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Zones.Zone(r.Context(), ws, chi.URLParam(r, "zone_id"))
	return current(found, err, api.ZoneFrom)
}

func (s *dataRoutes) currentTool(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Tools.Tool(r.Context(), ws, toolID(r))
	return current(found, err, api.ToolFrom)
}

func (s *dataRoutes) currentEntry(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Entries.Entry(r.Context(), ws, chi.URLParam(r, "entry_id"))
	return current(found, err, api.EntryFrom)
}

func (s *documentRoutes) currentDocument(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Documents.Document(r.Context(), ws, documentID(r))
	return current(found, err, api.DocumentFrom)
}
