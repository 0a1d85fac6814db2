package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func TestATimelineAndItsFilters(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	got := c.want(200, "GET", "/v1/sessions/ses_1/timeline?round_id=rnd_1&limit=7&after=abc", "")
	equal(t, "asked", lastAsked[domain.TimelineFilter](t, w), domain.TimelineFilter{RoundID: "rnd_1", Limit: 7, Cursor: "abc"})
	var kinds []any
	for _, l := range got.body["data"].([]any) {
		line := l.(map[string]any)
		kinds = append(kinds, line["kind"])
		if line[line["kind"].(string)] == nil {
			t.Errorf("a line without what it is about: %v", line)
		}
	}
	equal(t, "kinds", kinds, []any{"transition", "roundtrip", "execution"})
	call := got.body["data"].([]any)[1].(map[string]any)["roundtrip"].(map[string]any)
	equal(t, "figures", []any{call["prompt_hash"], call["time_to_first_token_ms"], call["duration_ms"]}, []any{"abc", 1000.0, 1500.0})
	equal(t, "what is left out", got.body["data"].([]any)[2].(map[string]any)["cut"], []any{"result"})
}

func TestUsageAndItsFilters(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	c.want(200, "GET", "/v1/usage", "")
	equal(t, "by day unless asked", lastAsked[domain.UsageFilter](t, w), domain.UsageFilter{GroupBy: domain.UsageByDay, Limit: 50})
	got := c.want(200, "GET", "/v1/usage?group_by=purpose&since=2026-01-01T00:00:00Z&until=2026-02-01T01:00:00%2B01:00&session_id=ses_1&limit=3&after=x", "")
	equal(t, "asked", lastAsked[domain.UsageFilter](t, w), domain.UsageFilter{
		GroupBy: domain.UsageByPurpose, Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		SessionID: "ses_1", Limit: 3, Cursor: "x"})
	rows := got.body["data"].([]any)
	first, second := rows[0].(map[string]any), rows[1].(map[string]any)
	equal(t, "no price, no name", []any{first["cost"], first["label"]}, []any{nil, nil})
	equal(t, "a price", second["cost"], map[string]any{"amount": 0.5, "currency": "USD"})
	for _, bad := range []string{"group_by=week", "since=yesterday", "until=1", "limit=0"} {
		c.want(422, "GET", "/v1/usage?"+bad, "")
	}
}

func TestAnExplanationSpeaksTheWorkspacesLanguage(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	got := c.want(200, "GET", "/v1/sessions/ses_1/explain", "")
	equal(t, "what", got.body["waiting_for"], map[string]any{"kind": "approval", "approval_id": "apr_1"})
	equal(t, "by", got.body["unblocked_by"], "answer")
	equal(t, "in words", got.body["text"], "It waits for a person’s yes or no to its actions (apr_1). It goes on with the answer.")
	w.spaces[0].Settings.Language = "fr"
	got = c.want(200, "GET", "/v1/sessions/ses_1/explain", "")
	equal(t, "en français", got.body["text"], "Elle attend qu’une personne accepte ou refuse ses actions (apr_1). Elle continue avec la réponse.")
	equal(t, "transitions", len(got.body["transitions"].([]any)), 1)
}

// TestAnExportIsAFile: with a name that every system takes, whatever the session is
// called.
func TestAnExportIsAFile(t *testing.T) {
	w := newWorld()
	c := w.serve(t)
	for name, want := range map[string]string{
		"Running":                         "running-2026-03-02",
		`../../etc/"passwd"` + "\r\nX: 1": "etc-passwd-x-1-2026-03-02",
		"日記":                              "ses-1",
		strings.Repeat("long ", 50):       strings.TrimSuffix(strings.Repeat("long-", 12), "-") + "-2026-03-02",
	} {
		w.sessions["ses_1"].Name = name
		for form, ending := range map[string]string{"json": ".json", "markdown": ".md"} {
			got := c.want(200, "GET", "/v1/sessions/ses_1/export?format="+form, "")
			if have := got.header.Get("Content-Disposition"); have != `attachment; filename="`+want+ending+`"` {
				t.Errorf("%q is called %s", name, have)
			}
		}
	}
	got := c.want(200, "GET", "/v1/sessions/ses_1/export", "")
	for field, n := range map[string]int{"messages": 4, "executions": 1, "approvals": 1, "roundtrips": 1, "transitions": 1} {
		if list, _ := got.body[field].([]any); len(list) != n {
			t.Errorf("%d %s are exported", len(list), field)
		}
	}
	page := c.want(200, "GET", "/v1/sessions/ses_1/export?format=markdown", "").text
	for _, part := range []string{"> hello", "> hi", "waits its turn", "Create the zone x", "**Still open**"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page does not have %q:\n%s", part, page)
		}
	}
	c.want(422, "GET", "/v1/sessions/ses_1/export?format=pdf", "")
}

