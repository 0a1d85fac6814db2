package edge

import (
	"context"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/traces"
	"github.com/fermata-dev/fermata/stream"
)

// exchange is one request in progress: its response writer, which counts, and its context, which has the request id
// and the caller. It is one allocation, because every request has one.
type exchange struct {
	http.ResponseWriter
	context.Context

	Outcome
	route chi.Context
	now   clock.Clock // nil: without Server-Timing
	// tagged: a list in the response has an ETag of its content.
	tagged bool
	// handedOn: the request continues without its handler, and is logged when it ends.
	handedOn bool
	edge     *Edge
	arrived  context.Context // that ends only when the client leaves
	body     arriving
	atDoor   *doorRoom // of a door; nil for all others
}

// Outcome is the data of a finished request for the log and the metrics.
type Outcome struct {
	id      string
	trace   string // of the W3C traceparent, if the caller sent one
	method  string
	pattern string // of the route
	who     *auth.Identity
	begun   time.Time
	status  int
	Bytes   int64
	// opened is set by an event stream: what counts for the metrics is how long it took
	// to open.
	opened time.Duration
}

// WriteWithin is how long a reader may take to take in one write, and writeMiBWithin how much longer for each MiB
// of it.
const (
	WriteWithin    = 10 * time.Second
	writeMiBWithin = time.Second
)

type exchangeKey struct{}

// Value gives chi its place for the route, so that its pattern can be read afterwards.
func (x *exchange) Value(key any) any {
	switch key {
	case traces.Key{}:
		return x.trace
	case exchangeKey{}:
		return x
	case stream.RoomKey{}:
		if x.atDoor == nil {
			return nil
		}
		return x.atDoor
	case chi.RouteCtxKey:
		return &x.route
	}
	return x.Context.Value(key)
}

// Unwrap lets http.ResponseController reach the connection: without it there are no
// write deadlines and no flushing.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
		x.time()
	}
	x.allow(0)
	x.edge.PublicPath.redirect(x.Header())
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
		x.time()
	}
	x.allow(len(b))
	x.atDoor.writing(len(b))
	n, err := x.ResponseWriter.Write(b)
	x.Bytes += int64(n)
	return n, err
}

// time sets Server-Timing, for the browser's tools. Error responses have none: its value could reveal that a resource
// of another workspace exists.
func (x *exchange) time() {
	if x.now != nil && x.status < http.StatusBadRequest {
		took := x.now().Sub(x.begun)
		x.Header()["Server-Timing"] = []string{"app;dur=" + strconv.FormatFloat(took.Seconds()*1e3, 'f', 1, 64)}
	}
}

// allow sets the deadline for the next write: without one, a client that never reads would keep a response in memory
// forever. It applies to every response and to every write of a stream.
func (x *exchange) allow(bytes int) {
	// Only writers of tests do not support deadlines.
	_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(clock.System().Add(TimeToWrite(bytes)))
}

func TimeToWrite(bytes int) time.Duration {
	return WriteWithin + time.Duration(bytes>>20)*writeMiBWithin
}

func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// RequestID is the id of a request in logs and problems.
func RequestID(r *http.Request) string {
	if x := exchangeOf(r); x != nil {
		return x.id
	}
	return ""
}

// Middleware wraps every request, in one layer for speed.
func (s *Edge) Middleware(next chi.Router) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, moved := s.PublicPath.strip(r)
		x := &exchange{ResponseWriter: w, Context: r.Context(), edge: s, arrived: r.Context()}
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			x.now = s.Clock
		}
		x.begun, x.id, x.trace = s.Clock(), incomingID(r), traces.Read(r.Header.Get(traces.Header))
		if r.Method == http.MethodHead {
			x.route.RouteMethod = http.MethodGet // HEAD is handled as GET
		}
		setHeaders(w.Header(), x.id, r.URL.Path)
		endWithChunks(w, r)
		allowed := s.allowOrigin(w.Header(), r)
		r = r.WithContext(x)
		x.meter(r)
		defer s.finish(x, r)
		switch {
		case moved != "":
			w.Header().Set("Location", moved)
			x.WriteHeader(http.StatusPermanentRedirect)
		case allowed && preflight(r):
			answerPreflight(w.Header(), r, next)
			x.WriteHeader(http.StatusNoContent)
		case !Safe(r.Method) && s.Draining != nil && s.Draining():
			s.Fail(x, r, domain.Errorf(domain.CodeUnavailable, "The server is shutting down. Send the request again in a moment."))
		case !allowed && crossOrigin.Check(r) != nil:
			s.Fail(x, r, domain.Errorf(domain.CodeCrossOrigin, "A page of another origin may not change anything here."))
		default:
			if err := checkAddress(r); err != nil {
				s.Fail(x, r, err)
				return
			}
			next.ServeHTTP(x, r)
		}
	})
}

func Safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// finish recovers from a panic, counts and logs. No path, query or body is logged: they contain tokens of hooks,
// tickets and messages.
func (s *Edge) finish(x *exchange, r *http.Request) {
	caught := recover()
	x.body.release()
	if x.handedOn && caught == nil {
		return
	}
	if err, ok := caught.(error); caught != nil && !(ok && errors.Is(err, http.ErrAbortHandler)) {
		s.logPanic(x.id, caught)
		if x.status == 0 {
			s.Fail(x, r, domain.Errorf(domain.CodeInternal, "panic"))
			caught = nil
		}
	}
	x.method, x.pattern = r.Method, x.route.RoutePattern()
	if x.pattern == "" {
		x.pattern = "unmatched"
	}
	if x.status == 0 {
		x.status = http.StatusOK
		if x.arrived.Err() != nil {
			x.status = 499 // the client left before there was an answer
		}
	}
	s.record(&x.Outcome)
	if caught != nil {
		// The answer had begun: break the connection, so that the client does not take it for complete.
		panic(http.ErrAbortHandler)
	}
}

// Opened notes that the event stream of a request is open: the metrics count how long that took.
func (s *Edge) Opened(r *http.Request) {
	if x := exchangeOf(r); x != nil {
		x.opened = max(s.Clock().Sub(x.begun), 1)
	}
}

// HandOn returns what is logged of a request that continues without its handler, when over is called. The request
// needs an id.
func HandOn(r *http.Request) *Outcome {
	x := exchangeOf(r)
	x.handedOn = true
	rest := x.Outcome
	rest.method, rest.pattern = r.Method, x.route.RoutePattern()
	return &rest
}

// Over is finish for a request that continued without its handler.
func (s *Edge) Over(o *Outcome) {
	if caught := recover(); caught != nil {
		s.logPanic(o.id, caught)
	}
	s.record(o)
}

func (s *Edge) logPanic(id string, caught any) {
	s.Log.Error().Str("request_id", id).Interface("panic", caught).Bytes("stack", debug.Stack()).Msg("a handler panicked")
}

// record counts and logs a finished request.
func (s *Edge) record(o *Outcome) {
	took := s.Clock().Sub(o.begun)
	if s.Metrics != nil {
		measured := took
		if o.opened > 0 {
			measured = o.opened
		}
		s.Metrics.Request(o.pattern, o.method, o.status, measured)
	}
	s.logRequest(o, took)
}

func (s *Edge) logRequest(o *Outcome, took time.Duration) {
	level := zerolog.InfoLevel
	if !strings.HasPrefix(o.pattern, "/v1/") && o.status < 400 {
		level = zerolog.DebugLevel // health checks, metrics, the page
	}
	e := s.Log.WithLevel(level)
	if e == nil {
		return
	}
	e.Str("method", o.method).Str("route", o.pattern).Int("status", o.status).Int64("bytes", o.Bytes).
		Dur("took_ms", took).Str("request_id", o.id)
	if o.who != nil {
		e.Str("workspace", o.who.Workspace).Str("by", o.who.Name)
	}
	if o.trace != "" {
		e.Str("trace_id", o.trace)
	}
	e.Msg("request")
}

// Headers that never change are shared by all responses.
var (
	noSniff      = []string{"nosniff"}
	noFrames     = []string{"DENY"}
	noReferrer   = []string{"no-referrer"}
	sameOrigin   = []string{"same-origin"}
	noStore      = []string{"no-store"}
	pagePolicies = []string{"default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
		"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"}
)

func setHeaders(h http.Header, id, path string) {
	h["X-Request-Id"] = []string{id}
	h["X-Content-Type-Options"] = noSniff
	h["X-Frame-Options"] = noFrames
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Resource-Policy"] = sameOrigin
	if strings.HasPrefix(path, "/v1/") {
		h["Cache-Control"] = noStore
		return
	}
	h["Content-Security-Policy"] = pagePolicies
}

// incomingID returns the caller's request id if it is safe to log, and a new one otherwise.
func incomingID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > 128 {
		return newRequestID()
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("-_.:/+=~", rune(c)) {
			return newRequestID()
		}
	}
	return id
}

// newRequestID need not be secret, only different from all others.
func newRequestID() string {
	var raw [12]byte
	a, b := rand.Uint64(), rand.Uint32()
	for i := range 8 {
		raw[i] = byte(a >> (8 * i))
	}
	for i := range 4 {
		raw[8+i] = byte(b >> (8 * i))
	}
	var text [4 + 24]byte
	copy(text[:], "req_")
	hex.Encode(text[4:], raw[:])
	return string(text[:])
}

// MethodNotAllowed responds with the allowed methods: to OPTIONS as the response, to all others with 405. With a
// method that the router does not support, every address arrives here, also those that do not exist.
func (s *Edge) MethodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		allowed := methodsOf(routes, r.URL.Path)
		if len(allowed) == 0 {
			s.NotFound(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
		if slices.Contains(allowed, http.MethodPatch) {
			w.Header().Set("Accept-Patch", patchTypes)
		}
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.Fail(w, r, domain.Errorf(codeMethodNotAllowed, "This address takes %s.", strings.Join(allowed, ", ")))
	}
}

// NotFound responds for unknown addresses.
func (s *Edge) NotFound(w http.ResponseWriter, r *http.Request) {
	s.Fail(w, r, domain.Errorf(domain.CodeNotFound, "There is nothing at this address."))
}
