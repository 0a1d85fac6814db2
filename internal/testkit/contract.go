package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// ContractTransport is an http.RoundTripper that validates every exchange against openapi.yaml: a response
// must match its schema exactly, and a request that the server accepted must be allowed. Event streams are
// validated while they are read.
type ContractTransport struct {
	t      testing.TB
	base   http.RoundTripper
	doc    *openapi3.T
	router routers.Router
	kinds  map[string]int
	host   string
	over   atomic.Bool

	mu    sync.Mutex
	calls map[string]map[int]int
}

// Contract creates the transport for a server at baseURL. It is safe for concurrent use.
func Contract(t testing.TB, baseURL string) *ContractTransport {
	t.Helper()
	loaded, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimSuffix(baseURL[strings.Index(baseURL, "//")+2:], "/")
	c := &ContractTransport{t: t, base: http.DefaultTransport, doc: loaded.doc, router: loaded.router, kinds: loaded.kinds, host: host, calls: map[string]map[int]int{}}
	t.Cleanup(func() { c.over.Store(true) })
	return c
}

// LoadContract loads openapi.yaml and makes it strict: an object must have no undocumented fields. (Clients
// must ignore unknown fields; tests must not.) The result is shared and must not be modified.
func LoadContract(t testing.TB) *openapi3.T {
	t.Helper()
	loaded, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	return loaded.doc
}

type contract struct {
	doc    *openapi3.T
	router routers.Router
	kinds  map[string]int // the status of each problem code
}

// theContract is loaded once: it takes a third of a second.
//
// The router has validated the document as OpenAPI 3.1. From then on it is called 3.0, because the library compiles a
// JSON Schema validator for each value that it holds against a schema of 3.1, which took a quarter of the CPU time of
// all stories. Its validator for 3.0 knows all that the contract uses, apart from propertyNames, which no response has,
// and const, which is an enum of one value.
var theContract = sync.OnceValues(func() (*contract, error) {
	raw, err := readUpward("openapi.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	doc.Servers = nil // the tests' servers have other addresses
	seen := map[*openapi3.Schema]bool{}
	for _, s := range doc.Components.Schemas {
		closeObjects(s, seen)
	}
	router, err := legacy.NewRouter(doc, openapi3.DisableExamplesValidation())
	if err != nil {
		return nil, fmt.Errorf("create a router for the contract: %w", err)
	}
	doc.OpenAPI = "3.0.3"
	return &contract{doc, router, problemCodes(doc)}, nil
})

// readUpward reads a file in the module's root: tests run in the folder of their package.
func readUpward(name string) ([]byte, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return raw, err
		}
		dir = filepath.Dir(dir)
	}
}

func closeObjects(ref *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if ref == nil || ref.Value == nil || seen[ref.Value] {
		return
	}
	s := ref.Value
	seen[s] = true
	if s.Type == nil && len(s.OneOf)+len(s.AnyOf)+len(s.AllOf) == 0 {
		// A schema without a type allows every value, including null, which the library rejects.
		s.Type = &openapi3.Types{"object", "array", "string", "number", "boolean", "null"}
	}
	if s.Const != nil {
		s.Enum = []any{s.Const}
	}
	if len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
		no := false
		s.AdditionalProperties.Has = &no
	}
	for _, p := range s.Properties {
		closeObjects(p, seen)
	}
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		for _, p := range list {
			closeObjects(p, seen)
		}
	}
	closeObjects(s.Items, seen)
	closeObjects(s.AdditionalProperties.Schema, seen)
}

// Calls counts the validated responses, by operation and status.
func (c *ContractTransport) Calls() map[string]map[int]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]map[int]int, len(c.calls))
	for op, statuses := range c.calls {
		out[op] = maps.Clone(statuses)
	}
	return out
}

// RoundTrip sends the request and validates the response.
func (c *ContractTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		_ = r.Body.Close() // it has been read
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := c.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	asked := r.Clone(r.Context())
	asked.Body = io.NopCloser(bytes.NewReader(body))
	if asked.Method == http.MethodHead {
		asked.Method = http.MethodGet // HEAD is allowed wherever GET is
	}
	if asked.URL.Host != c.host {
		return res, nil // another server
	}
	route, params, err := c.router.FindRoute(asked)
	if err != nil || res.StatusCode == http.StatusMethodNotAllowed {
		return res, c.checkOutside(r, res)
	}
	c.count(route.Operation.OperationID, res.StatusCode)
	input := &openapi3filter.RequestValidationInput{
		Request: asked, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true},
	}
	if res.StatusCode < 400 {
		if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
			c.reportf("%s %s was accepted, but the contract does not allow the request %s: %v", r.Method, r.URL.Path, body, err)
		}
	}
	return res, c.checkAnswer(r, res, input)
}

func (c *ContractTransport) checkAnswer(r *http.Request, res *http.Response, input *openapi3filter.RequestValidationInput) error {
	kind := res.Header.Get("Content-Type")
	if res.StatusCode < 400 && input.Route.Operation.Responses.Value(strconv.Itoa(res.StatusCode)) == nil {
		c.reportf("%s %s returned %d, which the contract does not declare", r.Method, r.URL.Path, res.StatusCode)
	}
	if strings.HasPrefix(kind, "text/event-stream") {
		res.Body = &checkedStream{ReadCloser: res.Body, c: c, path: r.URL.Path}
		return nil
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	_ = res.Body.Close() // it has been read
	res.Body = io.NopCloser(bytes.NewReader(body))
	output := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: res.StatusCode, Header: res.Header,
		Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true,
			ExcludeResponseBody: r.Method == http.MethodHead || !strings.Contains(kind, "json"),
		},
	}
	if err := openapi3filter.ValidateResponse(r.Context(), output); err != nil {
		c.reportf("%s %s: the response %d does not match the contract: %v\n%s", r.Method, r.URL.Path, res.StatusCode, err, body)
	}
	if res.StatusCode >= 400 && r.Method != http.MethodHead && !isPage(input.Route.Operation, res) {
		c.checkProblem(r, res, body)
	}
	return nil
}

// isPage reports whether an error is an HTML page, where the contract allows one.
func isPage(op *openapi3.Operation, res *http.Response) bool {
	declared := op.Responses.Value(strconv.Itoa(res.StatusCode))
	if declared == nil {
		declared = op.Responses.Default()
	}
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") && declared != nil && declared.Value.Content["text/html"] != nil
}

// checkOutside validates a response without an operation: a problem, or the web app.
func (c *ContractTransport) checkOutside(r *http.Request, res *http.Response) error {
	if res.StatusCode < 400 {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			c.reportf("%s %s returned %d, but the contract has no such operation", r.Method, r.URL.Path, res.StatusCode)
		}
		return nil
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	_ = res.Body.Close() // it has been read
	res.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodHead {
		return nil
	}
	if err := c.visit("Problem", body); err != nil {
		c.reportf("%s %s: the problem %d does not match the contract: %v\n%s", r.Method, r.URL.Path, res.StatusCode, err, body)
	}
	c.checkProblem(r, res, body)
	return nil
}

func (c *ContractTransport) count(operation string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[operation] == nil {
		c.calls[operation] = map[int]int{}
	}
	c.calls[operation][status]++
}

// reportf fails the test, unless it has ended: a stream may be read a little longer.
func (c *ContractTransport) reportf(format string, args ...any) {
	if !c.over.Load() {
		c.t.Errorf(format, args...)
	}
}
