package handlers

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func (s *documentRoutes) listDocuments(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.DocumentFrom, func(limit int) ([]*userdata.Document, string, error) {
		return pointed(s.Documents.Documents(r.Context(), caller(r).Workspace, after, limit))
	})
}

func (s *documentRoutes) createDocument(w http.ResponseWriter, r *http.Request) {
	var in api.NewDocument
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	doc, seq, err := s.Documents.CreateDocument(r.Context(), caller(r).Workspace, in.Domain())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, doc.Version)
	w.Header().Set("Location", "/v1/documents/"+doc.ID)
	s.writeJSON(w, r, http.StatusCreated, api.DocumentFrom(doc))
}

func (s *documentRoutes) getDocument(w http.ResponseWriter, r *http.Request) {
	doc, err := s.Documents.Document(r.Context(), caller(r).Workspace, documentID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, doc.Version)
	s.writeJSON(w, r, http.StatusOK, api.DocumentFrom(doc))
}

func (s *documentRoutes) updateDocument(w http.ResponseWriter, r *http.Request) {
	var in api.DocumentPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	doc, seq, err := s.Documents.UpdateDocument(r.Context(), caller(r).Workspace, documentID(r), ifMatch(r), in.Domain())
	s.writeDocument(w, r, doc, seq, err)
}

func (s *documentRoutes) publishDocument(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	doc, seq, err := s.Documents.PublishDocument(r.Context(), caller(r).Workspace, documentID(r), ifMatch(r), caller(r).Author())
	s.writeDocument(w, r, doc, seq, err)
}

func (s *documentRoutes) writeDocument(w http.ResponseWriter, r *http.Request, doc *userdata.Document, seq int64, err error) {
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, doc.Version)
	s.writeJSON(w, r, http.StatusOK, api.DocumentFrom(doc))
}

func (s *documentRoutes) deleteDocument(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Documents.DeleteDocument(r.Context(), caller(r).Workspace, documentID(r), ifMatch(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}

func (s *documentRoutes) listDocumentVersions(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.DocumentVersionFrom, func(limit int) ([]*userdata.DocumentVersion, string, error) {
		return pointed(s.Versions.DocumentVersions(r.Context(), caller(r).Workspace, documentID(r), after, limit))
	})
}

func (s *documentRoutes) getDocumentVersion(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseInt(chi.URLParam(r, "version"), 10, 64)
	if err != nil || number < 1 {
		s.fail(w, r, domain.NotFound("published version")) // versions are numbers
		return
	}
	version, err := s.Versions.DocumentVersion(r.Context(), caller(r).Workspace, documentID(r), number)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := api.DocumentVersionFrom(version)
	out.Body = &version.Body
	s.writeJSON(w, r, http.StatusOK, out)
}

func documentID(r *http.Request) string { return chi.URLParam(r, "document_id") }
