package admin_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/admin"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
)

// The type of every problem is a page that exists.
func TestEveryProblemHasItsPage(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	for code, kind := range edge.ProblemKinds {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/v1/x", nil)
		e.Fail(w, r, domain.Errorf(code, "text"))
		p := edgetest.ProblemIn(t, w.Body.String())
		if p.Status != kind.Status || p.Title == "" || string(code) != p.Code || w.Code != kind.Status {
			t.Errorf("%s: %+v", code, p)
		}
		res, body := e.Call(t, http.MethodGet, p.Type, "")
		if res.StatusCode != http.StatusOK || !strings.Contains(body, string(code)) || !strings.Contains(body, html.EscapeString(kind.Title)) || kind.Page == "" {
			t.Errorf("%s: %d %s", p.Type, res.StatusCode, body)
		}
	}
	if res, body := e.Call(t, http.MethodGet, "/problems", ""); res.StatusCode != http.StatusOK || !strings.Contains(body, `href="problems/queue_full"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, body := e.Call(t, http.MethodGet, "/problems/%3Cb%3E", ""); res.StatusCode != http.StatusNotFound || strings.Contains(body, "<b>") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// TestTheContractListsEveryProblem: a client that decides by code finds all codes there are in the
// contract, with their statuses, and none besides.
func TestTheContractListsEveryProblem(t *testing.T) {
	listed := testkit.ProblemCodes(t)
	for code, kind := range edge.ProblemKinds {
		if listed[string(code)] != kind.Status {
			t.Errorf("%s has the status %d; openapi.yaml (components.responses.Problem) says %d", code, kind.Status, listed[string(code)])
		}
	}
	for code := range listed {
		if _, known := edge.ProblemKinds[domain.Code(code)]; !known {
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
		"later. This file is written by `go test ./handlers/admin -run Document -update`.\n")
	for _, code := range admin.ProblemCodes() {
		kind := edge.ProblemKinds[code]
		fmt.Fprintf(&b, "\n## %s\n%d · %s\n\n%s\n", code, kind.Status, kind.Title, kind.Page)
		if kind.RetryAfter > 0 {
			fmt.Fprintf(&b, "\nThe same request may succeed later: `Retry-After` says when, usually %d s.\n", kind.RetryAfter)
		}
	}
	golden.Check(t, "../../docs/errors.md", b.String())
}
