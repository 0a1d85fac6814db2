package handlers

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
)

func TestWhatAClientLearnsOfAnError(t *testing.T) {
	waiting := &domain.Session{Phase: domain.WaitingValidation}
	for name, c := range map[string]struct {
		err    error
		status int
		want   []string
		not    []string
	}{
		"unknown":            {errors.New("pq: password is hunter2"), 500, []string{`"code":"internal"`, `"outcome":"unknown"`, `"retryable":false`}, []string{"hunter2"}},
		"wrapped":            {fmt.Errorf("send the message: %w", domain.NotFound("session")), 404, []string{`"code":"not_found"`, `"outcome":"not_applied"`}, []string{"send the message"}},
		"cause":              {&domain.Error{Code: domain.CodeUnavailable, Message: "No database.", Err: errors.New("dial 10.0.0.1")}, 503, []string{`"detail":"No database."`, `"retryable":true`}, []string{"10.0.0.1"}},
		"fields":             {domain.Invalid("/text", "empty", "Say something."), 422, []string{`"errors":[{"pointer":"/text","code":"empty","message":"Say something."}]`}, nil},
		"about a session":    {&domain.Error{Code: domain.CodeWrongPhase, Message: "Not now.", Session: waiting}, 409, []string{`"phase":"WAITING_VALIDATION"`, `"session_status":"requires_action"`}, nil},
		"decided":            {&domain.Error{Code: domain.CodeValidationResolved, Message: "Done.", Decision: `{"approved":true}`}, 409, []string{`"decision":{"approved":true}`}, nil},
		"decided, as a word": {&domain.Error{Code: domain.CodeValidationResolved, Message: "Done.", Decision: "approved"}, 409, []string{`"decision":"approved"`}, nil},
		"an unknown code":    {domain.Errorf("new_code", "secret text"), 500, []string{`"code":"internal"`}, []string{"secret text", "new_code"}},
		"a full disk":        {domain.Errorf(domain.CodeStorageFull, "No room."), 507, nil, nil},
		"applied":            {&domain.Error{Code: domain.CodeInternal, Outcome: domain.Applied}, 500, []string{`"outcome":"applied"`}, nil},
		"unknown fate":       {domain.Errorf(domain.CodeOutcomeUnknown, "Look."), 500, []string{`"outcome":"unknown"`}, nil},
		"too large":          {&http.MaxBytesError{Limit: 10}, 413, []string{`"code":"too_large"`}, nil},
		"too late":           {context.DeadlineExceeded, 503, []string{`"outcome":"unknown"`}, nil},
		"others first":       {fmt.Errorf("commit: %w", domain.ErrStale), 503, []string{`"code":"db_busy"`, `"outcome":"not_applied"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdgeServer(t, "", clock.System, func(e *edgeServer, r chi.Router) {
				r.Get("/v1/fail", func(w http.ResponseWriter, r *http.Request) { e.fail(w, r, c.err) })
			})
			res, body := e.call(t, http.MethodGet, "/v1/fail", "", "X-Request-ID", "r-1")
			if res.StatusCode != c.status || res.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
			}
			for _, part := range append(c.want, `"request_id":"r-1"`, `"type":"/problems/`, `"title":"`) {
				if !strings.Contains(body, part) {
					t.Errorf("no %s in %s", part, body)
				}
			}
			for _, part := range c.not {
				if strings.Contains(body, part) {
					t.Errorf("%s is in %s", part, body)
				}
			}
			if again := res.Header.Get("Retry-After") != ""; again != strings.Contains(body, `"retryable":true`) || (c.status == http.StatusServiceUnavailable) != again {
				t.Errorf("Retry-After %q beside %s", res.Header.Get("Retry-After"), body)
			}
			if logged := strings.Contains(e.log.String(), `"level":"error"`); logged != (c.status >= 500) {
				t.Errorf("logged: %v", logged)
			}
		})
	}
}

// The type of every problem is a page that exists.
func TestEveryProblemHasItsPage(t *testing.T) {
	e := newEdgeServer(t, "", clock.System, nil)
	for code, kind := range problemKinds {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/v1/x", nil)
		e.fail(w, r, domain.Errorf(code, "text"))
		p := problemIn(t, w.Body.String())
		if p.Status != kind.Status || p.Title == "" || string(code) != p.Code || w.Code != kind.Status {
			t.Errorf("%s: %+v", code, p)
		}
		res, body := e.call(t, http.MethodGet, p.Type, "")
		if res.StatusCode != http.StatusOK || !strings.Contains(body, string(code)) || !strings.Contains(body, html.EscapeString(kind.Title)) || kind.Page == "" {
			t.Errorf("%s: %d %s", p.Type, res.StatusCode, body)
		}
	}
	if res, body := e.call(t, http.MethodGet, "/problems", ""); res.StatusCode != http.StatusOK || !strings.Contains(body, `href="problems/queue_full"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, body := e.call(t, http.MethodGet, "/problems/%3Cb%3E", ""); res.StatusCode != http.StatusNotFound || strings.Contains(body, "<b>") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// TestTheContractListsEveryProblem: a client that decides by code finds all codes there are in the
// contract, with their statuses, and none besides.
func TestTheContractListsEveryProblem(t *testing.T) {
	listed := testkit.ProblemCodes(t)
	for code, kind := range problemKinds {
		if listed[string(code)] != kind.Status {
			t.Errorf("%s has the status %d; openapi.yaml (components.responses.Problem) says %d", code, kind.Status, listed[string(code)])
		}
	}
	for code := range listed {
		if _, known := problemKinds[domain.Code(code)]; !known {
			t.Errorf("openapi.yaml lists the code %s, which there is not", code)
		}
	}
}

// TestTheDocumentOfErrors: every code has its section in docs/errors.md, in the words of its page.
func TestTheDocumentOfErrors(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Errors\n\nEvery refusal is a problem (RFC 9457, `application/problem+json`) with a stable `code`, whose `type` is a page of the\n" +
		"server (`/problems/<code>`). Decide by `code`; `detail` is for people, `errors` points at each wrong value, `outcome` says\n" +
		"whether anything was changed (`not_applied`, `applied`, `unknown`), and `retryable` whether the same request may succeed\n" +
		"later. This file is written by `go test ./handlers -run Document -update`.\n")
	for _, code := range problemCodes() {
		kind := problemKinds[code]
		fmt.Fprintf(&b, "\n## %s\n%d · %s\n\n%s\n", code, kind.Status, kind.Title, kind.Page)
		if kind.RetryAfter > 0 {
			fmt.Fprintf(&b, "\nThe same request may succeed later: `Retry-After` says when, usually %d s.\n", kind.RetryAfter)
		}
	}
	golden.Check(t, "../docs/errors.md", b.String())
}
