package sessions

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/handlers/edge"
)

const (
	// exportPage is how many rows are in memory at once; executionPage how many
	// executions, whose results may be long.
	exportPage    = 100
	executionPage = 20
	// exportFormat says what the JSON is, for who reads it years later.
	exportFormat = "fermata.session/1"
)

// exportForm is a form in which a session can be taken away.
type exportForm string

const (
	exportJSON     exportForm = "json"
	exportMarkdown exportForm = "markdown"
)

// ExportSession writes the whole of a session as it is read, page by page.
func (s *Handlers) ExportSession(w http.ResponseWriter, r *http.Request) {
	form, err := edge.OneOf(r, "format", exportJSON, exportMarkdown)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	if form == "" && edge.Prefers(r, "text/markdown") {
		form = exportMarkdown
	}
	w.Header().Add("Vary", "Accept")
	ws, id := edge.Caller(r).Workspace, sessionID(r)
	session, err := s.SessionReader.Session(r.Context(), ws, id)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	workspace, err := s.Settings.Workspace(r.Context(), ws)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	room, err := s.RoomFor(w, r, edge.PageRoom, edge.ExportAccounts(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	defer room.Release()
	kind, ending := "application/json", ".json"
	if form == exportMarkdown {
		kind, ending = "text/markdown; charset=utf-8", ".md"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+fileName(session)+ending+`"`)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	e := &export{s: s, ctx: r.Context(), session: session, out: bufio.NewWriterSize(w, 32<<10)}
	if form == exportMarkdown {
		e.markdown(api.NewMarkdown(edge.InPreferredLanguage(r, &workspace.Settings)))
	} else {
		e.json(r)
	}
	if e.err == nil {
		e.err = e.out.Flush()
	}
	if e.err != nil {
		s.Log.Warn().Str("session", session.ID).Err(e.err).Msg("an export broke off")
		// The answer has begun: a broken connection says that it is not whole.
		panic(http.ErrAbortHandler)
	}
}

// fileName is a name that every system takes: what of the session's name is plain,
// else its id.
func fileName(s *domain.Session) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s.Name) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		switch {
		case b.Len() >= 60:
		case plain:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if name == "" {
		return strings.ReplaceAll(s.ID, "_", "-")
	}
	return name + "-" + s.CreatedAt.Format("2006-01-02")
}

// export writes one session. After an error it writes nothing more.
type export struct {
	s       *Handlers
	ctx     context.Context
	session *domain.Session
	out     *bufio.Writer
	err     error
}

func (e *export) write(text string) {
	if e.err == nil {
		_, e.err = e.out.WriteString(text)
	}
}

func (e *export) value(v any) {
	body, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.write(string(body))
}

// json writes the session and then each list of what belongs to it.
func (e *export) json(r *http.Request) {
	message, approval := edge.MessageFor(r), edge.ApprovalFor(r)
	e.write(`{"format":"` + exportFormat + `","exported_at":`)
	e.value(api.Time(e.s.Clock()))
	e.write(`,"session":`)
	e.value(api.SessionFrom(e.session))
	list(e, "messages", e.messages(), func(m *domain.Message) any { return message(m) })
	list(e, "executions", e.lines(reports.RecordExecution, executionPage), func(l reports.RecordLine) any {
		return api.ExecutionFrom(l.Execution)
	})
	list(e, "approvals", e.approvals(), func(a *domain.Approval) any { return approval(a) })
	list(e, "roundtrips", e.lines(reports.RecordRoundtrip, exportPage), func(l reports.RecordLine) any {
		return api.RoundtripRecordFrom(l.Roundtrip)
	})
	list(e, "transitions", e.lines(reports.RecordTransition, exportPage), func(l reports.RecordLine) any {
		return api.TransitionFrom(l.Transition)
	})
	e.write("}\n")
}

// list writes a field of JSON whose items come one by one.
func list[T any](e *export, name string, items iter.Seq2[T, error], to func(T) any) {
	e.write(`,"` + name + `":[`)
	first := true
	for item, err := range items {
		if err != nil && e.err == nil {
			e.err = err
		}
		if e.err != nil {
			return
		}
		if !first {
			e.write(",")
		}
		first = false
		e.write("\n")
		e.value(to(item))
	}
	e.write("]")
}

// markdown writes the messages, with the questions to people where they were asked.
func (e *export) markdown(m *api.Markdown) {
	e.write(m.Head(e.session, e.s.Clock()))
	next, stop := iter.Pull2(e.approvals())
	defer stop()
	approval, err, open := next()
	upTo := func(message *domain.Message) {
		for open && err == nil && (message == nil || approval.CreatedAt.Before(message.Timestamp)) {
			e.write(m.Approval(approval))
			approval, err, open = next()
		}
		if err != nil && e.err == nil {
			e.err = err
		}
	}
	unless := "" // the id of the cancellation message of a pending wait, which is not exported
	if waiting := e.session.State.Waiting; waiting != nil {
		unless = waiting.CancelMessageID
	}
	for message, err := range e.messages() {
		if err != nil && e.err == nil {
			e.err = err
		}
		if e.err != nil {
			return
		}
		if upTo(message); message.ID != unless {
			e.write(m.Message(message))
		}
	}
	upTo(nil)
}

// pages iterates over the items of all pages, with one page in memory at a time: a page has been sent before the
// next one is read.
func pages[T any](e *export, read func(cursor string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := ""; ; {
			items, next, err := read(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor = next; next == "" || e.flush() != nil {
				return
			}
		}
	}
}

// flush sends what was written.
func (e *export) flush() error {
	if e.err == nil {
		e.err = e.out.Flush()
	}
	return e.err
}

func (e *export) messages() iter.Seq2[*domain.Message, error] {
	return pages(e, func(cursor string) ([]*domain.Message, string, error) {
		return e.s.SessionReader.MessagePage(e.ctx, e.session, cursor, exportPage, false)
	})
}

func (e *export) approvals() iter.Seq2[*domain.Approval, error] {
	return pages(e, func(cursor string) ([]*domain.Approval, string, error) {
		return e.s.Record.SessionApprovals(e.ctx, e.session.WorkspaceID, e.session.ID, cursor, exportPage)
	})
}

func (e *export) lines(kind reports.RecordKind, limit int) iter.Seq2[reports.RecordLine, error] {
	return pages(e, func(cursor string) ([]reports.RecordLine, string, error) {
		return e.s.Record.Timeline(e.ctx, e.session.WorkspaceID, e.session.ID, reports.TimelineFilter{
			Kinds: []reports.RecordKind{kind}, Whole: true, Limit: limit, Cursor: cursor,
		})
	})
}
