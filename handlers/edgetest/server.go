package edgetest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/admin"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// Store is the part of a database that the edge of the API reads: keys,
// workspaces, sessions and their log, in memory.
type Store struct {
	Mu     sync.Mutex
	Keys   map[string]*people.Key
	ByID   map[string]*domain.Session
	Log    []*domain.LogEvent
	last   int64
	Pruned int64
}

func (s *Store) KeyByHash(_ context.Context, hash string) (*people.Key, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Keys[hash], nil
}

func (s *Store) AnyKey(context.Context) (bool, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return len(s.Keys) > 0, nil
}

func (s *Store) Workspace(_ context.Context, id string) (*domain.Workspace, error) {
	if id == domain.DefaultWorkspace || id == "acme" {
		return &domain.Workspace{ID: id}, nil
	}
	return nil, domain.NotFound("workspace")
}

func (s *Store) Session(_ context.Context, ws, id string) (*domain.Session, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if found := s.ByID[id]; found != nil && found.WorkspaceID == ws {
		return found.Clone(), nil
	}
	return nil, domain.NotFound("session")
}

func (s *Store) Sessions(context.Context, string, domain.SessionFilter) ([]*domain.Session, string, error) {
	return nil, "", nil
}

func (s *Store) MessagePage(context.Context, *domain.Session, string, int, bool) ([]*domain.Message, string, error) {
	return nil, "", nil
}

func (s *Store) Message(context.Context, string, string, string) (*domain.Message, error) {
	return nil, domain.NotFound("message")
}

func (s *Store) Events(_ context.Context, ws, session string, after int64, size domain.PageSize) (out []*domain.LogEvent, more bool, err error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	sum := 0
	for _, e := range s.Log {
		if e.Seq > max(after, s.Pruned) && (session == "" || e.SessionID == session) {
			if sum += len(e.Data); len(out) == size.Rows || size.Bytes > 0 && sum > size.Bytes && (len(out) > 0 || size.Strict) {
				return out, true, nil
			}
			out = append(out, e)
		}
	}
	return out, false, nil
}

func (s *Store) OwnLane(_ context.Context, ws, _ string) (domain.LaneRef, error) {
	return domain.LaneRef{Workspace: ws, Lane: domain.LaneWorkspace}, nil
}

func (s *Store) Slot(context.Context, domain.LaneRef) (*domain.SlotState, error) {
	return &domain.SlotState{}, nil
}
func (s *Store) Queue(context.Context, domain.LaneRef) ([]domain.QueueRow, error) { return nil, nil }
func (s *Store) Approvals(context.Context, string, domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	return []*domain.Approval{{ID: "apr_1", Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen}}, "", nil
}

func (s *Store) Approval(context.Context, string, string) (*domain.Approval, error) {
	return nil, domain.NotFound("approval")
}

func (s *Store) SessionEventBounds(ctx context.Context, ws, _ string) (oldest, newest int64, err error) {
	return s.EventBounds(ctx, ws)
}

func (s *Store) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Pruned + 1, s.last, nil
}

// Commit writes an event of a session to the log.
func (s *Store) Commit(session string, t domain.LogType) []*domain.LogEvent {
	return s.CommitData(session, t, nil)
}

func (s *Store) CommitData(session string, t domain.LogType, data []byte) []*domain.LogEvent {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.last++
	e := &domain.LogEvent{Seq: s.last, SessionSeq: s.last, WorkspaceID: domain.DefaultWorkspace, SessionID: session, Type: t}
	if e.Data = data; data == nil {
		e.Data, _ = json.Marshal(map[string]int64{"session_seq": e.SessionSeq})
	}
	s.Log = append(s.Log, e)
	return []*domain.LogEvent{e}
}

// Server is a server with the real edge and a few routes of its own.
type Server struct {
	*edge.Edge
	Store  *Store
	Broker *stream.Broker
	Logged *lockedBuffer
	Kept   *keptRequests
	People *People
	Config edge.Config
	Events *events.Handlers
	HTTP   *httptest.Server
}

