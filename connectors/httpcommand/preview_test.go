package httpcommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

const shopDocument = `{"openapi":"3.0.3","info":{"title":"Pet shop & more","version":"1"},
	"servers":[{"url":"/v{n}","variables":{"n":{"default":"2"}}}],
	"components":{"schemas":{"Node":{"type":"object","nullable":true,"properties":{"example":{"type":"string"},"next":{"$ref":"#/components/schemas/Node"}}},
		"Order":{"type":"object","required":["count"],"properties":{"count":{"type":"integer","minimum":0,"exclusiveMinimum":true},"node":{"$ref":"#/components/schemas/Node"}}}}},
	"paths":{"/pets/{pet-id}":{
		"parameters":[{"name":"pet-id","in":"path","required":true,"schema":{"type":"string"}}],
		"get":{"operationId":"getPet","summary":"One pet.","parameters":[{"name":"filter[kind]","in":"query","schema":{"type":"string"}},{"name":"X-Lang","in":"header","schema":{"type":"string"}},{"name":"Authorization","in":"header","schema":{"type":"string"}}],"responses":{"200":{"description":"x"}}},
		"put":{"requestBody":{"content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}},"responses":{"200":{"description":"x"}}},
		"delete":{"operationId":"dropPet","responses":{"204":{"description":"x"}}}},
	"/orders":{"post":{"operationId":"order","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}},"responses":{"200":{"description":"x"}}}}}}`

func TestWhatADocumentLeadsTo(t *testing.T) {
	url := served(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, shopDocument) })
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	p, err := Previewer{client}.PreviewConnector(t.Context(), nil, url+"/docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if p.Prefix != "PET" || p.Name != "Pet shop & more" || string(p.Config) != fmt.Sprintf(`{"base_url":"%s/v2"}`, url) || p.Skipped != 0 {
		t.Errorf("%+v", p)
	}
	got := map[string]string{}
	for _, c := range p.Commands {
		request, _ := json.Marshal(c.Request)
		got[c.Name] = fmt.Sprint(c.Effect, " ", c.RequireValidation, " ", string(request), " ", string(c.Params))
	}
	for name, parts := range map[string][]string{
		"GET_PET":         {"read false", `"path":"/pets/{pet-id}"`, `"filter[kind]":"{filter_kind}"`, `"X-Lang":"{X-Lang}"`, `"required":["pet-id"]`},
		"PUT_PETS_PET_ID": {"idempotent false", `"body":"{body}"`, `"items":{"type":"string"}`},
		"ORDER":           {"non_idempotent true", `"method":"POST"`, `"count":{"minimum":0,"type":"integer"}`, `"example":{"type":"string"}`, `"next":{}`, `"required":["count"]`},
	} {
		for _, part := range parts {
			if !strings.Contains(got[name], part) {
				t.Errorf("%s has no %s: %s", name, part, got[name])
			}
		}
	}
	if len(got) != 4 || strings.Contains(fmt.Sprint(got), "Authorization") {
		t.Errorf("%v", got)
	}
}

