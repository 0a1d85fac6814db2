package servertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// Client calls the API as the root key does; every exchange is held to the contract.
type Client struct {
	T        *testing.T
	URL      string
	Contract *testkit.ContractTransport
	HTTP     *http.Client
}

type Reply struct {
	Status int
	Header http.Header
	Text   string
	Body   map[string]any
}

// Do makes a call; headers come in pairs and win over the usual ones.
func (c *Client) Do(method, path, body string, headers ...string) Reply {
	c.T.Helper()
	r, err := http.NewRequestWithContext(c.T.Context(), method, c.URL+path, strings.NewReader(body))
	if err != nil {
		c.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer root")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if strings.HasPrefix(path, "/v1/callbacks/") {
		sign(c.T, r.Header, body)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.HTTP.Do(r)
	if err != nil {
		c.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return c.firstEvent(res)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	out := Reply{Status: res.StatusCode, Header: res.Header, Text: string(text)}
	if strings.Contains(res.Header.Get("Content-Type"), "json") && len(text) > 0 {
		if err := json.Unmarshal(text, &out.Body); err != nil {
			c.T.Fatalf("%s %s answered no JSON object: %s", method, path, text)
		}
	}
	return out
}

// firstEvent reads a stream up to its first event.
func (c *Client) firstEvent(res *http.Response) Reply {
	c.T.Helper()
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), "\ndata:") || !strings.HasSuffix(seen.String(), "\n\n") {
		n, err := res.Body.Read(buf)
		if seen.Write(buf[:n]); err != nil {
			c.T.Fatalf("the stream ended: %v after %s", err, seen.String())
		}
	}
	return Reply{Status: res.StatusCode, Header: res.Header, Text: seen.String()}
}

// Want is do, with the status that must come.
func (c *Client) Want(status int, method, path, body string, headers ...string) Reply {
	c.T.Helper()
	got := c.Do(method, path, body, headers...)
	if got.Status != status {
		c.T.Fatalf("%s %s %.200s: %d, not %d: %.500s", method, path, body, got.Status, status, got.Text)
	}
	return got
}

// LastAsked is what the handlers asked last, as the type that the story expects.
func LastAsked[T any](t *testing.T, w *World) T {
	t.Helper()
	v, ok := w.Seen.Last().(T)
	if !ok {
		t.Fatalf("what was asked is %#v", w.Seen.Last())
	}
	return v
}

func Equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// FieldError is the only error of a refusal.
func FieldError(t *testing.T, got Reply) (pointer, code, message string) {
	t.Helper()
	list, _ := got.Body["errors"].([]any)
	if got.Status != 422 || len(list) != 1 {
		t.Fatalf("%d %s", got.Status, got.Text)
	}
	e := list[0].(map[string]any)
	return e["pointer"].(string), e["code"].(string), e["message"].(string)
}

// KeyRoot is who calls in these stories.
var KeyRoot = domain.Author{ID: "key_root", Role: domain.RoleRoot}
