package handlers

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newEntry struct {
	Timestamp *time.Time      `json:"timestamp"`
	Data      json.RawMessage `json:"data" validate:"required,object"`
}

// entryOf is the entry that a request asks for; without a time it happens now.
func (s *dataRoutes) entryOf(in *newEntry, tool string) domain.Entry {
	e := domain.Entry{ToolID: tool, Data: in.Data, Timestamp: s.Clock()}
	if in.Timestamp != nil {
		e.Timestamp = storable(*in.Timestamp)
	}
	return e
}

// storable cuts a time to what the databases keep.
func storable(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

type entryPatch struct {
	Timestamp *time.Time      `json:"timestamp"`
	Data      json.RawMessage `json:"data" validate:"omitempty,object"`
}

func (p *entryPatch) apply(e *domain.Entry) error {
	if p.Timestamp != nil {
		e.Timestamp = storable(*p.Timestamp)
	}
	if p.Data != nil {
		e.Data = p.Data
	}
	e.SessionID = "" // a client wrote it last
	return nil
}

func (s *dataRoutes) listEntries(w http.ResponseWriter, r *http.Request) {
	filter, err := s.entryFilter(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Add("Vary", "Accept")
	if prefers(r, "text/csv") {
		s.exportEntries(w, r, filter)
		return
	}
	ws := caller(r).Workspace
	if _, err := s.Tools.Tool(r.Context(), ws, filter.ToolID); err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, filter.Limit, api.EntryFrom, func(limit int) ([]*domain.Entry, string, error) {
		filter.Limit = limit
		return pointed(s.Entries.Entries(r.Context(), ws, filter))
	})
}

func (s *dataRoutes) entryFilter(r *http.Request) (f domain.EntryFilter, err error) {
	f.ToolID = toolID(r)
	if f.From, f.Until, err = s.spanOf(r); err != nil {
		return f, err
	}
	order, err := oneOf(r, "order", "asc", "desc")
	if err != nil {
		return f, err
	}
	f.Descending = order != "asc"
	f.Limit, f.Cursor, err = paging(r)
	return f, err
}

// spanOf reads ?from= and ?until=, or ?period=.
func (s *dataRoutes) spanOf(r *http.Request) (from, until time.Time, err error) {
	if from, err = timeOf(r, "from"); err != nil {
		return from, until, err
	}
	if until, err = timeOf(r, "until"); err != nil {
		return from, until, err
	}
	text := r.URL.Query().Get("period")
	switch {
	case text == "":
	case !from.IsZero() || !until.IsZero():
		err = domain.Invalid("/period", "not_together", "Give period, or from and until, not both.")
	default:
		return s.relativeSpan(r, text)
	}
	if err == nil && !from.IsZero() && !until.IsZero() && until.Before(from) {
		err = domain.Invalid("/until", "out_of_range", "until is before from.")
	}
	return from, until, err
}

// relativeSpan resolves "-1_WEEK", or "-3_DAY..0_DAY".
func (s *dataRoutes) relativeSpan(r *http.Request, text string) (from, until time.Time, err error) {
	// A "+" that was not escaped has become a space.
	text = strings.ReplaceAll(text, " ", "+")
	period := domain.Period{Relative: text}
	if first, last, two := strings.Cut(text, ".."); two {
		period = domain.Period{From: first, To: last}
	}
	span, err := s.Periods.ResolvePeriod(r.Context(), caller(r).Workspace, period)
	if err != nil {
		return from, until, domain.MovePointers(err, func(string) string { return "/period" })
	}
	return span.From, span.Until, nil
}

func (s *dataRoutes) createEntry(w http.ResponseWriter, r *http.Request) {
	var in newEntry
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	tool := toolID(r)
	entries := []domain.Entry{s.entryOf(&in, tool)}
	seq, err := s.Entries.CreateEntries(r.Context(), caller(r).Workspace, tool, entries)
	if err != nil {
		s.fail(w, r, oneEntry(err))
		return
	}
	setSeq(w, seq)
	setETag(w, entries[0].Version)
	w.Header().Set("Location", "/v1/entries/"+entries[0].ID)
	s.writeJSON(w, r, http.StatusCreated, api.EntryFrom(&entries[0]))
}

type newEntries struct {
	Entries []newEntry `json:"entries" validate:"min=1,max=500,dive"`
}

func (s *dataRoutes) createEntries(w http.ResponseWriter, r *http.Request) {
	var in newEntries
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	tool := toolID(r)
	entries := make([]domain.Entry, 0, len(in.Entries))
	for i := range in.Entries {
		entries = append(entries, s.entryOf(&in.Entries[i], tool))
	}
	seq, err := s.Entries.CreateEntries(r.Context(), caller(r).Workspace, tool, entries)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	out := api.EntryBatch{Data: make([]api.Entry, 0, len(entries))}
	for i := range entries {
		out.Data = append(out.Data, *api.EntryFrom(&entries[i]))
	}
	s.writeJSON(w, r, http.StatusCreated, out)
}

func (s *dataRoutes) getEntryStats(w http.ResponseWriter, r *http.Request) {
	from, until, err := s.spanOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	group, err := oneOf(r, "group_by", "day", "week", "month")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	query := StatsQuery{Field: r.URL.Query().Get("field"), From: from, Until: until, GroupBy: group}
	rows, err := s.Entries.EntryStats(r.Context(), caller(r).Workspace, toolID(r), query)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := api.StatsList{Data: make([]api.Stats, 0, len(rows))}
	for i := range rows {
		out.Data = append(out.Data, *api.StatsFrom(&rows[i]))
	}
	s.writeJSON(w, r, http.StatusOK, out)
}

func (s *dataRoutes) getEntry(w http.ResponseWriter, r *http.Request) {
	entry, err := s.Entries.Entry(r.Context(), caller(r).Workspace, chi.URLParam(r, "entry_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, entry.Version)
	s.writeJSON(w, r, http.StatusOK, api.EntryFrom(entry))
}

func (s *dataRoutes) updateEntry(w http.ResponseWriter, r *http.Request) {
	var in entryPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	entry, seq, err := s.Entries.UpdateEntry(r.Context(), caller(r).Workspace, chi.URLParam(r, "entry_id"), ifMatch(r), in.apply)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, entry.Version)
	s.writeJSON(w, r, http.StatusOK, api.EntryFrom(entry))
}

func (s *dataRoutes) deleteEntry(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Entries.DeleteEntry(r.Context(), caller(r).Workspace, chi.URLParam(r, "entry_id"), ifMatch(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}

// oneEntry makes the pointers of a list of one those of its only entry.
func oneEntry(err error) error {
	return domain.MovePointers(err, func(pointer string) string { return strings.TrimPrefix(pointer, "/entries/0") })
}
