package userdata

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) RestoreZone(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	zone, seq, err := s.Undo.RestoreZone(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "zone_id"))
	writeRestored(s.Edge, w, r, zone, seq, err, api.ZoneFrom, func(z *userdata.Zone) int64 { return z.Version })
}

func (s *Handlers) RestoreTool(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	tool, seq, err := s.Undo.RestoreTool(r.Context(), edge.Caller(r).Workspace, toolID(r))
	writeRestored(s.Edge, w, r, tool, seq, err, api.ToolFrom, func(t *userdata.Tool) int64 { return t.Version })
}

func (s *Handlers) RestoreEntry(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	entry, seq, err := s.Undo.RestoreEntry(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "entry_id"))
	writeRestored(s.Edge, w, r, entry, seq, err, api.EntryFrom, func(e *userdata.Entry) int64 { return e.Version })
}

func (s *DocumentHandlers) RestoreDocument(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	doc, seq, err := s.Undo.RestoreDocument(r.Context(), edge.Caller(r).Workspace, documentID(r))
	s.writeDocument(w, r, doc, seq, err)
}

// writeRestored answers with what came back.
func writeRestored[T, A any](
	s *edge.Edge, w http.ResponseWriter, r *http.Request, back *T, seq int64, err error, from func(*T) *A, version func(*T) int64,
) {
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, version(back))
	s.WriteJSON(w, r, http.StatusOK, from(back))
}
