package userdata

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *DocumentHandlers) ListDocuments(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.DocumentFrom, func(limit int) ([]*userdata.Document, string, error) {
		return edge.Pointed(s.Documents.Documents(r.Context(), edge.Caller(r).Workspace, after, limit))
	})
}

func (s *DocumentHandlers) CreateDocument(w http.ResponseWriter, r *http.Request) {
	var in api.NewDocument
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	doc, seq, err := s.Documents.CreateDocument(r.Context(), edge.Caller(r).Workspace, api.FieldsOf[userdata.NewDocument](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, doc.Version)
	w.Header().Set("Location", "/v1/documents/"+doc.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.DocumentFrom(doc))
}

func (s *DocumentHandlers) GetDocument(w http.ResponseWriter, r *http.Request) {
	doc, err := s.Documents.Document(r.Context(), edge.Caller(r).Workspace, documentID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, doc.Version)
	s.WriteJSON(w, r, http.StatusOK, api.DocumentFrom(doc))
}

func (s *DocumentHandlers) UpdateDocument(w http.ResponseWriter, r *http.Request) {
	var in api.DocumentPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	doc, seq, err := s.Documents.UpdateDocument(r.Context(), edge.Caller(r).Workspace, documentID(r), edge.IfMatch(r),
		api.PatchOf[userdata.DocumentFields](in))
	s.writeDocument(w, r, doc, seq, err)
}

func (s *DocumentHandlers) PublishDocument(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	doc, seq, err := s.Documents.PublishDocument(r.Context(), edge.Caller(r).Workspace,
		documentID(r), edge.IfMatch(r), edge.Caller(r).Author())
	s.writeDocument(w, r, doc, seq, err)
}

func (s *DocumentHandlers) writeDocument(w http.ResponseWriter, r *http.Request, doc *userdata.Document, seq int64, err error) {
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, doc.Version)
	s.WriteJSON(w, r, http.StatusOK, api.DocumentFrom(doc))
}

func (s *DocumentHandlers) DeleteDocument(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Documents.DeleteDocument(r.Context(), edge.Caller(r).Workspace, documentID(r), edge.IfMatch(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}

func (s *DocumentHandlers) ListDocumentVersions(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.DocumentVersionFrom, func(limit int) ([]*userdata.DocumentVersion, string, error) {
		return edge.Pointed(s.Versions.DocumentVersions(r.Context(), edge.Caller(r).Workspace, documentID(r), after, limit))
	})
}

func (s *DocumentHandlers) GetDocumentVersion(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseInt(chi.URLParam(r, "version"), 10, 64)
	if err != nil || number < 1 {
		s.Fail(w, r, domain.NotFound("published version")) // versions are numbers
		return
	}
	version, err := s.Versions.DocumentVersion(r.Context(), edge.Caller(r).Workspace, documentID(r), number)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.DocumentVersionFrom(version)
	out.Body = &version.Body
	s.WriteJSON(w, r, http.StatusOK, out)
}

func documentID(r *http.Request) string { return chi.URLParam(r, "document_id") }
