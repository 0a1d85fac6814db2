package automations_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

// TestWhoMayDoWhatWithAutomations verifies that a viewer can read automations but not the URL that starts runs, a
// member can execute them, an admin can configure them, and the webhook needs no credentials.
func TestWhoMayDoWhatWithAutomations(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	c.Want(200, "PATCH", "/v1/automations/aut_1", `{"overlap":"queue"}`)
	as := func(role string) []string { return []string{"Authorization", "Bearer " + role} }
	if got := c.Want(200, "GET", "/v1/automations/aut_1", "", as("viewer")...); strings.Contains(got.Text, "secret") {
		t.Errorf("a viewer sees %s", got.Text)
	}
	if got := c.Want(200, "GET", "/v1/automations", "", as("viewer")...); strings.Contains(got.Text, "secret") {
		t.Errorf("a viewer sees %s", got.Text)
	}
	if got := c.Want(200, "GET", "/v1/automations/aut_1", "", as("member")...); !strings.HasSuffix(got.Body["webhook_url"].(string), "/secret") {
		t.Errorf("a member sees %s", got.Text)
	}
	c.Want(403, "POST", "/v1/automations/aut_1/execute", "", as("viewer")...)
	c.Want(403, "POST", "/v1/automations/aut_1/execute", `{"message":"Do as I say."}`, as("member")...)
	c.Want(202, "POST", "/v1/automations/aut_1/execute", `{"message":"Do as I say."}`, as("admin")...)
	c.Want(422, "POST", "/v1/automations/aut_1/execute", `{"message":""}`, as("admin")...)
	c.Want(422, "POST", "/v1/automations/aut_1/execute", `{"massage":"x"}`, as("admin")...)
	c.Want(202, "POST", "/v1/automations/aut_1/execute", "", as("member")...)
	c.Want(403, "POST", "/v1/automations/aut_1/grants", `{"commands":["CREATE_DATA"],"max_per_run":1}`, as("member")...)
	c.Want(403, "PATCH", "/v1/automations/aut_1", `{}`, as("member")...)
	c.Want(200, "PATCH", "/v1/automations/aut_1", `{"name":"x"}`, as("admin")...)
	c.Want(202, "POST", "/v1/hooks/aut_1/secret", `{}`, "Authorization", "Bearer unknown")
}

// TestCallsOfWebhooksAreLimited: bad ones for each address, good ones for each automation,
// and neither uses up what the other has.
func TestCallsOfWebhooksAreLimited(t *testing.T) {
	w := servertest.RunningWorld(t) // no two occurrences of an automation are at one instant
	w.Config.Edge.Clock = repeatable.Clock(servertest.WorldTime)
	c := w.ServeWith(t, edge.RateLimits{})
	for i := range 101 {
		got := c.Want(map[bool]int{true: 404, false: 429}[i < 100], "POST", "/v1/hooks/aut_1/forged", "")
		if i == 100 && got.Header.Get("Retry-After") == "" {
			t.Error("the response has no Retry-After")
		}
	}
	c.Want(202, "POST", "/v1/hooks/aut_1/secret", "") // the others come while its run is under way
	for i := range 100 {
		c.Want(map[bool]int{true: 200, false: 429}[i < 99], "POST", "/v1/hooks/aut_1/secret", "")
	}
}

// TestATokenIsLookedAtBeforeTheBody: without the right one nothing of the body is read,
// and the answer is the one to an unknown automation, byte for byte.
func TestATokenIsLookedAtBeforeTheBody(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, body := range []string{"", "{", `{"a":"\u0000"}`, strings.Repeat("a", jsonbody.MaxEvent+1)} {
		for _, key := range [][]string{{}, {"Idempotency-Key", "k"}, {"Idempotency-Key", strings.Repeat("k", 300)}, {"Content-Encoding", "gzip"}} {
			extra := append([]string{"X-Request-Id", "r"}, key...)
			wrong := c.Want(404, "POST", "/v1/hooks/aut_1/wrong", body, extra...)
			if unknown := c.Want(404, "POST", "/v1/hooks/aut_none/wrong", body, extra...); unknown.Text != wrong.Text {
				t.Errorf("%.20q: %s is not %s", body, wrong.Text, unknown.Text)
			}
		}
	}
}

