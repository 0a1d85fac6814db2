package doors

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// canaryWord is in every text of the other workspace: no answer to anybody else may hold it.
const canaryWord = "CANARY-7f3a"

// furnished is a workspace with something of every kind in it.
type furnished struct {
	*server
	name string
	keys map[domain.Role]string
	// ids are of its things, by the name of the parameter that takes one.
	ids map[string]string
}

// as makes a request with the key of a role.
func (w *furnished) as(role domain.Role, method, path string, body any) *harness.Reply {
	w.T.Helper()
	return w.Call(method, path, body, "Authorization", "Bearer "+w.keys[role])
}

// furnish makes a workspace and furnishes it; word is part of all its texts.
func furnish(s *server, root, name, word string) *furnished {
	s.T.Helper()
	w := &furnished{server: s, name: name, keys: map[domain.Role]string{}, ids: map[string]string{}}
	s.Call("POST", "/v1/workspaces", map[string]any{"id": name, "name": word}, "Authorization", "Bearer "+root).Want(201)
	for _, role := range []domain.Role{domain.RoleAdmin, domain.RoleMember, domain.RoleViewer} {
		made := s.Call("POST", "/v1/keys", map[string]any{"name": word + " " + string(role), "role": role},
			"Authorization", "Bearer "+root, "Fermata-Workspace", name).Want(201)
		w.keys[role], w.ids["key_id"] = made.Str("key"), made.Str("id")
	}
	w.ids["workspace_id"] = name
	w.furnishData(word)
	w.furnishSessions(word)
	return w
}

// make creates a thing and remembers its id.
func (w *furnished) make(param, path string, body map[string]any) string {
	w.T.Helper()
	made := w.as(domain.RoleAdmin, "POST", path, body).Want(201)
	w.ids[param] = made.Str("id")
	return w.ids[param]
}

func (w *furnished) furnishData(word string) {
	w.T.Helper()
	zone := w.make("zone_id", "/v1/zones", map[string]any{"name": word + " zone"})
	tool := w.make("tool_id", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": word + " tool", "config": map[string]any{}})
	w.make("entry_id", "/v1/tools/"+tool+"/entries", map[string]any{"data": map[string]any{"text": word + " entry"}})
	w.make("tool_type_id", "/v1/tool-types", map[string]any{
		"id": "type-of-" + w.name, "name": word + " type", "config_schema": map[string]any{"type": "object"}, "entry_schema": map[string]any{"type": "object"},
	})
	document := w.make("document_id", "/v1/documents", map[string]any{"key": "about", "title": word + " document", "body": word})
	w.as(domain.RoleAdmin, "POST", "/v1/documents/"+document+"/publish", nil).Want(200)
	w.ids["version"], w.ids["code"] = "1", "not_found"
	w.make("provider_id", "/v1/providers", map[string]any{"name": word + " provider", "kind": "demo", "config": map[string]any{}})
	automation := w.make("automation_id", "/v1/automations", map[string]any{
		"name": word + " automation", "seed": map[string]any{"text": word}, "triggers": []any{map[string]any{"type": "webhook"}},
	})
	hook := w.as(domain.RoleAdmin, "GET", "/v1/automations/"+automation, nil).Want(200).Str("webhook_url")
	w.ids["token"] = hook[strings.LastIndex(hook, "/")+1:]
	w.make("grant_id", "/v1/automations/"+automation+"/grants", map[string]any{"commands": []string{"CREATE_DATA"}, "max_per_run": 1})
}

// furnishSessions leaves a session that waits for a yes, with a message that waits its turn.
func (w *furnished) furnishSessions(word string) {
	w.T.Helper()
	w.as(domain.RoleAdmin, "PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	session := w.make("session_id", "/v1/sessions", map[string]any{"type": "CHAT", "name": word + " session", "provider_id": w.ids["provider_id"]})
	w.as(domain.RoleMember, "POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": "create a zone " + withoutDashes(word)}).Want(202)
	testkit.Until(w.T, "the session waits for a yes", func() bool {
		return w.as(domain.RoleViewer, "GET", "/v1/sessions/"+session, nil).Want(200).Str("status") == "requires_action"
	})
	waiting := w.as(domain.RoleMember, "POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": word + " later", "if_busy": "enqueue"}).Want(202)
	w.ids["message_id"] = waiting.Str("message.id")
	w.ids["approval_id"] = w.as(domain.RoleViewer, "GET", "/v1/approvals?status=open", nil).Want(200).Str("data.0.id")
}