// Allow guards a request whose repetition is answered only with the fact that it was carried out.
func (e *Server) Allow(role domain.Role, next http.HandlerFunc) http.HandlerFunc {
	return e.RequireRole(role, e.Once(next, nil))
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

// New builds a server with routes of its own and serves it; root "" leaves
// the door open.
func New(tb testing.TB, root string, now clock.Clock, routes func(*Server, chi.Router)) *Server {
	tb.Helper()
	e, handler := Build(tb, root, now, routes)
	e.HTTP = httptest.NewServer(handler)
	tb.Cleanup(func() {
		e.Broker.Drain() // before the server, which waits for its streams
		e.HTTP.Close()
	})
	return e
}

func Build(tb testing.TB, root string, now clock.Clock, routes func(*Server, chi.Router)) (*Server, http.Handler) {
	tb.Helper()
	e := &Server{
		Store: &Store{Keys: map[string]*people.Key{}, ByID: map[string]*domain.Session{
			"ses_1":   {ID: "ses_1", WorkspaceID: domain.DefaultWorkspace, Type: domain.Chat, Phase: domain.Idle},
			"ses_far": {ID: "ses_far", WorkspaceID: "acme", Type: domain.Chat, Phase: domain.Idle},
		}},
		Broker: stream.New(stream.Config{}), Logged: &lockedBuffer{}, Kept: NewKeptRequests(), People: &People{},
	}
	if err := e.Broker.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Broker.Stop(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	who, err := auth.New(auth.Config{RootKey: root, Loopback: true, Keys: e.Store, Workspaces: e.Store, People: e.People, Clock: now})
	if err != nil {
		tb.Fatal(err)
	}
	e.Config = edge.Config{Tickets: &KeptTickets{}, Auth: who, Clock: now, Log: zerolog.New(e.Logged), Idempotency: e.Kept}
	e.Edge = edge.New(e.Config, nil)
	e.Events = events.New(e.Edge, events.Ports{Sessions: e.Store, Workspace: e.Store, Streams: e.Broker})
	pages := admin.New(e.Edge, admin.Ports{})
	r := chi.NewRouter()
	r.NotFound(e.NotFound)
	r.MethodNotAllowed(e.MethodNotAllowed(r))
	r.Get("/v1/sessions/{session_id}/events", e.RequireStreamRole(domain.RoleViewer, e.Events.StreamSession))
	r.Get("/v1/events", e.RequireStreamRole(domain.RoleViewer, e.Events.StreamWorkspace))
	r.Post("/v1/stream-tickets", e.Allow(domain.RoleViewer, e.Events.CreateStreamTicket))
	r.Get("/problems/{code}", pages.ProblemPage)
	r.Get("/problems", pages.ProblemPage)
	if routes != nil {
		routes(e, r)
	}
	return e, e.Middleware(r)
}

// Call makes a request with headers given in pairs.
func (e *Server) Call(tb testing.TB, method, path, body string, headers ...string) (*http.Response, string) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), method, e.HTTP.URL+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return res, string(text)
}

// SSEClient reads a stream as a browser does.
type SSEClient struct {
	T        testing.TB
	Res      *http.Response
	Cancel   context.CancelFunc
	Lines    *bufio.Scanner
	LastID   string
	Retry    string
	Comments int
}

type SSEEvent struct{ ID, Name, Data string }

func (e *Server) Listen(tb testing.TB, path string, headers ...string) *SSEClient {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	tb.Cleanup(cancel)
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, e.HTTP.URL+path, nil)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = res.Body.Close() })
	c := &SSEClient{T: tb, Res: res, Cancel: cancel, Lines: bufio.NewScanner(res.Body)}
	c.Lines.Buffer(nil, 1<<20)
	return c
}

// ListenInside opens a stream without a network, for tests with a time of their own.
func ListenInside(tb testing.TB, handler http.Handler, path string, headers ...string) *SSEClient {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	out, in := io.Pipe()
	go func() {
		defer func() { _ = in.Close() }()
		handler.ServeHTTP(&PipeWriter{Head: http.Header{}, pipe: in}, r)
	}()
	tb.Cleanup(func() { cancel(); _ = out.Close() })
	c := &SSEClient{T: tb, Cancel: cancel, Lines: bufio.NewScanner(out)}
	c.Lines.Buffer(nil, 1<<20)
	return c
}

// PipeWriter is a connection with deadlines, as far as handlers see.
type PipeWriter struct {
	Head http.Header
	pipe *io.PipeWriter
}

