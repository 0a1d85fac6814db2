package sessions_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/handlers/sessions"
)

func TestATimelineAndItsFilters(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	began, first, ended := servertest.WorldTime.Add(time.Second), servertest.WorldTime.Add(2*time.Second), servertest.WorldTime.Add(2500*time.Millisecond)
	w.Change(t, func(s *domain.Session, c *domain.Change) {
		c.Transitions = []*domain.Transition{{WorkspaceID: s.WorkspaceID, SessionID: s.ID, From: s.Phase, To: s.Phase, Event: "X", RoundID: "rnd_x", Status: s.Status(), At: servertest.WorldTime}}
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionPhase, Phase: c.Transitions[0]})
		c.Roundtrips = []*domain.Roundtrip{{ID: "rtp_x", WorkspaceID: s.WorkspaceID, SessionID: s.ID, RoundID: "rnd_x", Number: 2, PromptHash: "abc",
			Purpose: "answer", Outcome: "answered", Reason: domain.RoundtripReason(domain.CauseUserMessage), StartedAt: began, FirstTokenAt: &first, EndedAt: ended}}
		c.Executions = []*domain.Execution{{ID: "exe_x", WorkspaceID: s.WorkspaceID, SessionID: s.ID, RoundID: "rnd_x", Command: "ZONES", Params: json.RawMessage(`{}`),
			Kind: domain.KindQuery, Effect: domain.EffectRead, Status: domain.ExecSuccess, CreatedAt: ended, Result: json.RawMessage(`"` + strings.Repeat("a", 1<<20) + `"`)}}
	})
	got := c.Want(200, "GET", "/v1/sessions/ses_1/timeline?round_id=rnd_x&limit=7", "")
	var kinds []any
	for _, l := range got.Body["data"].([]any) {
		line := l.(map[string]any)
		kinds = append(kinds, line["kind"])
		if line[line["kind"].(string)] == nil {
			t.Errorf("a line without what it is about: %v", line)
		}
	}
	servertest.Equal(t, "kinds", kinds, []any{"transition", "roundtrip", "execution"})
	call := got.Body["data"].([]any)[1].(map[string]any)["roundtrip"].(map[string]any)
	servertest.Equal(t, "figures", []any{call["prompt_hash"], call["time_to_first_token_ms"], call["duration_ms"]}, []any{"abc", 1000.0, 1500.0})
	servertest.Equal(t, "what is left out", got.Body["data"].([]any)[2].(map[string]any)["cut"], []any{"result"})
	servertest.Equal(t, "of another round", len(c.Want(200, "GET", "/v1/sessions/ses_1/timeline?round_id=rnd_1&limit=7", "").Body["data"].([]any)), 6)
	c.Want(422, "GET", "/v1/sessions/ses_1/timeline?round_id=rnd_1&limit=7&after=abc", "")
	servertest.Equal(t, "asked", servertest.LastAsked[reports.TimelineFilter](t, w), reports.TimelineFilter{RoundID: "rnd_1", Limit: 7, Cursor: "abc"})
}

func TestUsageAndItsFilters(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	c.Want(200, "GET", "/v1/usage", "")
	servertest.Equal(t, "by day unless asked", servertest.LastAsked[reports.UsageFilter](t, w), reports.UsageFilter{GroupBy: reports.UsageByDay, Limit: 50})
	c.Want(422, "GET", "/v1/usage?group_by=purpose&since=2026-01-01T00:00:00Z&until=2026-02-01T01:00:00%2B01:00&session_id=ses_1&limit=3&after=x", "")
	servertest.Equal(t, "asked", servertest.LastAsked[reports.UsageFilter](t, w), reports.UsageFilter{
		GroupBy: reports.UsageByPurpose, Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		SessionID: "ses_1", Limit: 3, Cursor: "x"})
	w.Change(t, func(s *domain.Session, c *domain.Change) {
		c.Roundtrips = []*domain.Roundtrip{{ID: "rtp_x", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Number: 2, Model: "n", Purpose: "answer", Outcome: "answered",
			Reason: domain.RoundtripReason(domain.CauseUserMessage), StartedAt: servertest.WorldTime, EndedAt: servertest.WorldTime, Usage: domain.Usage{Cost: new(0.5)}}}
	})
	rows := c.Want(200, "GET", "/v1/usage?group_by=model", "").Body["data"].([]any)
	first, second := rows[0].(map[string]any), rows[1].(map[string]any)
	servertest.Equal(t, "no price, no name", []any{first["cost"], first["label"]}, []any{nil, nil})
	servertest.Equal(t, "a price", second["cost"], map[string]any{"amount": 0.5, "currency": "USD"})
	for _, bad := range []string{"group_by=week", "since=yesterday", "until=1", "limit=0"} {
		c.Want(422, "GET", "/v1/usage?"+bad, "")
	}
}