// withoutDashes leaves a word as a name that the demo answerer understands.
func withoutDashes(word string) string { return strings.ReplaceAll(word, "-", " ") }

// another is an id like the given one, of nothing.
func another(param, id string) string {
	prefix, _, ok := strings.Cut(id, "_")
	switch {
	case param == "token":
		return strings.Repeat("0", len(id))
	case !ok || param == "tool_type_id" || param == "workspace_id":
		return strings.Repeat("z", len(id))
	}
	return ids.New(prefix)
}

// probe is one operation with ids put in: once those of another workspace, once of nothing.
type probe struct {
	method, foreign, nothing string
	foreignBody, nothingBody any
}

// probes are all that the contract offers: every operation, with ids of the other
// workspace in each place that takes one, alone and beside one's own.
func probes(t *testing.T, own, other *furnished) []probe {
	t.Helper()
	var all []probe
	for path, item := range testkit.LoadContract(t).Paths.Map() {
		for method, op := range item.Operations() {
			all = append(all, pathProbes(method, path, op, own, other)...)
			all = append(all, queryProbes(method, path, op, own, other)...)
			all = append(all, bodyProbes(method, path, op, own, other)...)
		}
	}
	slices.SortFunc(all, func(a, b probe) int { return strings.Compare(a.foreign+a.method, b.foreign+b.method) })
	return all
}

var pathParam = regexp.MustCompile(`\{([a-z_]+)\}`)

// fill puts ids into a path; of says which of its parameters are the other's, and what
// is there instead of them.
func fill(path string, own map[string]string, of map[string]string) string {
	return pathParam.ReplaceAllStringFunc(path, func(m string) string {
		name := m[1 : len(m)-1]
		if id, ok := of[name]; ok {
			return id
		}
		return own[name]
	})
}

// alone are parameters that say nothing by themselves: a version, a code.
var alone = map[string]bool{"version": true, "code": true}

func pathProbes(method, path string, op *openapi3.Operation, own, other *furnished) []probe {
	var params []string
	for _, m := range pathParam.FindAllStringSubmatch(path, -1) {
		if !alone[m[1]] {
			params = append(params, m[1])
		}
	}
	var out []probe
	for mask := 1; mask < 1<<len(params); mask++ {
		foreign, nothing := map[string]string{}, map[string]string{}
		for i, name := range params {
			if mask>>i&1 == 1 {
				foreign[name], nothing[name] = other.ids[name], another(name, other.ids[name])
			}
		}
		if len(foreign) == 2 && foreign["token"] != "" {
			continue // who has automation and token has the webhook's URL: that is what it is for
		}
		body := exampleOf(op)
		out = append(out, probe{method, fill(path, own.ids, foreign), fill(path, own.ids, nothing), body, body})
	}
	for _, name := range params {
		for _, kind := range slices.Sorted(maps.Keys(other.ids)) { // ids of the wrong kind, too
			if kind == name || alone[kind] {
				continue
			}
			foreign, nothing := map[string]string{name: other.ids[kind]}, map[string]string{name: another(kind, other.ids[kind])}
			body := exampleOf(op)
			out = append(out, probe{method, fill(path, own.ids, foreign), fill(path, own.ids, nothing), body, body})
		}
	}
	return out
}

// queryIDs are query parameters that take ids, and of what.
var queryIDs = map[string]string{
	"automation_id": "automation_id", "session_id": "session_id", "sessions": "session_id", "zone_id": "zone_id", "round_id": "session_id",
}

func queryProbes(method, path string, op *openapi3.Operation, own, other *furnished) []probe {
	var out []probe
	for _, p := range op.Parameters {
		of, ok := queryIDs[p.Value.Name]
		if p.Value.In != "query" || !ok {
			continue
		}
		at := fill(path, own.ids, nil) + "?" + p.Value.Name + "="
		out = append(out, probe{method: method, foreign: at + url.QueryEscape(other.ids[of]), nothing: at + url.QueryEscape(another(of, other.ids[of]))})
	}
	return out
}

