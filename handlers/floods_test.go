package handlers_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestFloods sends every request of floodedRequests several times at once with one key, and reads none of the
// responses: what waits for that key is counted in its accounts and stays within their limits, nothing is held
// after it has left, and another workspace is served at once. Routes come from the table and protocols from the
// program: a new one is included.
func TestFloods(t *testing.T) {
	servertest.FixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFloodWorld(t)
		for _, asked := range f.requests(t) {
			f.floodAnswers(t, asked)
		}
		f.w.Broker.Drain()
	})
}

// TestFloodsOfBodies sends a large body to every route several times at once with one key. The bodies stop
// shortly before their end: what has arrived of them by then stays within the account of the key.
func TestFloodsOfBodies(t *testing.T) {
	servertest.FixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFloodWorld(t)
		for _, asked := range f.bodies(t) {
			f.floodBodies(t, asked)
		}
		f.w.Broker.Drain()
	})
}

// floodWorld is a server for floods. Nothing that it calls is reachable: a connection would stop virtual time.
type floodWorld struct {
	w *servertest.World
	s *handlers.Server
	h http.Handler
	// thereNow fills the parameters of paths and of bodies that are ids of what was created for the flood.
	thereNow *strings.Replacer
}

const unreachable = "http://127.0.0.1:9"

func newFloodWorld(t *testing.T) *floodWorld {
	t.Helper()
	w := servertest.RunningWorld(t)
	w.Config.Edge.Auth, w.Config.Edge.RateLimits = servertest.PlacedAuth{}, edge.RateLimits{PerSecond: 1e6, Burst: 1e6}
	s := handlers.NewServer(w.Config)
	f := &floodWorld{w: w, s: s, h: s.Middleware(s.Routes())}
	f.prepare(t, http.MethodPatch, "/v1/providers/prv_1", "application/json", `{"config":{"base_url":"`+unreachable+`/v1","api_key":"sk-0123456789abcd"}}`)
	f.prepare(t, http.MethodPatch, "/v1/connectors/con_1", "application/json", `{"config":{"base_url":"`+unreachable+`","headers":{"Authorization":"Bearer abc"}}}`)
	session := f.prepare(t, http.MethodPost, "/v1/sessions", "application/json", `{"name":"Large"}`)
	file := f.prepare(t, http.MethodPost, "/v1/files?name=large.txt", "text/plain", strings.Repeat("a", 3_500_000))
	w.Say(t, strings.Repeat("a", 3_500_000))
	w.SayIn(t, session, strings.Repeat("a", 3_500_000))
	f.thereNow = strings.NewReplacer("ses_large", session, "{file_id}", file, "{id}", "ses_1", "{response_id}", "resp_1",
		"{sign_in_id}", "sin_1", "{push_subscription_id}", "psh_1", "{version}", "1", "/*", "/fermata")
	return f
}

// prepare sends a request that must succeed, and returns the id in the response.
func (f *floodWorld) prepare(t *testing.T, method, path, kind, body string) string {
	t.Helper()
	out := httptest.NewRecorder()
	f.send(t.Context(), "default/other", flooded{method, path, kind, body}, strings.NewReader(body), out)
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(out.Body.Bytes(), &made); err != nil || out.Code >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d %s", method, path, out.Code, out.Body)
	}
	return made.ID
}

// send handles one request as an http.Server does.
func (f *floodWorld) send(ctx context.Context, token string, asked flooded, body io.Reader, out http.ResponseWriter) {
	r := httptest.NewRequestWithContext(ctx, asked.method, asked.path, body)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", asked.kind)
	r.Header.Set("Accept", "application/json, text/event-stream")
	defer func() {
		if broken := recover(); broken != nil && broken != http.ErrAbortHandler {
			panic(broken)
		}
	}()
	f.h.ServeHTTP(out, r)
}

const (
	// atOnce is the number of simultaneous requests that read. Without an account, what they request is more than
	// one account holds.
	atOnce = 20
	// writesAtOnce is the number of simultaneous requests that change something. Each waits for the disk.
	writesAtOnce = 3
)

