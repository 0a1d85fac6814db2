package handlers

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

const aRootKey = "0123456789abcdefghijklmnopqrstuv"

// edgeStore is the part of a database that the edge of the API reads: keys,
// workspaces, sessions and their log, in memory.
type edgeStore struct {
	mu       sync.Mutex
	keys     map[string]*people.Key
	sessions map[string]*domain.Session
	events   []*domain.LogEvent
	last     int64
	pruned   int64
}

func (s *edgeStore) KeyByHash(_ context.Context, hash string) (*people.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[hash], nil
}

func (s *edgeStore) AnyKey(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys) > 0, nil
}

func (s *edgeStore) Workspace(_ context.Context, id string) (*domain.Workspace, error) {
	if id == domain.DefaultWorkspace || id == "acme" {
		return &domain.Workspace{ID: id}, nil
	}
	return nil, domain.NotFound("workspace")
}

func (s *edgeStore) Session(_ context.Context, ws, id string) (*domain.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.sessions[id]; found != nil && found.WorkspaceID == ws {
		return found.Clone(), nil
	}
	return nil, domain.NotFound("session")
}

func (s *edgeStore) Sessions(context.Context, string, domain.SessionFilter) ([]*domain.Session, string, error) {
	return nil, "", nil
}

func (s *edgeStore) MessagePage(context.Context, *domain.Session, string, int, bool) ([]*domain.Message, string, error) {
	return nil, "", nil
}

func (s *edgeStore) Message(context.Context, string, string, string) (*domain.Message, error) {
	return nil, domain.NotFound("message")
}

func (s *edgeStore) Events(_ context.Context, ws, session string, after int64, size domain.PageSize) (out []*domain.LogEvent, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0
	for _, e := range s.events {
		if e.Seq > max(after, s.pruned) && (session == "" || e.SessionID == session) {
			if sum += len(e.Data); len(out) == size.Rows || size.Bytes > 0 && sum > size.Bytes && (len(out) > 0 || size.Strict) {
				return out, true, nil
			}
			out = append(out, e)
		}
	}
	return out, false, nil
}

func (s *edgeStore) Slot(context.Context, string) (*domain.SlotState, error) {
	return &domain.SlotState{}, nil
}
func (s *edgeStore) Queue(context.Context, string) ([]domain.QueueRow, error) { return nil, nil }
func (s *edgeStore) Approvals(context.Context, string, domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	return []*domain.Approval{{ID: "apr_1", Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen}}, "", nil
}

func (s *edgeStore) Approval(context.Context, string, string) (*domain.Approval, error) {
	return nil, domain.NotFound("approval")
}

func (s *edgeStore) SessionEventBounds(ctx context.Context, ws, _ string) (oldest, newest int64, err error) {
	return s.EventBounds(ctx, ws)
}

func (s *edgeStore) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pruned + 1, s.last, nil
}

// commit writes an event of a session to the log.
func (s *edgeStore) commit(session string, t domain.LogType) []*domain.LogEvent {
	return s.commitData(session, t, nil)
}

func (s *edgeStore) commitData(session string, t domain.LogType, data []byte) []*domain.LogEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	e := &domain.LogEvent{Seq: s.last, SessionSeq: s.last, WorkspaceID: domain.DefaultWorkspace, SessionID: session, Type: t}
	if e.Data = data; data == nil {
		e.Data, _ = json.Marshal(map[string]int64{"session_seq": e.SessionSeq})
	}
	s.events = append(s.events, e)
	return []*domain.LogEvent{e}
}

// edgeServer is a server with the real edge and a few routes of its own.
type edgeServer struct {
	*edge
	store  *edgeStore
	broker *stream.Broker
	log    *lockedBuffer
	kept   *keptRequests
	config Edge
	events *streamRoutes
	http   *httptest.Server
}

