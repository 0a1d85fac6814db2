package handlers_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers"
)

// flooded is a request of a flood.
type flooded struct{ method, path, kind, body string }

func (f flooded) String() string { return fmt.Sprintf("%s %s %.100s", f.method, f.path, f.body) }

// writes reports whether the request changes something.
func (f flooded) writes() bool {
	return f.method != http.MethodGet && f.path != "/v1/completions" && f.path != "/v1/embeddings" && !strings.Contains(f.body, readingCall)
}

// readingCall is the id of a call to an MCP tool that only reads.
const readingCall = `"id":"read"`

func mcpRead(tool, arguments string) string {
	return `{"jsonrpc":"2.0",` + readingCall + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

func mcpWrite(tool, arguments string) string {
	return strings.Replace(mcpRead(tool, arguments), readingCall, `"id":"write"`, 1)
}

var largeText = strings.Repeat("a", 90_000)

// protocolCalls are the requests to other protocols that have a body. The floods fail for a protocol's route that
// is missing here.
var protocolCalls = map[string][]string{
	"POST /v1/chat/completions": {
		`{"model":"fermata","messages":[{"role":"user","content":"a"}]}`,
		`{"model":"fermata","stream":true,"messages":[{"role":"user","content":"` + largeText + `"}]}`,
		`{"model":"fermata/raw","messages":[{"role":"user","content":"` + largeText + `"}]}`,
	},
	"POST /v1/responses": {
		`{"model":"fermata","input":"a"}`, `{"model":"fermata","input":"` + largeText + `","stream":true}`,
		`{"model":"fermata","input":"a","background":true}`,
	},
	"POST /v1/agui": {
		`{"threadId":"t","runId":"r","state":{},"messages":[{"id":"m","role":"user","content":"a"}],"tools":[],"context":[],"forwardedProps":{}}`,
	},
	"POST /v1/ui/chat": {`{"id":"c","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"a"}]}]}`},
	"POST /mcp": {
		mcpRead("get_session", `{"session_id":"ses_1","messages":200}`), mcpRead("get_session", `{"session_id":"ses_large"}`),
		mcpRead("list_sessions", `{"limit":200}`), mcpRead("list_pending", `{"limit":200}`), mcpRead("describe_data", `{}`),
		mcpRead("query_data", `{"search":"a"}`), mcpRead("query_data", `{"tool_id":"tol_1"}`),
		mcpWrite("send_message", `{"session_id":"ses_large","text":"`+largeText+`"}`), mcpWrite("run_automation", `{"automation_id":"aut_1"}`),
		mcpWrite("answer_pending", `{"approval_id":"apr_1","answer":{"approved":false}}`),
	},
	"POST /v1/completions": {`{"model":"fermata","prompt":"a"}`}, "POST /v1/embeddings": {`{"model":"fermata","input":"a"}`}, // refused
}

// otherCalls are requests to routes whose body is optional, or is not JSON.
var otherCalls = map[string]flooded{
	"POST /v1/sessions":                       {kind: "application/json", body: `{"name":"a","message":"` + largeText + `"}`},
	"PATCH /v1/documents/{document_id}":       {kind: "application/json", body: `{"body":"` + largeText + `"}`},
	"POST /v1/files":                          {kind: "text/plain", body: largeText},
	"POST /v1/tools/{tool_id}/entries/import": {kind: "text/csv", body: "timestamp,value\n2026-03-02T07:30:00Z,8.5\n"},
}

var (
	exampleID  = regexp.MustCompile(`_0197[0-9a-f]*`)
	exampleURL = regexp.MustCompile(`https?://[^"]*`)
)

// requests returns one or more requests to every route that needs credentials, and to every route of another
// protocol. Those that delete come last, so that the others have something to read and to change.
func (f *floodWorld) requests(t *testing.T) (all []flooded) {
	t.Helper()
	examples := map[string]string{}
	for _, op := range operations(t) {
		examples[op.method+" "+op.path] = exampleURL.ReplaceAllString(exampleID.ReplaceAllString(op.body, "_1"), unreachable)
	}
	for _, r := range f.s.Table() {
		if r.Role == handlers.ByAnyone {
			continue
		}
		asked := flooded{r.Method, f.path(t, r.Pattern), "application/json", examples[r.Method+" "+there.Replace(r.Pattern)]}
		if other, ok := otherCalls[r.Method+" "+r.Pattern]; ok {
			asked.kind, asked.body = other.kind, other.body
		}
		all = append(all, asked)
	}
	for _, p := range handlers.ProtocolTable(f.w.Config.Protocols) {
		bodies, known := protocolCalls[p.Method+" "+p.Pattern]
		if p.Method == http.MethodGet || p.Bodyless {
			bodies, known = []string{""}, true
		}
		if !known {
			t.Errorf("%s %s: the test has no request for this route", p.Method, p.Pattern)
		}
		for _, body := range bodies {
			all = append(all, flooded{p.Method, f.path(t, p.Pattern), "application/json", f.thereNow.Replace(body)})
		}
	}
	order := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	slices.SortStableFunc(all, func(a, b flooded) int {
		return cmp.Compare(slices.Index(order, a.method), slices.Index(order, b.method))
	})
	return all
}

// bodies returns a request to every route that may have a body.
func (f *floodWorld) bodies(t *testing.T) (all []flooded) {
	t.Helper()
	add := func(method, pattern string) {
		if method != http.MethodGet && method != http.MethodDelete {
			kind := cmp.Or(otherCalls[method+" "+pattern].kind, "application/json")
			all = append(all, flooded{method: method, path: f.path(t, pattern), kind: kind})
		}
	}
	for _, r := range f.s.Table() {
		add(r.Method, r.Pattern)
	}
	for _, p := range handlers.ProtocolTable(f.w.Config.Protocols) {
		add(p.Method, p.Pattern)
	}
	return all
}

// path fills the parameters of a route.
func (f *floodWorld) path(t *testing.T, pattern string) string {
	t.Helper()
	path := f.thereNow.Replace(there.Replace(pattern))
	if strings.ContainsAny(path, "{*") {
		t.Errorf("%s: the test has no id for this route", path)
	}
	if strings.HasSuffix(path, "/stream") {
		path += "?after=0"
	}
	return path
}