func TestDocumentsThatAreNone(t *testing.T) {
	deep := `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"x","content":{"a/b":{"schema":` +
		strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000) + `}}}}}}}}`
	for name, document := range map[string]string{
		"not JSON": `"openapi: 3.1.0"`, "an older one": `{"swagger":"2.0"}`, "no paths": `{"openapi":"3.1.0","info":{"title":"x","version":"1"}}`,
		"a list": `[]`, "a number": `3`, "wrong inside": `{"openapi":"3.1.0","info":7,"paths":{}}`,
		"a file":                   `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"$ref":"file:///etc/passwd"}}}`,
		"an address":               `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"$ref":"http://169.254.169.254/x"}}}`,
		"missing part":             `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/none"}],"responses":{}}}}}`,
		"a path that is not there": `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"$ref":"#/paths/~1b"}}}`,
		"a body that is not there": `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"post":{"requestBody":{"$ref":"#/components/requestBodies/none"}}}}}`,
		"a body elsewhere":         `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"post":{"requestBody":{"$ref":"other.json#/x"}}}}}`,
		"a parameter elsewhere":    `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"parameters":[{"$ref":"https://example.com/p"}]}}}}`,
		"a circle":                 `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"components":{"parameters":{"a":{"$ref":"#/components/parameters/b"},"b":{"$ref":"#/components/parameters/a"}}},"paths":{"/a":{"parameters":[{"$ref":"#/components/parameters/a"}]}}}`,
		"a circle of paths":        `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"}}}`,
		"no parameter":             `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"parameters":[null]}}}}`,
		"too deep":                 deep,
		"too long":                 `{"openapi":"3.1.0","x":"` + strings.Repeat("x", maxDocument) + `"}`,
	} {
		_, err := Previewer{}.PreviewConnector(t.Context(), json.RawMessage(document), "")
		if domain.ErrorCode(err) != domain.CodeInvalid || len(err.Error()) > 2000 || strings.Contains(err.Error(), "root:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sharedDocument has so many operations that each refer, in so many ways, to a schema of so many properties.
func sharedDocument(operations, properties int, reference string) string {
	var members, paths []string
	for i := range properties {
		members = append(members, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	for i := range operations {
		paths = append(paths, fmt.Sprintf(`"/a%d":{"post":{"operationId":"same",%s,"responses":{"200":{"description":"x"}}}}`, i, reference))
	}
	return fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":"x","version":"1"},"components":{
		"schemas":{"S":{"type":"object","properties":{%[1]s}},"T":{"type":"object","properties":{"s":{"$ref":"#/components/schemas/S"},"t":{"$ref":"#/components/schemas/T"}}}},
		"parameters":{"P":{"name":"p","in":"query","schema":{"type":"object","properties":{%[1]s}}}},
		"requestBodies":{"B":{"content":{"application/json":{"schema":{"type":"object","properties":{%[1]s}}}}}}},
		"paths":{%[2]s}}`, strings.Join(members, ","), strings.Join(paths, ","))
}

// What a document costs grows with its operations and with the schemas that they refer to, and not with
// the product of the two; and there is an end to it.
func TestADocumentCostsWhatItSays(t *testing.T) {
	body := func(schema string) string {
		return `"requestBody":{"content":{"application/json":{"schema":` + schema + `}}}`
	}
	for what, reference := range map[string]string{
		"a schema":            body(`{"$ref":"#/components/schemas/S"}`),
		"a schema within one": body(`{"$ref":"#/components/schemas/T"}`),
		"one in its place":    body(`{"allOf":[{"$ref":"#/components/schemas/S"}]}`),
		"a parameter":         `"parameters":[{"$ref":"#/components/parameters/P"}]`,
		"a body":              `"requestBody":{"$ref":"#/components/requestBodies/B"}`,
		"all of them":         `"parameters":[{"$ref":"#/components/parameters/P"}],"requestBody":{"$ref":"#/components/requestBodies/B"}`,
	} {
		steps := func(operations, properties int) (int, *outside.ConnectorPreview) {
			doc, err := load([]byte(sharedDocument(operations, properties, reference)))
			if err != nil {
				t.Fatal(err)
			}
			preview := &outside.ConnectorPreview{}
			n, err := addCommands(t.Context(), preview, doc)
			if err != nil {
				t.Fatal(err)
			}
			return n, preview
		}
		const slack = 1000 // an operation's own
		few, _ := steps(25, 800)
		many, _ := steps(50, 800)
		if many > 2*few+slack {
			t.Errorf("%s: %d steps for 25 operations, %d for 50", what, few, many)
		}
		wide, _ := steps(50, 1600)
		if wide > 2*many+slack {
			t.Errorf("%s: %d steps for 800 properties, %d for 1,600", what, many, wide)
		}
		most, preview := steps(700, 800)
		if limit := 400_000; most > limit {
			t.Errorf("%s: %d steps for 700 operations", what, most)
		}
		if len(preview.Commands)+preview.Skipped != 700 || len(preview.Commands) == 0 {
			t.Errorf("%s: %d commands, %d skipped", what, len(preview.Commands), preview.Skipped)
		}
		names := map[string]bool{}
		for _, c := range preview.Commands {
			names[c.Name] = true
		}
		if len(names) != len(preview.Commands) {
			t.Errorf("%s: %d names for %d commands", what, len(names), len(preview.Commands))
		}
	}
}

// Who has left is read nothing more for.
func TestAPreviewEndsWithItsCaller(t *testing.T) {
	doc, err := load([]byte(sharedDocument(200, 10, `"parameters":[{"$ref":"#/components/parameters/P"}]`)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	preview := &outside.ConnectorPreview{}
	if steps, err := addCommands(ctx, preview, doc); !errors.Is(err, context.Canceled) || steps > 0 || len(preview.Commands) > 0 {
		t.Errorf("%d steps, %d commands, %v", steps, len(preview.Commands), err)
	}
}

// References of a document are resolved: a path, a parameter, a body, and schemas that are
// references themselves.
func TestReferencesWithinADocument(t *testing.T) {
	preview, err := propose(t.Context(), json.RawMessage(`{"openapi":"3.0.3","info":{"title":"x","version":"1"},
		"components":{
			"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"type":"object","properties":{"b":{"type":"integer"},"a":{"$ref":"#/components/schemas/A"}}},
				"Loop":{"$ref":"#/components/schemas/Loop"}},
			"parameters":{"P":{"$ref":"#/components/parameters/Q"},"Q":{"name":"q","in":"query","description":"Said once.","schema":{"$ref":"#/components/schemas/A"}},
				"L":{"name":"l","in":"query","schema":{"$ref":"#/components/schemas/Loop"}}},
			"requestBodies":{"R":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}},
		"paths":{"/one":{"get":{"operationId":"one","parameters":[{"$ref":"#/components/parameters/P"},{"$ref":"#/components/parameters/L"}],"responses":{"200":{"description":"x"}}},
			"post":{"operationId":"two","requestBody":{"$ref":"#/components/requestBodies/R"},"responses":{"200":{"description":"x"}}}},
			"/other":{"$ref":"#/paths/~1one"}}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range preview.Commands {
		got[c.Name] = string(c.Params)
	}
	const one = `{"properties":{"l":{},"q":{"description":"Said once.","properties":{"a":{},"b":{"type":"integer"}},"type":"object"}},"type":"object"}`
	const two = `{"properties":{"a":{},"b":{"type":"integer"}},"type":"object"}`
	want := map[string]string{"ONE": one, "ONE_2": one, "TWO": two, "TWO_2": two}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
}
