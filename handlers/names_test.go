package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestNamesAreOneLine verifies that a name set over HTTP is a single line without invisible characters, for every
// resource that has one.
func TestNamesAreOneLine(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	requests := map[string]string{
		"POST /v1/sessions": `{"name":"%s"}`, "PATCH /v1/sessions/ses_1": `{"name":"%s"}`,
		"POST /v1/zones": `{"name":"%s"}`, "PATCH /v1/zones/zon_1": `{"name":"%s"}`,
		"POST /v1/tools": `{"zone_id":"zon_1","tool_type":"notes","name":"%s"}`, "PATCH /v1/tools/tol_1": `{"name":"%s"}`,
		"POST /v1/tool-types":       `{"id":"mood","name":"%s","config_schema":{},"entry_schema":{}}`,
		"PATCH /v1/tool-types/mood": `{"name":"%s"}`, "POST /v1/documents": `{"key":"about","title":"%s","body":"x"}`,
		"PATCH /v1/documents/doc_1": `{"title":"%s"}`, "POST /v1/automations": `{"name":"%s","seed":{"text":"x"}}`,
		"PATCH /v1/automations/aut_1": `{"name":"%s"}`, "POST /v1/keys": `{"name":"%s","role":"member"}`,
		"POST /v1/providers": `{"name":"%s","kind":"demo","config":{}}`, "PATCH /v1/providers/prv_1": `{"name":"%s"}`,
		"POST /v1/workspaces": `{"id":"mine","name":"%s"}`,
	}
	for name, escaped := range map[string]string{"a line feed": `a\nb`, "ANSI": `\u001b[1mb`, "turned": `a\u202eb`, "unseen": `a\u200bb`, "separator": `a\u2028b`} {
		for request, body := range requests {
			method, path, _ := strings.Cut(request, " ")
			field := "/name"
			if strings.Contains(body, "title") {
				field = "/title"
			}
			got := c.Want(422, method, path, fmt.Sprintf(body, escaped))
			if pointer, code, message := servertest.FieldError(t, got); pointer != field || code != "wrong_format" || !strings.Contains(message, "one line") {
				t.Errorf("%s with %s: %s %s %q", request, name, pointer, code, message)
			}
		}
	}
}
