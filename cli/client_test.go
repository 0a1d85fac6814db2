package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

// fakeAPI is a server whose answers a test writes down. Every request is kept.
type fakeAPI struct {
	*httptest.Server
	mux *http.ServeMux

	mu       sync.Mutex
	requests []fakeRequest

	away atomic.Bool // connections break, as those of a dead server do
	lost chan string // the idempotency keys of requests that came meanwhile
}

type fakeRequest struct {
	Line   string // "POST /v1/sessions"
	Body   string
	Header http.Header
}

func newFakeAPI(t *testing.T) *fakeAPI {
	t.Helper()
	f := &fakeAPI{mux: http.NewServeMux(), lost: make(chan string, 100)}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.away.Load() {
			f.lost <- r.Header.Get("Idempotency-Key")
			panic(http.ErrAbortHandler)
		}
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.requests = append(f.requests, fakeRequest{r.Method + " " + r.URL.RequestURI(), string(body), r.Header})
		f.mu.Unlock()
		f.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		f.CloseClientConnections() // event streams would hold it open
		f.Close()
	})
	return f
}

// answers makes the server answer a route with a JSON body.
func (f *fakeAPI) answers(route string, status int, body string) {
	f.mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) {
		if status >= 400 {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// seen are the requests whose line begins so.
func (f *fakeAPI) seen(prefix string) []fakeRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []fakeRequest
	for _, r := range f.requests {
		if strings.HasPrefix(r.Line, prefix) {
			out = append(out, r)
		}
	}
	return out
}

func (f *fakeAPI) flags() clientFlags {
	return clientFlags{serverFlags: serverFlags{URL: f.URL}, Output: "table"}
}

// sse writes events and keeps the stream open until the client goes, or ends it.
func sse(w http.ResponseWriter, r *http.Request, hold bool, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ":"+strings.Repeat(" ", 2048)+"\nretry: 2000\n\n")
	for _, e := range events {
		_, _ = io.WriteString(w, e)
	}
	_ = http.NewResponseController(w).Flush()
	if hold {
		<-r.Context().Done()
	}
}

func sseText(id int64, name string, data any) string {
	body, _ := json.Marshal(data)
	out := "event: " + name + "\ndata: " + string(body) + "\n\n"
	if id > 0 {
		out = fmt.Sprintf("id: %d\n", id) + out
	}
	return out
}

// testContext is a Context whose output can be read while it is written.
func testContext(t *testing.T, in io.Reader) (*Context, *output) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	out := &output{}
	return &Context{Context: ctx, Version: "dev", In: in, Out: out, Errors: out, Clock: clock.System}, out
}

type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	from := 0
	for _, part := range parts {
		i := strings.Index(got[from:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", part, got)
		}
		from += i + len(part)
	}
}

func TestProblemsAreExplained(t *testing.T) {
	cases := map[string]struct {
		status int
		header map[string]string
		body   string
		want   []string
	}{
		"wrong values": {422, nil, `{"title":"Some values are wrong","detail":"Two fields.","code":"invalid","request_id":"req_1","outcome":"not_applied","errors":[{"pointer":"/name","code":"too_long","message":"at most 200 characters"}]}`,
			[]string{"Some values are wrong: Two fields.", "/name: at most 200 characters", "(invalid, HTTP 422, request req_1)"}},
		"no credentials": {401, nil, `{"title":"Who are you?","detail":"A key is needed.","code":"unauthenticated","request_id":"r"}`,
			[]string{"Who are you?", "FERMATA_KEY"}},
		"later": {503, map[string]string{"Retry-After": "5"}, `{"title":"Not available now","code":"unavailable","retryable":true,"outcome":"unknown"}`,
			[]string{"It is uncertain whether the change was made", "Try again in 5s"}},
		"a proxy": {502, map[string]string{"X-Request-ID": "req_9"}, `<html>Bad Gateway</html>`,
			[]string{"Bad Gateway", "proxy", "HTTP 502, request req_9"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.mux.HandleFunc("/v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			flags := f.flags()
			client, err := flags.client(&Context{})
			if err != nil {
				t.Fatal(err)
			}
			err = client.call(t.Context(), "GET", "/v1/sessions", nil, nil)
			if err == nil {
				t.Fatal("no error")
			}
			wants(t, err.Error(), c.want...)
		})
	}
}

// A request without reply is repeated with the same key, so that the change is made
// once.
func TestALostReplyIsAskedForAgainWithTheSameKey(t *testing.T) {
	f := newFakeAPI(t)
	lost := false
	f.mux.HandleFunc("POST /v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
		if !lost {
			lost = true
			panic(http.ErrAbortHandler) // the connection breaks instead of a reply
		}
		_, _ = io.WriteString(w, `{"id":"ses_1"}`)
	})
	flags := f.flags()
	client, _ := flags.client(&Context{})
	client.pause = time.Millisecond
	var session struct{ ID string }
	if err := client.call(t.Context(), "POST", "/v1/sessions", map[string]string{}, &session); err != nil || session.ID != "ses_1" {
		t.Fatalf("%v, %+v", err, session)
	}
	tries := f.seen("POST /v1/sessions")
	if len(tries) != 2 || tries[0].Header.Get("Idempotency-Key") == "" || tries[0].Header.Get("Idempotency-Key") != tries[1].Header.Get("Idempotency-Key") {
		t.Fatalf("tries: %+v", tries)
	}
}

