package edge_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

// once is a server whose POST /v1/things counts what it does.
func onceServer(t *testing.T, do func(e *edgetest.Server, n int64, w http.ResponseWriter, r *http.Request)) *edgetest.Server {
	var n atomic.Int64
	return edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		handler := func(rebuild edge.Rebuilder) http.HandlerFunc {
			return e.RequireRole(domain.RoleMember, e.Once(func(w http.ResponseWriter, r *http.Request) { do(e, n.Add(1), w, r) }, rebuild))
		}
		sessions := sessions.New(e.Edge, sessions.Ports{SessionReader: e.Store})
		r.Post("/v1/things", handler(nil))
		r.Post("/v1/others", handler(nil))
		r.Post("/v1/sessions", handler(sessions.MadeSession))
		r.Post("/v1/sessions/{session_id}/stop", handler(sessions.CurrentSession))
		r.Post("/v1/sessions/{session_id}/validation", handler(edge.RunAgain))
	})
}

func made(_ *edgetest.Server, n int64, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "/v1/things/"+edgetest.StringOf(n))
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(`{"n":` + edgetest.StringOf(n) + `,"secret":"shown once"}`))
}

func TestSameKeySameAnswer(t *testing.T) {
	e := onceServer(t, made)
	first, body := e.Call(t, http.MethodPost, "/v1/things", `{"a":1}`, "Idempotency-Key", "k1")
	again, repeated := e.Call(t, http.MethodPost, "/v1/things", `{"a":1}`, "Idempotency-Key", "k1")
	if first.StatusCode != http.StatusCreated || first.Header.Get("Idempotent-Replayed") != "" || body != `{"n":1,"secret":"shown once"}` {
		t.Fatalf("%d %v %s", first.StatusCode, first.Header, body)
	}
	if again.StatusCode != http.StatusCreated || again.Header.Get("Idempotent-Replayed") != "true" || repeated != body ||
		again.Header.Get("Location") != first.Header.Get("Location") || again.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %s", again.StatusCode, again.Header, repeated)
	}
	if again.Header.Get("X-Request-ID") == first.Header.Get("X-Request-ID") {
		t.Error("two requests have one id")
	}
	for what, c := range map[string][2]string{"body": {"/v1/things", `{"a":2}`}, "path": {"/v1/others", `{"a":1}`}, "query": {"/v1/things?x=1", `{"a":1}`}} {
		if res, text := e.Call(t, http.MethodPost, c[0], c[1], "Idempotency-Key", "k1"); res.StatusCode != http.StatusUnprocessableEntity || edgetest.ProblemIn(t, text).Code != "idempotency_mismatch" {
			t.Errorf("another %s: %d %s", what, res.StatusCode, text)
		}
	}
	if res, text := e.Call(t, http.MethodPost, "/v1/things", `{"a":1}`, "Idempotency-Key", "k1", "Fermata-Workspace", "acme"); res.StatusCode != http.StatusCreated || !strings.Contains(text, `"n":2`) {
		t.Errorf("another workspace: %d %s", res.StatusCode, text)
	}
	if _, text := e.Call(t, http.MethodPost, "/v1/things", `{"a":1}`); !strings.Contains(text, `"n":3`) {
		t.Errorf("without a key: %s", text)
	}
	for _, row := range e.Kept.Rows {
		if bytes.Contains(row.Claim.Answer, []byte("shown once")) {
			t.Error("the answer is stored in the clear")
		}
	}
	for name := range e.Kept.Rows {
		if strings.Contains(name, "k1") {
			t.Error("the key is stored in the clear")
		}
	}
}

func TestKeysThatAreNone(t *testing.T) {
	e := onceServer(t, made)
	for _, key := range []string{"", "a b", strings.Repeat("k", 256), "é"} {
		if res, body := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", key); res.StatusCode != http.StatusUnprocessableEntity || edgetest.ProblemIn(t, body).Code != "invalid" {
			t.Errorf("%q: %d %s", key, res.StatusCode, body)
		}
	}
	if res, _ := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", strings.Repeat("k", 255)); res.StatusCode != http.StatusCreated {
		t.Error(res.StatusCode)
	}
}

func TestStillRunning(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	e := onceServer(t, func(e *edgetest.Server, n int64, w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-finish
		made(e, n, w, r)
	})
	done := make(chan int)
	go func() {
		res, _ := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k")
		done <- res.StatusCode
	}()
	<-begun
	res, body := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k")
	if res.StatusCode != http.StatusConflict || edgetest.ProblemIn(t, body).Code != "idempotency_in_progress" || res.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	close(finish)
	if status := <-done; status != http.StatusCreated {
		t.Error(status)
	}
	if res, _ := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k"); res.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("not replayed")
	}
}

