package userdata

import (
	"mime"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// exportEntries sends every entry of a period as CSV.
func (s *Handlers) exportEntries(w http.ResponseWriter, r *http.Request, query userdata.EntryQuery) {
	if len(query.Fields) > 0 {
		s.Fail(w, r, domain.Invalid("/fields", "not_together", "A CSV file has all fields: leave fields out."))
		return
	}
	if query.OrderBy != "" { // each page would sort all entries again
		s.Fail(w, r, domain.Invalid("/order_by", "not_together", "A CSV file is in the order of time: leave order_by out."))
		return
	}
	for _, name := range []string{"limit", "after"} {
		if r.URL.Query().Has(name) {
			s.Fail(w, r, domain.Invalid("/"+name, "not_together", "A CSV file has no pages: leave %s out.", name))
			return
		}
	}
	if r.URL.Query().Get("order") == "" {
		query.Descending = false // a file begins at its beginning
	}
	room, err := s.RoomFor(w, r, edge.PageRoom, edge.ExportAccounts(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer room.Release()
	out := &fileWriter{w: w, name: query.ToolID + ".csv"}
	err = s.EntryFiles.ExportEntries(r.Context(), edge.Caller(r).Workspace, query, out)
	switch {
	case err == nil:
	case !out.begun:
		s.Fail(w, r, err)
	default:
		if r.Context().Err() == nil {
			s.Log.Warn().Err(err).Str("request_id", edge.RequestID(r)).Msg("an export broke off")
		}
		panic(http.ErrAbortHandler) // or the client would take the partial file for a complete one
	}
}

// fileWriter sends the head of the answer with the first bytes of a file.
type fileWriter struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

func (f *fileWriter) Write(b []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
		f.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.name}))
		f.w.WriteHeader(http.StatusOK)
	}
	return f.w.Write(b)
}

// ImportEntries stores a CSV file of entries, all or nothing.
func (s *Handlers) ImportEntries(w http.ResponseWriter, r *http.Request) {
	dryRun, err := edge.BoolOf(r, "dry_run")
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || kind != "text/csv" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		s.Fail(w, r, domain.Errorf(edge.CodeUnsupportedType, "Send the file as Content-Type: text/csv, in UTF-8."))
		return
	}
	if r.ContentLength > edge.MaxFile {
		s.Fail(w, r, domain.Errorf(edge.CodeTooLarge, "The file is larger than %d bytes. Nothing was stored; send it in parts.", edge.MaxFile))
		return
	}
	file := http.MaxBytesReader(w, r.Body, edge.MaxFile)
	result, seq, err := s.EntryFiles.ImportEntries(r.Context(), edge.Caller(r).Workspace, toolID(r), file, dryRun)
	if err != nil {
		s.Fail(w, r, edge.IncompleteBody(err))
		return
	}
	edge.SetSeq(w, seq)
	status := http.StatusCreated
	if dryRun {
		status = http.StatusOK
	}
	s.WriteJSON(w, r, status, api.ImportResultFrom(result))
}