func TestTheKeyAndTheWorkspaceAreSent(t *testing.T) {
	f := newFakeAPI(t)
	f.answers("/v1/sessions", 200, `{"data":[],"next_cursor":null}`)
	flags := f.flags()
	flags.Key, flags.Workspace = "fmt_secret", "acme"
	client, _ := flags.client(&Context{})
	if err := client.call(t.Context(), "GET", "/v1/sessions", nil, nil); err != nil {
		t.Fatal(err)
	}
	h := f.seen("GET /v1/sessions")[0].Header
	if h.Get("Authorization") != "Bearer fmt_secret" || h.Get("Fermata-Workspace") != "acme" {
		t.Fatalf("headers: %v", h)
	}
	for _, url := range []string{"localhost:8080", "ftp://x", "", "http://"} {
		if _, err := (&serverFlags{URL: url}).client(&Context{}); err == nil {
			t.Errorf("%q passes for a URL", url)
		}
	}
}

func TestEventsAreRead(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	stream := ": hello\nretry: 2000\n\nid: 7\nevent: a\ndata: {\"n\":1}\n\nevent: b\ndata: one\ndata: two\r\n\n\n" +
		"id: 8\nevent: c\ndata: " + long + "\n\nevent: half\ndata: cut off"
	alive := 0
	events := newEventScanner(strings.NewReader(stream), func() { alive++ })
	var got []sseEvent
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if len(got) != 3 || got[0].ID != 7 || got[0].Name != "a" || string(got[0].Data) != `{"n":1}` ||
		got[1].ID != 0 || string(got[1].Data) != "one\ntwo" || len(got[2].Data) != len(long) || alive == 0 {
		t.Fatalf("%d events, %d lines", len(got), alive)
	}
	tooLong := newEventScanner(strings.NewReader("data: "+strings.Repeat("x", maxLine+1)), func() {})
	if _, err := tooLong.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Fatalf("a line without end gave %v", err)
	}
}