// TestWhatAnEventMayBe: any JSON value of up to 64 KiB, or nothing.
func TestWhatAnEventMayBe(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	c.Want(200, "PATCH", "/v1/automations/aut_1", `{"overlap":"queue"}`)
	for _, body := range []string{"", "null", "3", `"x"`, `[]`, ` {"a":[1,{}]} `, `"` + strings.Repeat("a", jsonbody.MaxEvent-2) + `"`} {
		c.Want(202, "POST", "/v1/hooks/aut_1/secret", body)
		if w.Seen.Last() != strings.TrimSpace(body) {
			t.Errorf("%.40q came as %.40q", body, w.Seen.Last())
		}
	}
	for body, status := range map[string]int{"{": 400, "{} {}": 400, "\xff": 400, `"\ud800"`: 422, strings.Repeat("[", 70) + strings.Repeat("]", 70): 400, `"` + strings.Repeat("a", jsonbody.MaxEvent) + `"`: 413} {
		before := w.Seen.Count()
		c.Want(status, "POST", "/v1/hooks/aut_1/secret", body)
		if w.Seen.Count() != before {
			t.Errorf("%.40q went on", body)
		}
	}
	c.Want(200, "PATCH", "/v1/automations/aut_1", `{"triggers":[{"type":"webhook","condition":{"type":"object","required":["level"]}}]}`)
	if got := c.Want(200, "POST", "/v1/hooks/aut_1/secret", `{}`); got.Body["result"] != "IGNORED" || got.Body["session_id"] != nil {
		t.Errorf("an event that does not count: %s", got.Text)
	}
}

// TestARepeatedExecuteAfterACrash is answered with the run that was made.
func TestARepeatedExecuteAfterACrash(t *testing.T) {
	w := servertest.NewWorld(t)
	s := automations.New(nil, w.Config.Automations)
	route := chi.NewRouteContext()
	route.URLParams.Add("automation_id", "aut_1")
	r := httptest.NewRequest(http.MethodPost, "/", nil).WithContext(context.WithValue(t.Context(), chi.RouteCtxKey, route))
	status, body, err := s.CurrentState(r, domain.DefaultWorkspace, &edge.KeyClaim{CreatedID: "ses_1", Seq: 7})
	if run, ok := body.(*api.ActivationResult); err != nil || status != 202 || !ok || run.Session.ID != "ses_1" || run.EventSeq != 7 {
		t.Errorf("execute: %d %v %v", status, body, err)
	}
	status, body, err = s.CurrentHook(r, domain.DefaultWorkspace, &edge.KeyClaim{CreatedID: "ses_1", Seq: 7})
	if run, ok := body.(*api.WebhookResult); err != nil || status != 202 || !ok || *run.SessionID != "ses_1" {
		t.Errorf("the webhook's caller: %d %v %v", status, body, err)
	}
	status, body, err = s.CurrentHook(r, domain.DefaultWorkspace, &edge.KeyClaim{Seq: 7})
	if skipped, ok := body.(*api.WebhookResult); err != nil || status != 200 || !ok || skipped.Result != "SKIPPED" || skipped.SessionID != nil {
		t.Errorf("the webhook's caller, who was skipped: %d %v %v", status, body, err)
	}
	status, body, err = s.CurrentState(r, domain.DefaultWorkspace, &edge.KeyClaim{})
	if a, ok := body.(*api.Automation); err != nil || status != 200 || !ok || a.ID != "aut_1" {
		t.Errorf("enable: %d %v %v", status, body, err)
	}
}