func (f *floodWorld) floodAnswers(t *testing.T, asked flooded) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	var held edgetest.Gauge
	var all sync.WaitGroup
	n := int64(atOnce)
	if asked.writes() {
		n = writesAtOnce
	}
	for range n {
		all.Go(func() {
			f.send(ctx, "default/greedy", asked, strings.NewReader(asked.body), &edgetest.Stuck{Head: http.Header{}, Held: &held})
		})
	}
	time.Sleep(time.Second)
	if waiting, counted := int64(held.Read()), f.counted("greedy"); waiting > counted+n*edge.SmallAnswer {
		t.Errorf("%s: %d bytes wait for one key, of which its accounts contain %d", asked, waiting, counted)
	}
	f.serveAnother(t, asked)
	time.Sleep(time.Minute)
	leave()
	all.Wait()
	if held.Most > edge.MaxHeldByKey {
		t.Errorf("%s: %d bytes wait for one key", asked, held.Most)
	}
	f.nothingHeld(t, asked)
}

const (
	largeBody     = edge.MaxBody // of most routes; some accept more
	bodiesAtOnce  = 3
	maxUncounted  = 3 * edge.Large // of one body: what is read at once before it is counted
	bodiesAllowed = largeBody + bodiesAtOnce*maxUncounted
)

// floodBodies sends bodies while the account of their key is full: the oldest may finish, and the others stop after
// their first bytes until there is room.
func (f *floodWorld) floodBodies(t *testing.T, asked flooded) {
	t.Helper()
	peer := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody).RemoteAddr // of a sign-in, which needs no key
	full := f.s.Ledger.Take(edge.MaxBodiesByKey, edge.Account{Name: "bodies of key greedy"}, edge.Account{Name: "bodies of address " + edge.AddressOf(peer)})
	var held edgetest.Gauge
	var all sync.WaitGroup
	text := "x" + strings.Repeat(" ", largeBody-1) // no JSON: nothing is changed
	for range bodiesAtOnce {
		all.Go(func() {
			body := &haltingBody{text: text, held: &held}
			defer body.leave()
			f.send(t.Context(), "default/greedy", asked, body, httptest.NewRecorder())
		})
	}
	synctest.Wait()
	if in := held.Read(); in > bodiesAllowed {
		t.Errorf("%s: %d bytes of bodies are in memory for one key", asked, in)
	}
	f.serveAnother(t, asked)
	full.Release()
	all.Wait()
	f.nothingHeld(t, asked)
}

// haltingBody is a body that stops for a second before its last byte. Its bytes are counted until then.
type haltingBody struct {
	text      string
	at, count int
	held      *edgetest.Gauge
}

func (b *haltingBody) Read(p []byte) (int, error) {
	rest := b.text[b.at:]
	switch len(rest) {
	case 0:
		return 0, io.EOF
	case 1:
		time.Sleep(time.Second)
		b.leave()
		b.at++
		return copy(p, rest), nil
	}
	n := copy(p, rest[:len(rest)-1])
	b.at += n
	b.count += n
	b.held.Add(n)
	return n, nil
}

func (b *haltingBody) leave() {
	b.held.Add(-b.count)
	b.count = 0
}

// counted returns the number of bytes in the accounts of a key for responses.
func (f *floodWorld) counted(key string) (bytes int64) {
	held, _ := f.s.Ledger.InUse()
	for _, what := range []string{"answers", "exports", "streams"} {
		bytes += held[what+" of key "+key]
	}
	return bytes
}

func (f *floodWorld) serveAnother(t *testing.T, asked flooded) {
	t.Helper()
	began, got := time.Now(), httptest.NewRecorder()
	f.send(t.Context(), "b/key", flooded{http.MethodGet, "/v1/zones", "", ""}, http.NoBody, got)
	if got.Code != http.StatusOK || time.Since(began) > 0 {
		t.Errorf("%s: another workspace got %d after %s", asked, got.Code, time.Since(began))
	}
}

func (f *floodWorld) nothingHeld(t *testing.T, asked flooded) {
	t.Helper()
	if held, unsettled := f.s.Ledger.InUse(); len(held)+unsettled > 0 {
		t.Errorf("%s: left behind: %v", asked, held)
	}
}