func (p *PipeWriter) Header() http.Header              { return p.Head }
func (p *PipeWriter) WriteHeader(int)                  {}
func (p *PipeWriter) Write(b []byte) (int, error)      { return p.pipe.Write(b) }
func (p *PipeWriter) Flush()                           {}
func (p *PipeWriter) SetWriteDeadline(time.Time) error { return nil }

// Next is the next event; ok is false when the stream has ended.
func (c *SSEClient) Next() (ev SSEEvent, ok bool) {
	for c.Lines.Scan() {
		field, value, _ := strings.Cut(c.Lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			ev.ID, c.LastID = value, value
		case "event":
			ev.Name = value
		case "data":
			ev.Data += value
		case "retry":
			c.Retry = value
		case "":
			if strings.HasPrefix(c.Lines.Text(), ":") {
				c.Comments++
			} else if ev.Name != "" {
				return ev, true
			}
		}
	}
	return ev, false
}

// Want reads one event for each name, "name" or "id:name".
func (c *SSEClient) Want(names ...string) (last SSEEvent) {
	c.T.Helper()
	for _, name := range names {
		ev, ok := c.Next()
		got := ev.Name
		if ev.ID != "" {
			got = ev.ID + ":" + ev.Name
		}
		if !ok || got != name {
			c.T.Fatalf("got %q (open: %v), want %q; data %s", got, ok, name, ev.Data)
		}
		last = ev
	}
	return last
}

// keptRequests is an IdempotencyStore in memory, held to the real one by kept_test.go. What a handler writes is noted by
// calling apply with its context.
type keptRequests struct {
	mu    sync.Mutex
	Rows  map[string]*keptRow
	Asked []edge.KeyRequest
}

type keptRow struct {
	fingerprint string
	Claim       edge.KeyClaim
}

type keptContextKey struct{}

func NewKeptRequests() *keptRequests { return &keptRequests{Rows: map[string]*keptRow{}} }

func (k *keptRequests) ClaimKey(ctx context.Context, ws string, key edge.KeyRequest) (context.Context, *edge.KeyClaim, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Asked = append(k.Asked, key)
	row := k.Rows[ws+key.Name]
	if row == nil {
		row = &keptRow{key.Fingerprint, edge.KeyClaim{State: domain.RequestRunning}}
		k.Rows[ws+key.Name] = row
		return context.WithValue(ctx, keptContextKey{}, row), &edge.KeyClaim{State: domain.RequestNew}, nil
	}
	if row.fingerprint != key.Fingerprint {
		return ctx, &edge.KeyClaim{State: domain.RequestMismatch}, nil
	}
	claim := row.Claim
	return ctx, &claim, nil
}

func (k *keptRequests) KeepAnswer(_ context.Context, ws, key string, answer []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Rows[ws+key].Claim = edge.KeyClaim{State: domain.RequestAnswered, Answer: answer}
	return nil
}

func (k *keptRequests) KeepRefusal(ctx context.Context, ws, key string, answer []byte) error {
	if err := k.ReleaseKey(ctx, ws, key); err != nil || k.Rows[ws+key] == nil {
		return err
	}
	return k.KeepAnswer(ctx, ws, key, answer)
}

func (k *keptRequests) ReleaseKey(_ context.Context, ws, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if row := k.Rows[ws+key]; row != nil && row.Claim.State == domain.RequestRunning {
		delete(k.Rows, ws+key)
	}
	return nil
}

// Apply notes, as a transaction would, that the request was carried out.
func (k *keptRequests) Apply(ctx context.Context, created string, seq int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if row, ok := ctx.Value(keptContextKey{}).(*keptRow); ok {
		row.Claim = edge.KeyClaim{State: domain.RequestApplied, CreatedID: created, Seq: seq}
	}
}

func Number(tb testing.TB, text string) int64 {
	tb.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// Within fails a test that hangs.
func Within(tb testing.TB, d time.Duration, what string, do func()) {
	tb.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(d):
		tb.Fatalf("%s took longer than %s", what, d)
	}
}

func Answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func ProblemIn(tb testing.TB, body string) api.Problem {
	tb.Helper()
	var p api.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		tb.Fatalf("no problem: %v\n%s", err, body)
	}
	return p
}

type Discard struct{}

func (Discard) Write(p []byte) (int, error) { return len(p), nil }

func StringOf(n int64) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// Dial asks for a stream on a connection of the test's own.
func (e *Server) Dial(t *testing.T, request string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", e.HTTP.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return conn
}
