package testkit

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// recorder is a test that records its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// Every other test relies on it, and does not check the examples.
func TestTheContractIsValid(t *testing.T) {
	raw, err := readUpward("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAResponseIsHeldAgainstTheContract(t *testing.T) {
	for _, c := range []struct{ name, path, body, want string }{
		{"an undocumented field", "/v1/zones", `{"data":[],"more":1}`, `"more" is unsupported`},
		{"a missing field", "/v1/zones", `{"data":[{"id":"zon_1"}]}`, `"name" is missing`},
		{"a wrong type", "/v1/zones", `{"data":{}}`, "must be an array"},
		{"a wrong constant", "/v1/events/stream", "event: session.phase\ndata: {\"type\":\"session.created\"}\n\n", `["session.phase"]`},
		{"no operation", "/v1/nothing", `{}`, "no such operation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(c.path, "/stream") {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			test := &recorder{TB: t}
			client := http.Client{Transport: Contract(test, server.URL)}
			response, err := client.Get(server.URL + c.path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close() // it has been read
			if all := strings.Join(test.failures, "\n"); !strings.Contains(all, c.want) {
				t.Errorf("%q is not among the failures:\n%s", c.want, all)
			}
		})
	}
}
