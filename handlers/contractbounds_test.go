package handlers_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// unboundedOnPurpose are parts of requests without a bound of their own in the contract,
// and what bounds them.
var unboundedOnPurpose = map[string]string{}

// Everything that a caller can make long has a bound that the contract names: a text its
// length, a list its items, an object with free names its fields. (Addresses and headers
// have 16 KiB together.)
func TestEveryRequestHasItsBounds(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(fermata.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	w := &boundsWalk{seen: map[string]bool{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil {
				continue
			}
			for kind, media := range op.RequestBody.Value.Content {
				if strings.Contains(kind, "json") {
					w.schema(method+" "+path, media.Schema)
				}
			}
		}
	}
	sort.Strings(w.missing)
	for _, m := range slices.Compact(w.missing) {
		if _, known := unboundedOnPurpose[m]; !known {
			t.Error(m)
		}
	}
}

type boundsWalk struct {
	seen    map[string]bool
	missing []string
}

func (w *boundsWalk) schema(at string, ref *openapi3.SchemaRef) {
	if ref == nil {
		return
	}
	if ref.Ref != "" {
		at = ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
		if w.seen[at] {
			return
		}
		w.seen[at] = true
	}
	s := ref.Value
	if s == nil {
		return
	}
	for i, list := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf} {
		for j, sub := range list {
			w.schema(fmt.Sprintf("%s/%s/%d", at, []string{"allOf", "oneOf", "anyOf"}[i], j), sub)
		}
	}
	if s.Type.Includes("string") && s.MaxLength == nil && len(s.Enum) == 0 && s.Const == nil && s.Format != "date-time" {
		w.missing = append(w.missing, at+": a text without maxLength")
	}
	if s.Type.Includes("array") {
		if s.MaxItems == nil {
			w.missing = append(w.missing, at+": a list without maxItems")
		}
		w.schema(at+"[]", s.Items)
	}
	for name, p := range s.Properties {
		w.schema(at+"."+name, p)
	}
	open := s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil || s.AdditionalProperties.Has != nil && *s.AdditionalProperties.Has
	free := s.AdditionalProperties.Schema != nil || open && len(s.Properties) == 0
	if (s.Type.Includes("object") || s.AdditionalProperties.Schema != nil) && free && s.MaxProps == nil {
		w.missing = append(w.missing, at+": an object of free names without maxProperties")
	}
	w.schema(at+".*", s.AdditionalProperties.Schema)
}

// The server keeps the bounds that the contract names: one more is refused, at its place.
func TestOneMoreThanTheBoundIsRefused(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(fermata.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	c, asked := servertest.NewWorld(t).Serve(t), 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
				continue
			}
			for _, object := range objectsOf(op.RequestBody.Value.Content["application/json"].Schema) {
				for name, p := range object.Properties {
					over := oneOver(p.Value)
					if over == nil {
						continue
					}
					asked++
					body, _ := json.Marshal(map[string]any{name: over})
					got := c.Do(method, placeholders.ReplaceAllStringFunc(path, idFor), string(body))
					if got.Status != 422 || !strings.Contains(got.Text, `"pointer":"/`+name) {
						t.Errorf("%s %s, %s: %d %.300s", method, path, name, got.Status, got.Text)
					}
				}
			}
		}
	}
	if asked < 40 {
		t.Errorf("only %d bounds were found", asked)
	}
}

// objectsOf are the forms that a body may have.
func objectsOf(ref *openapi3.SchemaRef) []*openapi3.Schema {
	all := []*openapi3.Schema{ref.Value}
	for _, list := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf} {
		for _, sub := range list {
			all = append(all, objectsOf(sub)...)
		}
	}
	return all
}

// oneOver is a value that is one longer than a schema allows; nil where it has no bound
// that a value alone can pass.
func oneOver(s *openapi3.Schema) any {
	switch {
	case s.Type.Includes("string") && s.MaxLength != nil:
		return strings.Repeat("a", int(*s.MaxLength)+1)
	case s.Type.Includes("array") && s.MaxItems != nil && *s.MaxItems < 10_000:
		var item any = map[string]any{}
		if s.Items.Value.Type.Includes("string") {
			item = "a"
		}
		return slices.Repeat([]any{item}, int(*s.MaxItems)+1)
	case s.Type.Includes("object") && s.MaxProps != nil && *s.MaxProps < 10_000:
		fields := map[string]any{}
		for i := range *s.MaxProps + 1 {
			fields[fmt.Sprint("f", i)] = map[string]any{}
		}
		return fields
	}
	return nil
}

var placeholders = regexp.MustCompile(`\{[a-z_]+\}`)

// idFor names something that there is in the world.
func idFor(parameter string) string {
	return map[string]string{
		"{session_id}": "ses_1", "{message_id}": "msg_3", "{approval_id}": "apr_1", "{zone_id}": "zon_1", "{tool_id}": "tol_1",
		"{tool_type_id}": "mood", "{agent_id}": "agt_1", "{entry_id}": "ent_1", "{document_id}": "doc_1", "{automation_id}": "aut_1", "{provider_id}": "prv_1",
		"{token}": "secret", "{webhook_id}": "whk_1", "{task_id}": "tsk_1", "{connector_id}": "con_1", "{command_name}": "GET_ITEM",
		"{person_id}": "per_1",
	}[parameter]
}
