package httpcommand

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
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
		"a file":       `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"$ref":"file:///etc/passwd"}}}`,
		"an address":   `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"$ref":"http://169.254.169.254/x"}}}`,
		"missing part": `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/none"}],"responses":{}}}}}`,
		"too deep":     deep,
		"too long":     `{"openapi":"3.1.0","x":"` + strings.Repeat("x", maxDocument) + `"}`,
	} {
		_, err := Previewer{}.PreviewConnector(t.Context(), json.RawMessage(document), "")
		if domain.ErrorCode(err) != domain.CodeInvalid || len(err.Error()) > 2000 || strings.Contains(err.Error(), "root:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