// An answer that says "try again" is not kept, nor a refusal: it can be had again. One
// that stands is, and so is a refusal that changed something.
func TestWhatIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		runs int64
	}{
		"a refusal":      {domain.Errorf(domain.CodeWrongPhase, "Not now."), 2},
		"a mistake":      {domain.Invalid("/a", "wrong", "No."), 2},
		"a new question": {domain.Errorf(domain.CodeValidationStale, "Look again."), 1},
		"no database":    {domain.Errorf(domain.CodeUnavailable, "No database."), 2},
		"something else": {http.ErrBodyNotAllowed, 2},
		"a full queue":   {domain.Errorf(domain.CodeQueueFull, "Full."), 2},
	} {
		var runs int64
		e := onceServer(t, func(e *edgetest.Server, n int64, w http.ResponseWriter, r *http.Request) {
			if runs = n; c.runs == 1 {
				e.Kept.Apply(r.Context(), "", 7)
			}
			e.Fail(w, r, c.err)
		})
		_, first := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k")
		_, second := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k")
		if runs != c.runs || c.runs == 1 && first != second {
			t.Errorf("%s: ran %d times\n%s%s", name, runs, first, second)
		}
		if c.runs == 2 && len(e.Kept.Rows) != 0 {
			t.Errorf("%s left a trace", name)
		}
	}
}

func TestPanicReleasesTheKey(t *testing.T) {
	e := onceServer(t, func(e *edgetest.Server, n int64, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			panic("first")
		}
		made(e, n, w, r)
	})
	if res, _ := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k"); res.StatusCode != http.StatusInternalServerError {
		t.Error(res.StatusCode)
	}
	if res, body := e.Call(t, http.MethodPost, "/v1/things", `{}`, "Idempotency-Key", "k"); res.StatusCode != http.StatusCreated || !strings.Contains(body, `"n":2`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// TestWhoLeavesAndAsksAgain verifies that a client that disconnects in the middle of its request can retry: a
// request that had no effect is carried out, and one that was carried out gets its response. The missing response
// of the first attempt is never replayed.
func TestWhoLeavesAndAsksAgain(t *testing.T) {
	for name, applied := range map[string]bool{"nothing was done yet": false, "it was done": true} {
		left := make(chan struct{})
		ctx, leave := context.WithCancel(t.Context())
		var runs atomic.Int64
		e := onceServer(t, func(e *edgetest.Server, n int64, w http.ResponseWriter, r *http.Request) {
			runs.Store(n)
			if n > 1 {
				made(e, n, w, r)
				return
			}
			if applied {
				e.Kept.Apply(r.Context(), "ses_1", 7)
			}
			leave()
			<-r.Context().Done()
			e.Fail(w, r, r.Context().Err())
			close(left)
		})
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.HTTP.URL+"/v1/sessions", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Idempotency-Key", "k")
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			t.Fatalf("%s: who left has an answer", name)
		}
		<-left
		var res *http.Response
		var body string
		for { // the key is released a moment after the handler ended
			if res, body = e.Call(t, http.MethodPost, "/v1/sessions", `{}`, "Idempotency-Key", "k"); res.Header.Get("Retry-After") == "" {
				break
			}
		}
		want, ran := `"n":2`, int64(2)
		if applied {
			want, ran = `"id":"ses_1"`, 1
		}
		if res.StatusCode != http.StatusCreated || !strings.Contains(body, want) || runs.Load() != ran {
			t.Errorf("%s: who asked again got %d %q (ran %d times)", name, res.StatusCode, body, runs.Load())
		}
	}
}

// TestAnswerLostAfterTheCommit verifies that if the process dies between the commit and the response, a retry
// returns the resource that was created and does not create it again.
func TestAnswerLostAfterTheCommit(t *testing.T) {
	for path, c := range map[string]struct {
		created string
		status  int
		want    string
		runs    int64
	}{
		"/v1/sessions":                  {"ses_1", 201, `"id":"ses_1"`, 1},
		"/v1/sessions/ses_1/stop":       {"", 200, `"event_seq":7`, 1},
		"/v1/sessions/ses_1/validation": {"", 201, `"n":2`, 2}, // the same decision twice is one
		"/v1/things":                    {"xyz_1", 409, `"outcome":"applied"`, 1},
	} {
		var runs int64
		e := onceServer(t, func(e *edgetest.Server, n int64, w http.ResponseWriter, r *http.Request) {
			runs = n
			if n == 1 {
				e.Kept.Apply(r.Context(), c.created, 7)
				panic("the process dies")
			}
			made(e, n, w, r)
		})
		e.Call(t, http.MethodPost, path, `{}`, "Idempotency-Key", "k")
		for range 2 {
			res, body := e.Call(t, http.MethodPost, path, `{}`, "Idempotency-Key", "k")
			if res.StatusCode != c.status || !strings.Contains(body, c.want) || runs != c.runs || res.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: %d %s (ran %d times, %v)", path, res.StatusCode, body, runs, res.Header)
			}
		}
	}
}