// allow guards a request whose repetition is answered only with the fact that it was carried out.
func (e *edgeServer) allow(role domain.Role, next http.HandlerFunc) http.HandlerFunc {
	return e.requireRole(role, e.once(next, nil))
}

type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// newEdgeServer builds a server with routes of its own and serves it; root "" leaves
// the door open.
func newEdgeServer(t testing.TB, root string, now clock.Clock, routes func(*edgeServer, chi.Router)) *edgeServer {
	t.Helper()
	e, handler := buildEdge(t, root, now, routes)
	e.http = httptest.NewServer(handler)
	t.Cleanup(func() {
		e.broker.Drain() // before the server, which waits for its streams
		e.http.Close()
	})
	return e
}

func buildEdge(t testing.TB, root string, now clock.Clock, routes func(*edgeServer, chi.Router)) (*edgeServer, http.Handler) {
	t.Helper()
	e := &edgeServer{
		store: &edgeStore{keys: map[string]*people.Key{}, sessions: map[string]*domain.Session{
			"ses_1":   {ID: "ses_1", WorkspaceID: domain.DefaultWorkspace, Type: domain.Chat, Phase: domain.Idle},
			"ses_far": {ID: "ses_far", WorkspaceID: "acme", Type: domain.Chat, Phase: domain.Idle},
		}},
		broker: stream.New(stream.Config{}), log: &lockedBuffer{}, kept: newKeptRequests(),
	}
	if err := e.broker.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.broker.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	who, err := auth.New(auth.Config{RootKey: root, Loopback: true, Keys: e.store, Workspaces: e.store, Clock: now})
	if err != nil {
		t.Fatal(err)
	}
	e.config = Edge{Tickets: &keptTickets{}, Auth: who, Clock: now, Log: zerolog.New(e.log), Idempotency: e.kept}
	e.edge = newEdge(e.config, nil)
	e.events = newEvents(e.edge, EventPorts{Sessions: e.store, Workspace: e.store, Streams: e.broker})
	pages := newProcess(e.edge, AdminPorts{})
	r := chi.NewRouter()
	r.NotFound(e.notFound)
	r.MethodNotAllowed(e.methodNotAllowed(r))
	r.Get("/v1/sessions/{session_id}/events", e.requireStreamRole(domain.RoleViewer, e.events.streamSession))
	r.Get("/v1/events", e.requireStreamRole(domain.RoleViewer, e.events.streamWorkspace))
	r.Post("/v1/stream-tickets", e.allow(domain.RoleViewer, e.events.createStreamTicket))
	r.Get("/problems/{code}", pages.problemPage)
	r.Get("/problems", pages.problemPage)
	if routes != nil {
		routes(e, r)
	}
	return e, e.middleware(r)
}

// call makes a request with headers given in pairs.
func (e *edgeServer) call(t testing.TB, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, e.http.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

// sseClient reads a stream as a browser does.
type sseClient struct {
	t        testing.TB
	res      *http.Response
	cancel   context.CancelFunc
	lines    *bufio.Scanner
	lastID   string
	retry    string
	comments int
}

type sseEvent struct{ ID, Name, Data string }

func (e *edgeServer) listen(t testing.TB, path string, headers ...string) *sseClient {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, e.http.URL+path, nil)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	c := &sseClient{t: t, res: res, cancel: cancel, lines: bufio.NewScanner(res.Body)}
	c.lines.Buffer(nil, 1<<20)
	return c
}

// listenInside opens a stream without a network, for tests with a time of their own.
func listenInside(t testing.TB, handler http.Handler, path string, headers ...string) *sseClient {
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	out, in := io.Pipe()
	go func() {
		defer func() { _ = in.Close() }()
		handler.ServeHTTP(&pipeWriter{header: http.Header{}, pipe: in}, r)
	}()
	t.Cleanup(func() { cancel(); _ = out.Close() })
	c := &sseClient{t: t, cancel: cancel, lines: bufio.NewScanner(out)}
	c.lines.Buffer(nil, 1<<20)
	return c
}

