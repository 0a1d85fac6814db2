package handlers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// asked is an operation with a path that finds something and, where it takes one, the
// body of the contract's example.
type asked struct {
	op     *openapi3.Operation
	method string
	path   string
	body   string
	schema *openapi3.Schema
	either bool // schema is one of several that the operation takes
}

// there fills the parameters of paths with ids of the world.
var there = strings.NewReplacer("{session_id}", "ses_1", "{message_id}", "msg_3", "{approval_id}", "apr_1", "{zone_id}", "zon_1",
	"{tool_type_id}", "mood", "{agent_id}", "agt_1", "{tool_id}", "tol_1", "{entry_id}", "ent_1", "{document_id}", "doc_1", "{provider_id}", "prv_1",
	"{key_id}", "key_1", "{webhook_id}", "whk_1", "{task_id}", "tsk_1", "{connector_id}", "con_1", "{command_name}", "GET_ITEM", "{automation_id}", "aut_1", "{grant_id}", "gra_1", "{passkey_id}", "psk_1", "{person_id}", "usr_1", "{token}", "secret", "{workspace_id}", "default", "{code}", "not_found")

// operations lists every operation of the contract in a stable order.
func operations(t *testing.T) []asked {
	t.Helper()
	var out []asked
	for path, item := range testkit.LoadContract(t).Paths.Map() {
		for method, op := range item.Operations() {
			a := asked{op: op, method: method, path: there.Replace(path)}
			if op.RequestBody != nil && op.RequestBody.Value.Required && op.RequestBody.Value.Content["application/json"] != nil { // files have tests of their own
				media := op.RequestBody.Value.Content["application/json"]
				example := media.Example
				if example == nil {
					example = media.Examples[slices.Sorted(maps.Keys(media.Examples))[0]].Value.Value
				}
				raw, err := json.Marshal(example)
				if err != nil {
					t.Fatal(err)
				}
				a.body, a.schema = strings.ReplaceAll(string(raw), "tol_0197", "tol_1"), variant(media.Schema.Value, example)
				a.either = a.schema != media.Schema.Value
			}
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b asked) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return out
}

// variant is the one of a schema's alternatives that an example is of.
func variant(s *openapi3.Schema, example any) *openapi3.Schema {
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if one.Value.VisitJSON(example) == nil {
			return one.Value
		}
	}
	return s
}