// TestWhoOwnsAKey: the ceiling holds for each credential, for each webhook, and not for
// the operator.
func TestWhoOwnsAKey(t *testing.T) {
	kept := edgetest.NewKeptRequests()
	s := edge.New(edge.Config{Idempotency: kept, Clock: repeatable.Clock(servertest.WorldTime)}, nil)
	hooks := automations.New(s, servertest.NewWorld(t).Config.Automations)
	done := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	for _, role := range []domain.Role{domain.RoleViewer, domain.RoleRoot} {
		x := edge.AsCaller(t.Context(), &auth.Identity{Workspace: "acme", Name: "key_" + string(role), Role: role})
		r := httptest.NewRequest(http.MethodPost, "/v1/zones", nil).WithContext(x)
		r.Header.Set("Idempotency-Key", "k"+string(role))
		s.Once(done, nil)(httptest.NewRecorder(), r)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/hooks/aut_1/secret", nil)
	r.Header.Set("Idempotency-Key", "k")
	route := chi.NewRouteContext()
	route.URLParams.Add("automation_id", "aut_1")
	route.URLParams.Add("token", "secret")
	hooks.CallWebhook(httptest.NewRecorder(), r.WithContext(context.WithValue(t.Context(), chi.RouteCtxKey, route)))
	var owners []string
	for _, asked := range kept.Asked {
		owners = append(owners, fmt.Sprint(asked.Owner, " ", asked.MaxKeys))
	}
	servertest.Equal(t, "owners", owners, []string{"key_viewer 10000", "key_root 0", "webhook of aut_1 10000"})
}

// TestAKeyIsOfOneCredential: who repeats the key and body of another credential is another
// caller. Neither reads the other's answer, and neither occupies the other's key.
func TestAKeyIsOfOneCredential(t *testing.T) {
	kept := edgetest.NewKeptRequests()
	s := edge.New(edge.Config{Idempotency: kept, Clock: repeatable.Clock(servertest.WorldTime)}, nil)
	made := 0
	handler := s.Once(func(w http.ResponseWriter, _ *http.Request) {
		made++
		_, _ = fmt.Fprint(w, made)
	}, nil)
	call := func(name string, method auth.Method, body string) (status int, text string) {
		x := edge.AsCaller(t.Context(), &auth.Identity{Workspace: "acme", Name: name, Role: domain.RoleAdmin, Method: method})
		r := httptest.NewRequest(http.MethodPost, "/v1/keys", strings.NewReader(body)).WithContext(x)
		r.Header.Set("Idempotency-Key", "shared")
		out := httptest.NewRecorder()
		handler(out, r)
		return out.Code, out.Body.String()
	}
	for _, c := range []struct {
		name   string
		method auth.Method
		body   string
		status int
		text   string
	}{
		{"key_a", auth.MethodKey, `{"a":1}`, 200, "1"},
		{"key_b", auth.MethodKey, `{"a":1}`, 200, "2"},  // the same request of another admin
		{"key_c", auth.MethodKey, `{"c":1}`, 200, "3"},  // another request under the same key
		{"per_a", auth.MethodOIDC, `{"a":1}`, 200, "4"}, // a person in a browser
		{"key_a", auth.MethodKey, `{"a":1}`, 200, "1"},
		{"key_b", auth.MethodKey, `{"a":1}`, 200, "2"},
		{"per_a", auth.MethodOIDC, `{"a":1}`, 200, "4"},
		{"key_a", auth.MethodOIDC, `{"a":1}`, 200, "1"}, // the key signed in, by its cookie
	} {
		if status, text := call(c.name, c.method, c.body); status != c.status || text != c.text {
			t.Errorf("%s %s: %d %s, want %d %s", c.name, c.body, status, text, c.status, c.text)
		}
	}
	if status, _ := call("key_b", auth.MethodKey, `{"b":2}`); status != http.StatusUnprocessableEntity {
		t.Errorf("another request of the same credential: %d", status)
	}
}