func TestAnExplanationSpeaksTheWorkspacesLanguage(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	got := c.Want(200, "GET", "/v1/sessions/ses_1/explain", "")
	servertest.Equal(t, "what", got.Body["waiting_for"], map[string]any{"kind": "approval", "approval_id": "apr_1"})
	servertest.Equal(t, "by", got.Body["unblocked_by"], "answer")
	servertest.Equal(t, "in words", got.Body["text"], "Waiting for your approval. It continues once you answer.")
	c.Want(200, "PATCH", "/v1/settings", `{"language":"fr"}`)
	got = c.Want(200, "GET", "/v1/sessions/ses_1/explain", "")
	servertest.Equal(t, "en français", got.Body["text"], "En attente de votre accord. Reprise dès votre réponse.")
	servertest.Equal(t, "transitions", len(got.Body["transitions"].([]any)), 4)
}

// TestAnExportIsAFile: with a name that every system takes, whatever the session is
// called.
func TestAnExportIsAFile(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	for name, want := range map[string]string{
		"Running":                         "running-2026-03-02",
		`../../etc/"passwd"` + "\r\nX: 1": "etc-passwd-x-1-2026-03-02",
		"日記":                              "ses-1",
		strings.Repeat("long ", 50):       strings.TrimSuffix(strings.Repeat("long-", 12), "-") + "-2026-03-02",
	} {
		w.Change(t, func(s *domain.Session, _ *domain.Change) { s.Name = name })
		for form, ending := range map[string]string{"json": ".json", "markdown": ".md"} {
			got := c.Want(200, "GET", "/v1/sessions/ses_1/export?format="+form, "")
			if have := got.Header.Get("Content-Disposition"); have != `attachment; filename="`+want+ending+`"` {
				t.Errorf("%q is called %s", name, have)
			}
		}
	}
	got := c.Want(200, "GET", "/v1/sessions/ses_1/export", "")
	for field, n := range map[string]int{"messages": 5, "executions": 1, "approvals": 1, "roundtrips": 1, "transitions": 4} {
		if list, _ := got.Body[field].([]any); len(list) != n {
			t.Errorf("%d %s are exported", len(list), field)
		}
	}
	page := c.Want(200, "GET", "/v1/sessions/ses_1/export?format=markdown", "").Text
	for _, part := range []string{"> hello", "> hi", "waits its turn", "Add the zone “x”", "**Still open**"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page does not have %q:\n%s", part, page)
		}
	}
	if strings.Contains(page, "did not") {
		t.Errorf("nothing was late, but the page says so:\n%s", page)
	}
	c.Want(422, "GET", "/v1/sessions/ses_1/export?format=pdf", "")
	for accept, markdown := range map[string]bool{
		"": false, "*/*": false, "text/markdown": true, "text/markdown, */*;q=0.1": true, "text/markdown;q=0.5, application/json": false,
		"application/json": false, "text/markdown;q=0, */*": false,
	} {
		got := c.Want(200, "GET", "/v1/sessions/ses_1/export", "", "Accept", accept)
		if kind := got.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/markdown") != markdown {
			t.Errorf("Accept: %s gives %s", accept, kind)
		}
		if kind := c.Want(200, "GET", "/v1/sessions/ses_1/export?format=json", "", "Accept", accept).Header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("format=json and Accept: %s give %s", accept, kind)
		}
	}
}