// TestBodiesThatCannotBeRead sends every operation with a body content that is not JSON or has an unsupported media
// type. None of these requests reaches a handler.
func TestBodiesThatCannotBeRead(t *testing.T) {
	w := servertest.NewWorld(t)
	c, whole := w.ServeAlone(t), w.Serve(t)
	for _, a := range operations(t) {
		if a.body == "" {
			continue
		}
		for _, bad := range []struct {
			name   string
			status int
			code   string
			body   string
			kind   string
		}{
			{"empty", 400, "empty_body", "", "application/json"},
			{"blank", 400, "empty_body", " \n", "application/json"},
			{"cut", 400, "malformed_json", a.body[:len(a.body)-1], "application/json"},
			{"single quotes", 400, "malformed_json", `{'a':1}`, "application/json"},
			{"trailing comma", 400, "malformed_json", `{"a":1,}`, "application/json"},
			{"garbage behind", 400, "malformed_json", a.body + "x", "application/json"},
			{"two values", 400, "malformed_json", a.body + a.body, "application/json"},
			{"latin-1", 400, "malformed_json", "{\"name\":\"caf\xe9\"}", "application/json"},
			{"raw NUL", 400, "malformed_json", "{\"name\":\"a\x00b\"}", "application/json"},
			{"deep list", 400, "too_deep", `{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "application/json"},
			{"deep object", 400, "too_deep", strings.Repeat(`{"x":`, 65) + "1" + strings.Repeat("}", 65), "application/json"},
			{"very deep", 400, "too_deep", strings.Repeat("[", 100_000), "application/json"},
			{"huge", 413, "too_large", `{"text":"` + strings.Repeat("a", edge.MaxBody) + `"}`, "application/json"},
			{"a form", 415, "unsupported_media_type", "a=1", "application/x-www-form-urlencoded"},
			{"no type", 415, "unsupported_media_type", a.body, ""},
			{"text", 415, "unsupported_media_type", a.body, "text/plain"},
			{"utf-16", 415, "unsupported_media_type", a.body, "application/json; charset=utf-16"},
			{"a list", 422, "invalid", `[]`, "application/json"},
			{"a text", 422, "invalid", `"x"`, "application/json"},
			{"null", 422, "invalid", `null`, "application/json"},
		} {
			got := c.Do(a.method, a.path, bad.body, "Content-Type", bad.kind)
			if got.Status != bad.status || got.Body["code"] != bad.code {
				t.Errorf("%s %s with %s: %d %v, not %d %s", a.method, a.path, bad.name, got.Status, got.Body["code"], bad.status, bad.code)
			}
		}
		whole.Do(a.method, a.path, a.body, "Content-Type", "application/json; charset=UTF-8")
	}
}

// TestValuesThatAreWrong breaks the example of every operation in every way that its schema forbids, one at a time.
// This proves that the contract and the program enforce the same rules and that no invalid value reaches a handler.
func TestValuesThatAreWrong(t *testing.T) {
	c := servertest.NewWorld(t).ServeAlone(t)
	checked := 0
	for _, a := range operations(t) {
		if a.body == "" {
			continue
		}
		for _, m := range mutations(a.schema, "", nil) {
			checked++
			got := c.Do(a.method, a.path, m.apply(t, a.body))
			if got.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s %s with %s: %d %.300s", a.method, a.path, m, got.Status, got.Text)
				continue
			}
			if !pointsAt(got, m.pointer) {
				t.Errorf("%s %s with %s: the errors do not point there: %v", a.method, a.path, m, got.Body["errors"])
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d values were tried", checked)
	}
}

func pointsAt(got servertest.Reply, pointer string) bool {
	list, _ := got.Body["errors"].([]any)
	for _, e := range list {
		if p, _ := e.(map[string]any)["pointer"].(string); p == pointer || strings.HasPrefix(p, pointer+"/") {
			return true
		}
	}
	return false
}

// mutation puts a wrong value at a place of a body.
type mutation struct {
	pointer string
	value   any
	why     string
}

func (m mutation) String() string { return fmt.Sprintf("%s (%s)", m.pointer, m.why) }

// apply makes the path to the place as it goes.
func (m mutation) apply(t *testing.T, body string) string {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal([]byte(body), &root); err != nil {
		t.Fatal(err)
	}
	at := root
	parts := strings.Split(strings.TrimPrefix(m.pointer, "/"), "/")
	for _, part := range parts[:len(parts)-1] {
		inner, ok := at[part].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[part] = inner
		}
		at = inner
	}
	at[parts[len(parts)-1]] = m.value
	raw, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	// What encoding/json will not write as it is needed here.
	text := strings.ReplaceAll(string(raw), "<NUL>", `\u0000`)
	text = strings.ReplaceAll(text, `\u003cNUL\u003e`, `\u0000`)
	return strings.ReplaceAll(text, `\u003cLONE\u003e`, `\ud83d`)
}

// mutations lists what a schema forbids, below a pointer.
func mutations(s *openapi3.Schema, pointer string, out []mutation) []mutation {
	if s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has {
		out = append(out, mutation{pointer + "/bogus_field", 1, "an unknown field"})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, at := s.Properties[name].Value, pointer+"/"+name
		types := p.Type.Slice()
		if len(types) == 0 || len(types) > 4 {
			continue // any value, or one of several forms
		}
		if !slices.Contains(types, "null") {
			out = append(out, mutation{at, nil, "null"})
		}
		switch types[0] {
		case "string":
			out = append(out, wrongTexts(p, at)...)
		case "boolean":
			out = append(out, mutation{at, "true", "text for a boolean"}, mutation{at, 1, "a number for a boolean"})
		case "integer", "number":
			out = append(out, wrongNumbers(p, at, types[0])...)
		case "array":
			out = append(out, mutation{at, map[string]any{}, "an object for a list"}, mutation{at, []any{map[string]any{"bogus_field": 1}}, "a wrong item"})
			if p.MinItems > 0 {
				out = append(out, mutation{at, []any{}, "an empty list"})
			}
		case "object":
			out = append(out, mutation{at, "x", "text for an object"}, mutation{at, []any{}, "a list for an object"})
			out = mutations(p, at, out)
		}
	}
	return out
}

func wrongTexts(p *openapi3.Schema, at string) []mutation {
	out := []mutation{
		{at, 7, "a number for text"}, {at, true, "a boolean for text"}, {at, []any{"x"}, "a list for text"},
		{at, "a<NUL>b", "NUL"}, {at, "a<LONE>b", "half of a surrogate pair"},
	}
	if p.MaxLength != nil {
		out = append(out, mutation{at, strings.Repeat("é", int(*p.MaxLength)+1), "too long"})
	}
	if p.MinLength > 0 {
		out = append(out, mutation{at, "", "empty"})
	}
	if len(p.Enum) > 0 {
		out = append(out, mutation{at, "bogus", "not one of the values"}, mutation{at, "", "empty, of an enumeration"})
	}
	if p.Pattern != "" || p.Format == "date-time" {
		out = append(out, mutation{at, "Not This!", "the wrong form"}, mutation{at, "", "empty, of a form"})
	}
	return out
}

func wrongNumbers(p *openapi3.Schema, at, kind string) []mutation {
	out := []mutation{{at, "7", "text for a number"}, {at, json.RawMessage("1e999"), "a number that is too large"}}
	if kind == "integer" {
		out = append(out, mutation{at, 1.5, "a fraction"}, mutation{at, json.RawMessage("99999999999999999999"), "a number of 20 digits"})
	}
	if p.Min != nil {
		out = append(out, mutation{at, *p.Min - 1, "too small"})
	}
	if p.ExclusiveMin.Value != nil {
		out = append(out, mutation{at, *p.ExclusiveMin.Value, "not above the bound"})
	}
	if p.Max != nil {
		out = append(out, mutation{at, *p.Max + 1, "too large"})
	}
	return out
}

// TestWhatIsNeeded leaves out each field that the contract requires.
func TestWhatIsNeeded(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, a := range operations(t) {
		if a.schema == nil {
			continue
		}
		for _, name := range a.schema.Required {
			var body map[string]any
			if err := json.Unmarshal([]byte(a.body), &body); err != nil {
				t.Fatal(err)
			}
			delete(body, name)
			raw, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Do(a.method, a.path, string(raw)); got.Status != 422 || !a.either && !pointsAt(got, "/"+name) {
				t.Errorf("%s %s without %s: %d %.300s", a.method, a.path, name, got.Status, got.Text)
			}
		}
	}
}

// TestForeignIDs: what belongs to another workspace answers like what there is not, byte for byte
// but for the request's id.
func TestForeignIDs(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	anonymous := func(r servertest.Reply) string {
		id, _ := r.Body["request_id"].(string)
		return strings.ReplaceAll(r.Text, id, "")
	}
	for _, a := range operations(t) {
		if !strings.Contains(a.path, "_1") {
			continue
		}
		kind := "application/json"
		if strings.HasSuffix(a.path, edge.ImportPath) {
			kind = "text/csv"
		}
		unknown := c.Do(a.method, strings.Replace(a.path, "_1", "_none", 1), a.body, "Content-Type", kind)
		if unknown.Status != 404 {
			t.Errorf("%s %s: an unknown id gives %d %.200s", a.method, a.path, unknown.Status, unknown.Text)
		}
		if !strings.Contains(a.path, "ses_1") {
			continue
		}
		foreign := c.Do(a.method, strings.Replace(a.path, "ses_1", "ses_far", 1), a.body)
		if foreign.Status != 404 || anonymous(foreign) != anonymous(unknown) {
			t.Errorf("%s %s: another workspace's gives %d %s, an unknown one %s", a.method, a.path, foreign.Status, foreign.Text, unknown.Text)
		}
	}
}

// TestMethodsThatThereAreNot gives 405 with the methods that there are, on every path.
func TestMethodsThatThereAreNot(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	methods := map[string][]string{}
	for _, a := range operations(t) {
		methods[a.path] = append(methods[a.path], a.method)
	}
	// To all but POST this is the id of a connector that there is not.
	preview := "/v1/connectors/preview"
	methods[preview] = append(methods[preview], methods["/v1/connectors/con_1"]...)
	// And this, to DELETE, that of a passkey.
	registration := "/v1/me/passkeys/registration"
	methods[registration] = append(methods[registration], "DELETE")
	// And this that of a person.
	tokens := "/v1/people/tokens"
	methods[tokens] = append(methods[tokens], methods["/v1/people/usr_1"]...)
	for _, m := range []string{"GET", "PUT", "OPTIONS", "PROPFIND"} { // the last is unknown to the router
		if got := c.Do(m, "/v1/nothing", ""); got.Status != 404 {
			t.Errorf("%s of an address that there is not: %d", m, got.Status)
		}
	}
	for path, known := range methods {
		for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"} {
			if slices.Contains(known, m) {
				continue
			}
			got := c.Do(m, path, "")
			allow := strings.Split(got.Header.Get("Allow"), ", ")
			for _, k := range known {
				if got.Status != 405 || !slices.Contains(allow, k) {
					t.Errorf("%s %s: %d, Allow %v, but there is %s", m, path, got.Status, allow, k)
				}
			}
		}
	}
}

// TestRolesOfTheTable calls every operation without credentials and with every role: unknown callers get 401, roles
// below the one in the contract get 403, and all others are accepted.
func TestRolesOfTheTable(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	ranks := []string{"public", "viewer", "member", "admin", "root"}
	for _, a := range operations(t) {
		needs, _ := a.op.Extensions["x-fermata-role"].(string)
		least := slices.Index(ranks, needs)
		for rank, role := range ranks {
			got := c.Do(a.method, a.path, a.body, "Authorization", "Bearer "+role)
			answer := "accepted"
			switch got.Status {
			case 401:
				answer = "asked"
			case 403:
				answer = "refused"
			}
			want := "accepted"
			if a.path == "/v1/sign-in" && a.method == "POST" {
				want = "asked" // for another key than the one in the body
			}
			if strings.HasPrefix(a.path, "/v1/me/passkeys") && a.method == "POST" {
				want = "refused" // a key in a header is no person in a browser
			}
			if strings.HasSuffix(a.path, "/tokens") && (a.method == "POST" || rank < slices.Index(ranks, "admin")) {
				want = "refused" // the key may not act for others
			}
			if rank < least {
				want = "refused"
				if role == "public" {
					want = "asked"
				}
			}
			if answer != want {
				t.Errorf("%s %s as %s: %s (%d), but it needs %s", a.method, a.path, role, answer, got.Status, needs)
			}
		}
	}
}

// TestBadLimitsAndCursors: bad limits and cursors are refused on every list.
func TestBadLimitsAndCursors(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, a := range operations(t) {
		for _, p := range a.op.Parameters {
			if p.Value.Name != "limit" {
				continue
			}
			for _, bad := range []string{"0", "201", "-1", "ten", "1.5", "9999999999999999999", "", "%2B5", "+5", "5%20"} {
				if got := c.Do(a.method, a.path+"?limit="+bad, ""); got.Status != 422 {
					t.Errorf("%s?limit=%s: %d", a.path, bad, got.Status)
				}
			}
			if got := c.Do(a.method, a.path+"?after="+strings.Repeat("x", 501), ""); got.Status != 422 {
				t.Errorf("%s?after=…: %d", a.path, got.Status)
			}
		}
	}
}

// TestValuesThatAreRight sends the values on the edge of what the contract allows: none of them may
// be refused for its own sake.
func TestValuesThatAreRight(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, a := range operations(t) {
		if a.body == "" {
			continue
		}
		for _, m := range permissions(a.schema, "", nil) {
			if m.pointer == "/outcome" {
				continue // taken by another kind of approval than the example's
			}
			if got := c.Do(a.method, a.path, m.apply(t, a.body)); got.Status == 400 || got.Status == 413 || pointsAt(got, m.pointer) && !meantBy(a.op.OperationID, got) {
				t.Errorf("%s %s with %s: %d %.300s", a.method, a.path, m, got.Status, got.Text)
			}
		}
	}
}

// permissions lists values that a schema just allows, below a pointer.
func permissions(s *openapi3.Schema, pointer string, out []mutation) []mutation {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, at := s.Properties[name].Value, pointer+"/"+name
		types := p.Type.Slice()
		if len(types) == 0 || len(types) > 4 {
			continue
		}
		if slices.Contains(types, "null") {
			out = append(out, mutation{at, nil, "null"})
		}
		for _, v := range p.Enum {
			if _, known := v.(string); known && name != "type" {
				out = append(out, mutation{at, v, "a value of the enumeration"})
			}
		}
		if types[0] == "string" && p.MaxLength != nil && p.Pattern == "" {
			if name != "time_zone" && p.Format == "" { // a zone must be one
				out = append(out, mutation{at, strings.Repeat("é", int(*p.MaxLength)), "as long as may be"})
			}
		}
		if p.Min != nil {
			out = append(out, mutation{at, *p.Min, "the least"})
		}
		if p.Max != nil {
			out = append(out, mutation{at, *p.Max, "the most"})
		}
		if types[0] == "object" {
			out = permissions(p, at, out)
		}
	}
	return out
}

// TestNoAgentIsCalledAsABuiltInOne verifies that an agent cannot take the name of a built-in one: two commands
// would share a name, and vendors reject such a request. A built-in agent that was never changed has no row in the
// database that would conflict.
func TestNoAgentIsCalledAsABuiltInOne(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	with := func(name string) string {
		return `{"name":"` + name + `","description":"d","system_prompt":"p","commands":["ZONES"]}`
	}
	for _, name := range []string{"ContextManager", "Context_Manager", "CONTEXT_MANAGER"} {
		servertest.Equal(t, name, c.Want(409, "POST", "/v1/agents", with(name)).Body["code"], "conflict")
	}
	made := c.Want(201, "POST", "/v1/agents", with("Archivist")).Body["id"].(string)
	servertest.Equal(t, "renamed", c.Want(409, "PATCH", "/v1/agents/"+made, `{"name":"ContextManager"}`).Body["code"], "conflict")
	c.Want(200, "PATCH", "/v1/agents/agt_context_manager", `{"name":"Registrar"}`) // its own name is its own
	c.Want(409, "POST", "/v1/agents", with("ContextManager"))                      // it would have it again, deleted
	c.Want(200, "PATCH", "/v1/agents/agt_context_manager", `{"name":"ContextManager","description":"Ours."}`)
}