// pipeWriter is a connection with deadlines, as far as handlers see.
type pipeWriter struct {
	header http.Header
	pipe   *io.PipeWriter
}

func (p *pipeWriter) Header() http.Header              { return p.header }
func (p *pipeWriter) WriteHeader(int)                  {}
func (p *pipeWriter) Write(b []byte) (int, error)      { return p.pipe.Write(b) }
func (p *pipeWriter) Flush()                           {}
func (p *pipeWriter) SetWriteDeadline(time.Time) error { return nil }

// next is the next event; ok is false when the stream has ended.
func (c *sseClient) next() (ev sseEvent, ok bool) {
	for c.lines.Scan() {
		field, value, _ := strings.Cut(c.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			ev.ID, c.lastID = value, value
		case "event":
			ev.Name = value
		case "data":
			ev.Data += value
		case "retry":
			c.retry = value
		case "":
			if strings.HasPrefix(c.lines.Text(), ":") {
				c.comments++
			} else if ev.Name != "" {
				return ev, true
			}
		}
	}
	return ev, false
}

// want reads one event for each name, "name" or "id:name".
func (c *sseClient) want(names ...string) (last sseEvent) {
	c.t.Helper()
	for _, name := range names {
		ev, ok := c.next()
		got := ev.Name
		if ev.ID != "" {
			got = ev.ID + ":" + ev.Name
		}
		if !ok || got != name {
			c.t.Fatalf("got %q (open: %v), want %q; data %s", got, ok, name, ev.Data)
		}
		last = ev
	}
	return last
}

// keptRequests is an IdempotencyStore in memory, held to the real one by kept_test.go. What a handler writes is noted by
// calling apply with its context.
type keptRequests struct {
	mu    sync.Mutex
	rows  map[string]*keptRow
	asked []KeyRequest
}

type keptRow struct {
	fingerprint string
	claim       KeyClaim
}

type keptContextKey struct{}

func newKeptRequests() *keptRequests { return &keptRequests{rows: map[string]*keptRow{}} }

func (k *keptRequests) ClaimKey(ctx context.Context, ws string, key KeyRequest) (context.Context, *KeyClaim, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, key)
	row := k.rows[ws+key.Name]
	if row == nil {
		row = &keptRow{key.Fingerprint, KeyClaim{State: domain.RequestRunning}}
		k.rows[ws+key.Name] = row
		return context.WithValue(ctx, keptContextKey{}, row), &KeyClaim{State: domain.RequestNew}, nil
	}
	if row.fingerprint != key.Fingerprint {
		return ctx, &KeyClaim{State: domain.RequestMismatch}, nil
	}
	claim := row.claim
	return ctx, &claim, nil
}

func (k *keptRequests) KeepAnswer(_ context.Context, ws, key string, answer []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows[ws+key].claim = KeyClaim{State: domain.RequestAnswered, Answer: answer}
	return nil
}

func (k *keptRequests) KeepRefusal(ctx context.Context, ws, key string, answer []byte) error {
	if err := k.ReleaseKey(ctx, ws, key); err != nil || k.rows[ws+key] == nil {
		return err
	}
	return k.KeepAnswer(ctx, ws, key, answer)
}

func (k *keptRequests) ReleaseKey(_ context.Context, ws, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if row := k.rows[ws+key]; row != nil && row.claim.State == domain.RequestRunning {
		delete(k.rows, ws+key)
	}
	return nil
}

// apply notes, as a transaction would, that the request was carried out.
func (k *keptRequests) apply(ctx context.Context, created string, seq int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if row, ok := ctx.Value(keptContextKey{}).(*keptRow); ok {
		row.claim = KeyClaim{State: domain.RequestApplied, CreatedID: created, Seq: seq}
	}
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// within fails a test that hangs.
func within(t testing.TB, d time.Duration, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s took longer than %s", what, d)
	}
}