// longRecord counts what is read of a session with very many messages.
type longRecord struct {
	sessions.SessionReader
	*servertest.World
	broken  int // the page that cannot be read; 0: none
	pages   int
	written func() int
	most    int // bytes that were read and not yet sent when the next page was read
	read    int
}

func (l *longRecord) MessagePage(ctx context.Context, of *domain.Session, cursor string, limit int, latest bool) ([]*domain.Message, string, error) {
	l.pages++
	l.most = max(l.most, l.read-l.written())
	if l.pages == l.broken {
		return nil, "", errors.New("the database went away")
	}
	out, next, err := l.SessionReader.MessagePage(ctx, of, cursor, limit, latest)
	for _, m := range out {
		if m.Rich != nil {
			l.read += len(m.Rich.LinearText)
		}
	}
	return out, next, err
}

// newLongRecord is a session of so many messages, with some more from the story.
func newLongRecord(t *testing.T, count int) *servertest.World {
	t.Helper()
	w := servertest.NewWorld(t)
	for list := range slices.Chunk(slices.Repeat([]string{strings.Repeat("word ", 200)}, count), 1000) {
		w.Say(t, list...)
	}
	return w
}

// counter counts what is written to it.
type counter struct {
	*httptest.ResponseRecorder
	bytes int
}

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += len(b)
	return c.ResponseRecorder.Write(b)
}
func (c *counter) WriteString(s string) (int, error) { return c.Write([]byte(s)) }
func (c *counter) SetWriteDeadline(time.Time) error  { return nil }

func (l *longRecord) export(t *testing.T, form string) (out *counter, broke any) {
	t.Helper()
	out = &counter{ResponseRecorder: httptest.NewRecorder()}
	l.written = func() int { return out.bytes }
	config := l.Config
	l.SessionReader, config.Sessions.SessionReader = config.Sessions.SessionReader, l
	handler := handlers.New(config)
	r := httptest.NewRequest(http.MethodGet, "/v1/sessions/ses_1/export?format="+form, nil)
	r.Header.Set("Authorization", "Bearer viewer")
	defer func() { broke = recover() }()
	handler.ServeHTTP(out, r)
	return out, nil
}

// TestALongSessionIsNeverInMemoryWhole: what was read is sent before more is read, so
// that ten thousand messages need as much memory as a hundred.
func TestALongSessionIsNeverInMemoryWhole(t *testing.T) {
	w := newLongRecord(t, 10_000)
	for _, form := range []string{"json", "markdown"} {
		l := &longRecord{World: w}
		out, broke := l.export(t, form)
		if broke != nil || out.Code != 200 || out.bytes < 10_000_000 || l.pages < 100 {
			t.Fatalf("%s: %d, %d bytes in %d pages, broke with %v", form, out.Code, out.bytes, l.pages, broke)
		}
		if l.most > 0 {
			t.Errorf("%s: %d bytes were read and not sent when the next page was read", form, l.most)
		}
		var whole struct{ Messages []json.RawMessage }
		if form == "json" {
			if err := json.Unmarshal(out.Body.Bytes(), &whole); err != nil || len(whole.Messages) != 10_005 {
				t.Errorf("%d messages, %v", len(whole.Messages), err)
			}
		}
	}
}

// TestAHalfExportIsNoFile verifies that if the record cannot be read to its end, the connection is aborted, so that
// a truncated file cannot be mistaken for a complete one.
func TestAHalfExportIsNoFile(t *testing.T) {
	w := newLongRecord(t, 1000)
	for _, form := range []string{"json", "markdown"} {
		l := &longRecord{World: w, broken: 3}
		out, broke := l.export(t, form)
		if err, ok := broke.(error); !ok || !errors.Is(err, http.ErrAbortHandler) || out.bytes == 0 {
			t.Errorf("%s ended with %v after %d bytes", form, broke, out.bytes)
		}
	}
}