// exampleOf is a body that the contract shows, nil if there is none.
func exampleOf(op *openapi3.Operation) any {
	if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	media := op.RequestBody.Value.Content["application/json"]
	if media.Example == nil && len(media.Examples) > 0 {
		return media.Examples[slices.Sorted(maps.Keys(media.Examples))[0]].Value.Value
	}
	return media.Example
}

// bodyIDs are fields that take ids, by operation: with them the other's things could be
// drawn into one's own.
var bodyIDs = map[string][]string{
	"POST /v1/sessions":                            {"provider_id"},
	"PATCH /v1/sessions/{session_id}":              {"provider_id"},
	"POST /v1/sessions/{session_id}/validation":    {"approval_id"},
	"POST /v1/sessions/{session_id}/response":      {"approval_id"},
	"POST /v1/sessions/{session_id}/completion":    {"approval_id"},
	"POST /v1/heartbeat":                           {"session_ids"},
	"POST /v1/tools":                               {"zone_id", "tool_type"},
	"PATCH /v1/tools/{tool_id}":                    {"zone_id"},
	"POST /v1/automations":                         {"provider_id"},
	"PATCH /v1/automations/{automation_id}":        {"provider_id"},
	"POST /v1/automations/{automation_id}/grants":  {"tool_ids", "zone_ids"},
	"POST /v1/sessions/{session_id}/messages":      {"tool_id"},
	"POST /v1/enrichments/preview":                 {"tool_id"},
	"PATCH /v1/settings":                           {"fallback_providers"},
	"PUT /v1/automations/{automation_id}/seed":     {"tool_id"},
	"POST /v1/automations/{automation_id}/execute": nil,
}

func bodyProbes(method, path string, op *openapi3.Operation, own, other *furnished) []probe {
	var out []probe
	for _, field := range bodyIDs[method+" "+path] {
		param := field
		switch field {
		case "session_ids", "tool_ids", "zone_ids":
			param = strings.TrimSuffix(field, "s")
		case "fallback_providers":
			param = "provider_id"
		case "tool_type":
			param = "tool_type_id"
		}
		at := fill(path, own.ids, nil)
		out = append(out, probe{
			method: method, foreign: at, nothing: at,
			foreignBody: withID(exampleOf(op), field, other.ids[param]), nothingBody: withID(exampleOf(op), field, another(param, other.ids[param])),
		})
	}
	return out
}

// withID is the example of a body with an id put in.
func withID(example any, field, id string) any {
	body := map[string]any{}
	if from, ok := example.(map[string]any); ok {
		maps.Copy(body, from)
	}
	switch field {
	case "session_ids", "tool_ids", "zone_ids", "fallback_providers":
		body[field] = []string{id}
	case "tool_id": // of an enrichment
		return map[string]any{"segments": []any{map[string]any{"type": "enrichment", "enrichment": map[string]any{"type": "USE", "config": map[string]any{"tool_id": id}}}}}
	default:
		body[field] = id
	}
	return body
}

// exchanged is what a caller can see of an answer, without what differs by itself.
func (w *furnished) exchanged(role domain.Role, method, path string, body any) string {
	w.T.Helper()
	raw := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			w.T.Fatal(err)
		}
		raw = string(encoded)
	}
	status, header, text := w.once(role, method, path, raw)
	if status == http.StatusTooManyRequests {
		w.T.Fatalf("%s %s was asked too fast", method, path)
	}
	if strings.Contains(string(text), canaryWord) || strings.Contains(fmt.Sprint(header), canaryWord) {
		w.T.Errorf("%s %s as %s shows what the other workspace wrote: %.300s", method, path, role, text)
	}
	var head []string
	for name, values := range header {
		// A clock of its own, as Date is; a refusal has none.
		timed := name == "Server-Timing" && status < 400
		if name != "Date" && !timed && name != "X-Request-Id" && name != "Content-Length" && !strings.HasPrefix(name, "Ratelimit") {
			head = append(head, name+": "+strings.Join(values, ","))
		}
	}
	slices.Sort(head)
	seen := fmt.Sprintf("%d\n%s\n%s", status, strings.Join(head, "\n"), variable.ReplaceAll(text, []byte("-")))
	return slugs.ReplaceAllString(seen, "SLUG")
}

