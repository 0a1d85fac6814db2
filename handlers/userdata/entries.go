package userdata

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListEntries(w http.ResponseWriter, r *http.Request) {
	query, err := s.entryQuery(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Add("Vary", "Accept")
	if edge.Prefers(r, "text/csv") {
		s.exportEntries(w, r, query)
		return
	}
	ws := edge.Caller(r).Workspace
	if _, err := s.Tools.Tool(r.Context(), ws, query.ToolID); err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, query.Limit, api.EntryFrom, func(limit int) ([]*userdata.Entry, string, error) {
		query.Limit = limit
		return edge.Pointed(s.Entries.Entries(r.Context(), ws, query))
	})
}

func (s *Handlers) entryQuery(r *http.Request) (q userdata.EntryQuery, err error) {
	q.ToolID = toolID(r)
	if q.From, q.Until, err = s.spanOf(r); err != nil {
		return q, err
	}
	order, err := edge.OneOf(r, "order", "asc", "desc")
	if err != nil {
		return q, err
	}
	q.Descending = order != "asc"
	values := r.URL.Query()
	q.Where, q.OrderBy = json.RawMessage(values.Get("where")), values.Get("order_by")
	for _, list := range values["fields"] {
		for name := range strings.SplitSeq(list, ",") {
			if name != "" {
				q.Fields = append(q.Fields, name)
			}
		}
	}
	q.Limit, q.Cursor, err = edge.Paging(r)
	return q, err
}

// spanOf reads ?from= and ?until=, or ?period=.
func (s *Handlers) spanOf(r *http.Request) (from, until time.Time, err error) {
	if from, err = edge.TimeOf(r, "from"); err != nil {
		return from, until, err
	}
	if until, err = edge.TimeOf(r, "until"); err != nil {
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
func (s *Handlers) relativeSpan(r *http.Request, text string) (from, until time.Time, err error) {
	// A "+" that was not escaped has become a space.
	text = strings.ReplaceAll(text, " ", "+")
	period := calendar.Period{Relative: text}
	if first, last, two := strings.Cut(text, ".."); two {
		period = calendar.Period{From: first, To: last}
	}
	span, err := s.Periods.ResolvePeriod(r.Context(), edge.Caller(r).Workspace, period)
	if err != nil {
		return from, until, domain.MovePointers(err, func(string) string { return "/period" })
	}
	return span.From, span.Until, nil
}

func (s *Handlers) CreateEntry(w http.ResponseWriter, r *http.Request) {
	var in api.NewEntry
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	entries, seq, err := s.Entries.CreateEntries(r.Context(), edge.Caller(r).Workspace, toolID(r), []userdata.EntryFields{in.Domain()})
	if err != nil {
		s.Fail(w, r, oneEntry(err))
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, entries[0].Version)
	w.Header().Set("Location", "/v1/entries/"+entries[0].ID)
	s.WriteJSON(w, r, http.StatusCreated, api.EntryFrom(&entries[0]))
}

func (s *Handlers) CreateEntries(w http.ResponseWriter, r *http.Request) {
	var in api.NewEntries
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	entries, seq, err := s.Entries.CreateEntries(r.Context(), edge.Caller(r).Workspace, toolID(r), in.Domain())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	out := api.EntryBatch{Data: make([]api.Entry, 0, len(entries))}
	for i := range entries {
		out.Data = append(out.Data, *api.EntryFrom(&entries[i]))
	}
	s.WriteJSON(w, r, http.StatusCreated, out)
}

// periodOf is the period between two times; a zero one is no bound.
func periodOf(from, until time.Time) (p calendar.Period) {
	if !from.IsZero() {
		p.Start = from.Format(time.RFC3339Nano)
	}
	if !until.IsZero() {
		p.End = until.Format(time.RFC3339Nano)
	}
	return p
}

func (s *Handlers) GetEntryStats(w http.ResponseWriter, r *http.Request) {
	from, until, err := s.spanOf(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	values := r.URL.Query()
	query := userdata.StatsQuery{
		ToolID: toolID(r), Field: values.Get("field"), Period: periodOf(from, until), GroupBy: values.Get("group_by"),
		Where: json.RawMessage(values.Get("where")),
	}
	rows, err := s.Entries.EntryStats(r.Context(), edge.Caller(r).Workspace, query)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.StatsList{Data: make([]api.Stats, 0, len(rows))}
	for i := range rows {
		out.Data = append(out.Data, *api.StatsFrom(&rows[i]))
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *Handlers) GetEntry(w http.ResponseWriter, r *http.Request) {
	entry, err := s.Entries.Entry(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "entry_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, entry.Version)
	s.WriteJSON(w, r, http.StatusOK, api.EntryFrom(entry))
}

func (s *Handlers) UpdateEntry(w http.ResponseWriter, r *http.Request) {
	var in api.EntryPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	entry, seq, err := s.Entries.UpdateEntry(r.Context(), edge.Caller(r).Workspace,
		chi.URLParam(r, "entry_id"), edge.IfMatch(r), in.Domain())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, entry.Version)
	s.WriteJSON(w, r, http.StatusOK, api.EntryFrom(entry))
}

func (s *Handlers) DeleteEntry(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Entries.DeleteEntry(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "entry_id"), edge.IfMatch(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}

// oneEntry makes the pointers of a list of one those of its only entry.
func oneEntry(err error) error {
	return domain.MovePointers(err, func(pointer string) string { return strings.TrimPrefix(pointer, "/entries/0") })
}
