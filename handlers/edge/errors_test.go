package edge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/internal/clock"
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
			e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
				r.Get("/v1/fail", func(w http.ResponseWriter, r *http.Request) { e.Fail(w, r, c.err) })
			})
			res, body := e.Call(t, http.MethodGet, "/v1/fail", "", "X-Request-ID", "r-1")
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
			if logged := strings.Contains(e.Logged.String(), `"level":"error"`); logged != (c.status >= 500) {
				t.Errorf("logged: %v", logged)
			}
		})
	}
}
