package openai

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// Errors have OpenAI's form, and say whether the same request would fail again.
func TestErrors(t *testing.T) {
	for want, f := range map[string]*api.Failure{
		`400  {"error":{"message":"No.","type":"invalid_request_error","param":"messages[3].content","code":"invalid"}}`: {
			Status: 400, Code: "invalid", Message: "No.", Fields: []domain.FieldError{{Pointer: "/messages/3/content"}},
		},
		`401  {"error":{"message":"Who?","type":"authentication_error","param":null,"code":"unauthorized"}}`: {
			Status: 401, Code: "unauthorized", Message: "Who?",
		},
		`403  {"error":{"message":"","type":"permission_error","param":null,"code":"forbidden"}}`: {Status: 403, Code: "forbidden"},
		`429  {"error":{"message":"","type":"rate_limit_error","param":null,"code":"rate"}}`:      {Status: 429, Code: "rate"},
		`502  {"error":{"message":"","type":"server_error","param":null,"code":"provider_failed","request_id":"req_1","outcome":"applied"}}`: {
			Status: 502, Code: "provider_failed", RequestID: "req_1", Outcome: domain.Applied,
		},
		`409 false {"error":{"message":"","type":"invalid_request_error","param":null,"code":"conflict"}}`: {Status: 409, Code: "conflict"},
		`409  {"error":{"message":"","type":"invalid_request_error","param":null,"code":"busy"}}`:          {Status: 409, Code: "busy", Retryable: true},
	} {
		w := httptest.NewRecorder()
		ErrorWriter{}.Refuse(w, f)
		got := strings.Join([]string{strconv.Itoa(w.Code), w.Header().Get(ShouldRetry), strings.TrimSpace(w.Body.String())}, " ")
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// providers of a workspace.
type twoProviders struct{}

func (twoProviders) Providers(context.Context, string) ([]*outside.Provider, error) {
	return []*outside.Provider{{ID: "prv_1", Name: "mine", Kind: "openai"}, {ID: "prv_2", Name: "raw"}}, nil
}

// A model is a provider of the workspace. The name of a plain call cannot be taken by one.
func TestModels(t *testing.T) {
	c := Config{Providers: twoProviders{}}
	for model, want := range map[string]string{
		ModelSession: "", "fermata/mine": "prv_1", "fermata/other": "not_found", "mine": "not_found", "gpt-4": "not_found",
	} {
		x := c.Round(suite.Caller)
		err := c.SetProvider(t.Context(), x, model)
		got := x.Provider
		if err != nil {
			got = string(domain.ErrorCode(err))
		}
		if got != want {
			t.Errorf("%s is %q, want %q", model, got, want)
		}
	}
	get := func(door interface {
		Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error
	}, path string,
	) string {
		w := httptest.NewRecorder()
		if err := door.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody), suite.Caller, nil); err != nil {
			return string(domain.ErrorCode(err))
		}
		return w.Body.String()
	}
	if got := get(&Models{Config: c}, "/v1/models"); strings.Count(got, `"id"`) != 3 || !strings.Contains(got, `"fermata/raw"`) ||
		!strings.Contains(got, `{"id":"fermata/mine","object":"model",`) {
		t.Errorf("the models are %s", got)
	}
	if got := get(&Model{Config: c}, "/v1/models/fermata/mine"); !strings.Contains(got, `"owned_by":"openai"`) {
		t.Errorf("the model is %s", got)
	}
	if got := get(&Model{Config: c}, "/v1/models/fermata/other"); got != "not_found" {
		t.Errorf("no model is %s", got)
	}
	if got := get(NotImplemented{}, "/v1/embeddings"); got != "not_found" {
		t.Errorf("no endpoint is %s", got)
	}
}

// headed is a workspace whose clients name sessions by a header of their own.
type headed struct{ rounds.NamedRecord }

func (headed) Workspace(context.Context, string) (*domain.Workspace, error) {
	settings := domain.DefaultSettings()
	settings.ChatSessionHeader = "X-Chat"
	return &domain.Workspace{Settings: settings}, nil
}

// A session is named by our header, by that of Open WebUI, or by that of the workspace's settings.
func TestTheSessionThatARequestNames(t *testing.T) {
	c := Config{Config: rounds.Config{Record: headed{}}}
	for in, want := range map[string]rounds.Scope{
		SessionHeader + " mine":     {Name: "mine", Ours: true},
		openWebUIHeader + " theirs": {Name: "theirs"},
		"X-Chat own":                {Name: "own"},
		"X-Other x":                 {},
		SessionHeader + " " + strings.Repeat("x", 9): {Name: strings.Repeat("x", 9), Ours: true},
	} {
		name, value, _ := strings.Cut(in, " ")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.Header.Set(name, value)
		got, err := c.ScopeOf(r, "w")
		if err != nil || got != want || CheckScope(got) != nil {
			t.Errorf("%s is %+v: %v", in, got, err)
		}
	}
	for _, name := range []string{strings.Repeat("x", MaxName+1), "two\nlines"} {
		if CheckScope(rounds.Scope{Name: name}) == nil {
			t.Errorf("%.20q can be a name", name)
		}
	}
}

// What waits for a person is in the answer, with the address of its page. Calls of the client's tools are not.
func TestWhatAnAnswerWaitsFor(t *testing.T) {
	c := Config{Config: rounds.Config{Record: headed{}}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", http.NoBody)
	x := c.Round(suite.Caller)
	for _, kind := range []domain.ApprovalKind{domain.ApprovalActions, domain.ApprovalQuestion, domain.ApprovalClientCalls} {
		x.Outcome.Approval = &domain.Approval{
			ID: "apr_1", Kind: kind, SessionID: "ses_1", Text: "Which?", Actions: []domain.ApprovalAction{{ID: "exe_1", Command: "X", Text: "Do it"}},
		}
		open, err := c.OpenApproval(t.Context(), r, x)
		calls := ClientCalls(x) != nil
		switch {
		case err != nil:
			t.Error(err)
		case kind == domain.ApprovalClientCalls && (open != nil || !calls), kind != domain.ApprovalClientCalls && (open == nil || calls):
			t.Errorf("%s: %+v, calls: %v", kind, open, calls)
		case open != nil && (open.Link != "http://example.com/#/chat/ses_1" || len(open.Actions) != 1 || open.Question != "Which?" ||
			!strings.HasSuffix(open.Text, "\n- Do it\nWhich?\n\nAnswer here: "+open.Link)):
			t.Errorf("%s: %+v", kind, open)
		}
	}
	c.PublicURL = "https://public.example/"
	x.Outcome.Approval.Kind = domain.ApprovalActions
	if open, err := c.OpenApproval(t.Context(), r, x); err != nil || open.Link != "https://public.example/#/chat/ses_1" {
		t.Errorf("%+v: %v", open, err)
	}
}
