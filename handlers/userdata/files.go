package userdata

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *FileHandlers) UploadFile(w http.ResponseWriter, r *http.Request) {
	name, content, err := uploaded(w, r)
	if err != nil {
		s.Fail(w, r, edge.IncompleteBody(err))
		return
	}
	if given := r.URL.Query().Get("name"); given != "" {
		name = given
	}
	work, err := s.RoomForWork(w, r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer work.Release()
	who := edge.Caller(r)
	f, err := s.Files.Upload(r.Context(), who.Workspace, who.Name, name, content)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", edge.FilesPath+"/"+f.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.FileFrom(f))
}

// uploaded is the file that a request brings, as the one part of a form or as its body.
func uploaded(w http.ResponseWriter, r *http.Request) (name string, content []byte, err error) {
	if r.ContentLength > edge.MaxUpload {
		return "", nil, tooLargeFile()
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		content, err = edge.WholeBody(w, r, edge.MaxUpload)
		if err == nil && len(content) == 0 {
			err = domain.Errorf(edge.CodeEmptyBody, "The body is empty: it is the file, or a form with the part file.")
		}
		return "", content, largeFile(err)
	}
	r.Body = http.MaxBytesReader(w, r.Body, edge.MaxUpload)
	form, err := r.MultipartReader()
	if err != nil {
		return "", nil, domain.Errorf(edge.CodeUnreadable, "The form has no boundary.")
	}
	part, err := form.NextPart()
	if err != nil {
		return "", nil, formError(err)
	}
	if part.FormName() != "file" {
		return "", nil, domain.Invalid("/"+part.FormName(), "unknown_field", "The form has one part, file.")
	}
	name = part.FileName()
	if content, err = io.ReadAll(part); err != nil {
		return "", nil, formError(err)
	}
	switch _, err = form.NextPart(); {
	case errors.Is(err, io.EOF):
		return name, content, nil
	case err != nil:
		return "", nil, formError(err)
	}
	return "", nil, domain.Invalid("/file", "count", "The form has one part, file. Send several files in several requests.")
}

// formError says what is wrong with a form that cannot be read to its end.
func formError(err error) error {
	var tooLarge *http.MaxBytesError
	var known *domain.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &tooLarge):
		return tooLargeFile()
	case errors.Is(err, io.EOF):
		return domain.Invalid("/file", "required", "The form has no part file.")
	case errors.Is(err, multipart.ErrMessageTooLarge), strings.HasPrefix(err.Error(), "multipart:"):
		return domain.Errorf(edge.CodeUnreadable, "The form cannot be read.")
	}
	return err
}

func largeFile(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return tooLargeFile()
	}
	return err
}

func tooLargeFile() error {
	return domain.Errorf(edge.CodeTooLarge, "A file may have %d bytes. Nothing was stored.", userdata.MaxFileBytes)
}

// MadeFile is the answer about a file that was stored.
func (s *FileHandlers) MadeFile(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*userdata.File, error) {
		return s.Files.File(r.Context(), ws, id)
	}, api.FileFrom)
}

func (s *FileHandlers) ListFiles(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.FileFrom, func(limit int) ([]*userdata.File, string, error) {
		return s.Files.Files(r.Context(), edge.Caller(r).Workspace, after, limit)
	})
}

func (s *FileHandlers) GetFile(w http.ResponseWriter, r *http.Request) {
	ws, id := edge.Caller(r).Workspace, chi.URLParam(r, "file_id")
	f, err := s.Files.File(r.Context(), ws, id)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	room, err := s.RoomFor(w, r, f.Bytes, edge.Accounts(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer room.Release()
	content, err := s.Files.FileContent(r.Context(), ws, id)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	h := w.Header()
	kind := f.MediaType
	if kind == userdata.MediaText {
		kind += "; charset=utf-8"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", edge.ContentPolicy)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+f.SHA256+`"`)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) //nolint:gosec // never as a page: see edge.ContentPolicy; the client may have gone
	}
}

func (s *FileHandlers) DeleteFile(w http.ResponseWriter, r *http.Request) {
	if err := s.Files.DeleteFile(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "file_id")); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