// The stream breaks, the server is away, then says good-bye: nothing is missed and
// nothing comes twice.
func TestFollowingComesBackByItsCursor(t *testing.T) {
	f := newFakeAPI(t)
	n := 0
	f.mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) {
		n++
		switch n {
		case 1:
			sse(w, r, false, sseText(1, "x", 1), sseText(2, "x", 2), "id: 3\nevent: x\n") // breaks in the third
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			sse(w, r, false, sseText(3, "x", 3), sseText(0, "delta", 0), "retry: 300\n"+sseText(0, "bye", map[string]string{"reason": "shutdown"}))
		case 4:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 5:
			sse(w, r, false, sseText(0, "reset", map[string]string{"reason": "pruned"}), sseText(9, "snapshot", 9), sseText(10, "x", 10))
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	flags := f.flags()
	client, _ := flags.client(&Context{})
	var got []string
	breaks := 0
	follow := &follower{client: client, path: "/v1/events", cursor: 0, pause: time.Millisecond,
		take: func(e sseEvent) error { got = append(got, fmt.Sprintf("%s%d", e.Name, e.ID)); return nil },
		lost: func(error) { breaks++ }}
	err := follow.run(t.Context())
	if codeOf(err) != "unknown" {
		t.Fatalf("ended with %v", err)
	}
	if want := "x1 x2 x3 delta0 reset0 snapshot9 x10"; strings.Join(got, " ") != want {
		t.Errorf("got %v", got)
	}
	var cursors []string
	for _, r := range f.seen("GET /v1/events") {
		cursors = append(cursors, strings.TrimPrefix(r.Line, "GET /v1/events?"))
	}
	if want := "after=0 after=2 after=2 after=3 after=3 after=10"; strings.Join(cursors, " ") != want {
		t.Errorf("cursors %v", cursors)
	}
	if breaks != 5 {
		t.Errorf("%d breaks", breaks)
	}
}

// A connection on which nothing comes any more, not even comments, is given up.
func TestASilentStreamIsGivenUp(t *testing.T) {
	f := newFakeAPI(t)
	n := 0
	f.mux.HandleFunc("/v1/events", func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			sse(w, r, true, sseText(1, "x", 1))
			return
		}
		sse(w, r, true, sseText(2, "x", 2))
	})
	flags := f.flags()
	client, _ := flags.client(&Context{})
	follow := &follower{client: client, path: "/v1/events", cursor: noCursor, pause: time.Millisecond, silence: 50 * time.Millisecond,
		take: func(e sseEvent) error {
			if e.ID == 2 {
				return errSeen
			}
			return nil
		}}
	if err := follow.run(t.Context()); !errors.Is(err, errSeen) {
		t.Fatalf("ended with %v", err)
	}
}

func TestAServerThatWasNeverThereIsNotWaitedFor(t *testing.T) {
	flags := serverFlags{URL: "http://127.0.0.1:1"}
	client, _ := flags.client(&Context{})
	follow := &follower{client: client, path: "/v1/events", take: func(sseEvent) error { return nil }}
	err := follow.run(t.Context())
	if _, ok := errors.AsType[*unreachableError](err); !ok {
		t.Fatalf("got %v", err)
	}
	wants(t, err.Error(), "http://127.0.0.1:1 does not respond", "fermata serve", "--url")
}

// What the server refuses is not asked again; while it is away, the same request is.
func TestWhatIsAskedAgain(t *testing.T) {
	f := newFakeAPI(t)
	f.answers("POST /v1/refused", 422, `{"title":"No.","code":"invalid","status":422}`)
	var times atomic.Int32
	f.mux.HandleFunc("POST /v1/away", func(w http.ResponseWriter, _ *http.Request) {
		switch times.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.Header().Set("Content-Length", "100") // the answer breaks off
			_, _ = io.WriteString(w, `{"id":`)
		default:
			_, _ = io.WriteString(w, `{"id":"ses_1"}`)
		}
	})
	cc, _ := testContext(t, strings.NewReader(""))
	flags := f.flags()
	client, err := flags.client(cc)
	if err != nil {
		t.Fatal(err)
	}
	client.pause = time.Millisecond
	for _, ask := range []func(context.Context, string, string, any, any) error{client.call, client.insist} {
		if err := ask(cc, "POST", "/v1/refused", nil, nil); codeOf(err) != "invalid" {
			t.Errorf("refused with %v", err)
		}
	}
	if n := len(f.seen("POST /v1/refused")); n != 2 {
		t.Errorf("what was refused was asked %d times", n)
	}
	var got struct{ ID string }
	if err := client.insist(cc, "POST", "/v1/away", nil, &got); err != nil || got.ID != "ses_1" {
		t.Errorf("it answers %+v: %v", got, err)
	}
	asked := f.seen("POST /v1/away")
	for _, r := range asked {
		if r.Header.Get("Idempotency-Key") != asked[0].Header.Get("Idempotency-Key") || r.Header.Get("Idempotency-Key") == "" {
			t.Errorf("asked under %q", r.Header.Get("Idempotency-Key"))
		}
	}
	if len(asked) != 3 {
		t.Errorf("asked %d times", len(asked))
	}
}