// once makes one request. Of a stream only the head is read.
func (w *furnished) once(role domain.Role, method, path, body string) (status int, header http.Header, text []byte) {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, w.URL+path, strings.NewReader(body))
	if err != nil {
		w.T.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.keys[role])
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.T.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response.StatusCode, response.Header, nil
	}
	if text, err = io.ReadAll(response.Body); err != nil {
		w.T.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, response.Header, text
}

// variable is what two equal answers differ in: ids, instants, figures that run. slugs are
// the names that tenant and another give where an id is no id of ours.
var (
	variable = regexp.MustCompile(`[a-z]{3}_[0-9a-f]{24,32}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"(inactivity_ms|seq|last_seq|event_seq)":\d+`)
	slugs    = regexp.MustCompile(`type-of-wsb|z{11}|\bwsb\b|\bzzz\b|[0-9a-f]{64}`)
)

// whole is all that a workspace's admin can read of it.
func (w *furnished) whole() string {
	w.T.Helper()
	var all strings.Builder
	for _, path := range []string{
		"/v1/events?after=0&limit=200", "/v1/sessions", "/v1/sessions/" + w.ids["session_id"] + "/messages", "/v1/approvals", "/v1/queue", "/v1/zones",
		"/v1/tools", "/v1/tools/" + w.ids["tool_id"] + "/entries", "/v1/tool-types", "/v1/documents", "/v1/automations", "/v1/automations/" + w.ids["automation_id"] + "/grants",
		"/v1/automations/" + w.ids["automation_id"] + "/seed", "/v1/providers", "/v1/settings", "/v1/occurrences", "/v1/runs",
	} {
		all.Write(w.as(domain.RoleAdmin, "GET", path, nil).Want(200).Body)
		all.WriteByte('\n')
	}
	return all.String()
}

// unbounded is a rate that this test does not reach: most of the time it would wait for those of
// webhooks, which are not what it is about.
const unbounded = 1_000_000

// A request for an object of another workspace gets, to the byte, the same response as one for
// something that there is not: every operation of the contract, every kind of id, in
// paths, queries and bodies, with every role. And nothing of it is touched.
func TestAnotherWorkspaceIsAsIfItWereNot(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(f *app.Config) {
			f.RootKey = harness.OtherRootKey
			f.Rate = app.Rates{Requests: unbounded, RequestsBurst: unbounded, Failures: unbounded, FailuresBurst: unbounded, Hooks: unbounded, HooksBurst: unbounded}
		})
		other := furnish(s, harness.OtherRootKey, "wsb", canaryWord)
		before := other.whole()
		calls := 0
		for _, role := range []domain.Role{domain.RoleViewer, domain.RoleMember, domain.RoleAdmin} {
			// Each role begins with a workspace of its own: the one before may have changed its own.
			own := furnish(s, harness.OtherRootKey, "ws-"+string(role), "ours")
			for _, p := range probes(t, own, other) {
				foreign := own.exchanged(role, p.method, p.foreign, p.foreignBody)
				nothing := own.exchanged(role, p.method, p.nothing, p.nothingBody)
				calls += 2
				if foreign != nothing {
					t.Errorf("%s %s as %s:\n%s\n… and what there is not, %s:\n%s", p.method, p.foreign, role, foreign, p.nothing, nothing)
				}
			}
			for _, path := range []string{"/v1/zones", "/v1/sessions", "/v1/slot"} {
				s.Call("GET", path, nil, "Authorization", "Bearer "+own.keys[role], "Fermata-Workspace", "wsb").Problem(403, "forbidden")
			}
		}
		if after := other.whole(); after != before {
			t.Errorf("the other workspace has changed:\n%s\n… was:\n%s", after, before)
		}
		if calls < 5000 {
			t.Errorf("%d calls: the matrix has lost most of its cells", calls)
		}
	})
}
