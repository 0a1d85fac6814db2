package handlers

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// Files keeps what people upload. What a file is, Upload finds from its content.
type Files interface {
	Upload(ctx context.Context, ws, by, name string, content []byte) (*domain.File, error)
	File(ctx context.Context, ws, id string) (*domain.File, error)
	Files(ctx context.Context, ws, cursor string, limit int) ([]*domain.File, string, error)
	FileContent(ctx context.Context, ws, id string) ([]byte, error)
	DeleteFile(ctx context.Context, ws, id string) error
}

func (s *fileRoutes) uploadFile(w http.ResponseWriter, r *http.Request) {
	name, content, err := uploaded(w, r)
	if err != nil {
		s.fail(w, r, incompleteBody(err))
		return
	}
	if given := r.URL.Query().Get("name"); given != "" {
		name = given
	}
	work, err := s.roomForWork(w, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer work.release()
	who := caller(r)
	f, err := s.Files.Upload(r.Context(), who.Workspace, who.Name, name, content)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", filesPath+"/"+f.ID)
	s.writeJSON(w, r, http.StatusCreated, api.FileFrom(f))
}

// uploaded is the file that a request brings, as the one part of a form or as its body.
func uploaded(w http.ResponseWriter, r *http.Request) (name string, content []byte, err error) {
	if r.ContentLength > maxUpload {
		return "", nil, tooLargeFile()
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		content, err = wholeBody(w, r, maxUpload)
		if err == nil && len(content) == 0 {
			err = domain.Errorf(CodeEmptyBody, "The body is empty: it is the file, or a form with the part file.")
		}
		return "", content, largeFile(err)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	form, err := r.MultipartReader()
	if err != nil {
		return "", nil, domain.Errorf(CodeUnreadable, "The form has no boundary.")
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
		return domain.Errorf(CodeUnreadable, "The form cannot be read.")
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
	return domain.Errorf(CodeTooLarge, "A file may have %d bytes. Nothing was stored.", domain.MaxFileBytes)
}

// madeFile is the answer about a file that was stored.
func (s *fileRoutes) madeFile(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*domain.File, error) { return s.Files.File(r.Context(), ws, id) }, api.FileFrom)
}

func (s *fileRoutes) listFiles(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.FileFrom, func(limit int) ([]*domain.File, string, error) {
		return s.Files.Files(r.Context(), caller(r).Workspace, after, limit)
	})
}

func (s *fileRoutes) getFile(w http.ResponseWriter, r *http.Request) {
	ws, id := caller(r).Workspace, chi.URLParam(r, "file_id")
	f, err := s.Files.File(r.Context(), ws, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	room, err := s.roomFor(w, r, f.Bytes, accounts(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer room.release()
	content, err := s.Files.FileContent(r.Context(), ws, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	h := w.Header()
	kind := f.MediaType
	if kind == domain.MediaText {
		kind += "; charset=utf-8"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+f.SHA256+`"`)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) //nolint:gosec // never as a page: see contentPolicy; the client may have gone
	}
}

func (s *fileRoutes) deleteFile(w http.ResponseWriter, r *http.Request) {
	if err := s.Files.DeleteFile(r.Context(), caller(r).Workspace, chi.URLParam(r, "file_id")); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