// longRecord is a session of very many messages, which are made as they are read.
type longRecord struct {
	*world
	count   int
	broken  int // the page that cannot be read; 0: none
	pages   int
	written func() int
	most    int // bytes that were read and not yet sent when the next page was read
	read    int
}

func (l *longRecord) MessagePage(_ context.Context, _, _, cursor string, limit int, _ bool) ([]*domain.Message, string, error) {
	l.pages++
	l.most = max(l.most, l.read-l.written())
	if l.pages == l.broken {
		return nil, "", errors.New("the database went away")
	}
	after, _ := strconv.Atoi(cursor)
	var out []*domain.Message
	for seq := int64(after) + 1; seq <= int64(l.count) && len(out) < limit; seq++ {
		text := strings.Repeat("word ", 200)
		l.read += len(text)
		out = append(out, &domain.Message{ID: fmt.Sprintf("msg_%d", seq), SessionID: "ses_1", Seq: seq, Timestamp: worldTime, Sender: domain.SenderUser,
			Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: text}})
	}
	if after+len(out) == l.count {
		return out, "", nil
	}
	return out, strconv.Itoa(after + len(out)), nil
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
	handler := New(Config{
		Edge:  Edge{Auth: roleAuth{}, Clock: func() time.Time { return worldTime }},
		Reads: Reads{SessionReader: l, Record: l.world}, Door: Door{Steering: l.world},
		Settings: SettingsPorts{Settings: l.world}, Process: Process{Health: l.world},
	})
	r := httptest.NewRequest(http.MethodGet, "/v1/sessions/ses_1/export?format="+form, nil)
	r.Header.Set("Authorization", "Bearer viewer")
	defer func() { broke = recover() }()
	handler.ServeHTTP(out, r)
	return out, nil
}

// TestALongSessionIsNeverInMemoryWhole: what was read is sent before more is read, so
// that ten thousand messages need as much memory as a hundred.
func TestALongSessionIsNeverInMemoryWhole(t *testing.T) {
	for _, form := range []string{"json", "markdown"} {
		l := &longRecord{world: newWorld(), count: 10_000}
		out, broke := l.export(t, form)
		if broke != nil || out.Code != 200 || out.bytes < 10_000_000 || l.pages < 100 {
			t.Fatalf("%s: %d, %d bytes in %d pages, broke with %v", form, out.Code, out.bytes, l.pages, broke)
		}
		if l.most > 0 {
			t.Errorf("%s: %d bytes were read and not sent when the next page was read", form, l.most)
		}
		var whole struct{ Messages []json.RawMessage }
		if form == "json" {
			if err := json.Unmarshal(out.Body.Bytes(), &whole); err != nil || len(whole.Messages) != 10_000 {
				t.Errorf("%d messages, %v", len(whole.Messages), err)
			}
		}
	}
}

// TestAHalfExportIsNoFile: when the record cannot be read to its end the connection is
// broken, so that nobody takes what came for the whole.
func TestAHalfExportIsNoFile(t *testing.T) {
	for _, form := range []string{"json", "markdown"} {
		l := &longRecord{world: newWorld(), count: 1000, broken: 3}
		out, broke := l.export(t, form)
		if err, ok := broke.(error); !ok || !errors.Is(err, http.ErrAbortHandler) || out.bytes == 0 {
			t.Errorf("%s ended with %v after %d bytes", form, broke, out.bytes)
		}
	}
}
