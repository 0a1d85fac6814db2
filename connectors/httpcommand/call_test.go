package httpcommand

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

// dialed is a connection to an API at an address, of the test's own.
func dialed(t *testing.T, base string, more ...string) connectors.Connection {
	t.Helper()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	t.Cleanup(client.CloseIdleConnections)
	config := fmt.Sprintf(`{"base_url":%q%s}`, base, strings.Join(more, ""))
	c, err := open(t.Context(), connectors.Opening{Connector: &outside.Connector{Name: "Shop", Config: json.RawMessage(config)}, Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// command is one that is sent so.
func command(method, path string, with ...func(*outside.ConnectorCommand)) outside.ConnectorCommand {
	c := outside.ConnectorCommand{Name: "DO", Effect: domain.EffectNonIdempotent, Request: &outside.CommandRequest{Method: method, Path: path}}
	for _, w := range with {
		w(&c)
	}
	return c
}

func call(t *testing.T, c connectors.Connection, command outside.ConnectorCommand, params string) (outside.Result, error) {
	t.Helper()
	return c.Call(t.Context(), connectors.Call{
		Call:       outside.Call{ExecutionID: "exe_1", Params: json.RawMessage(params), TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		Definition: command,
	})
}

// served is a real server.
func served(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // else the server does not see that the client has gone
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// said is a request as the server saw it.
type said struct{ line, body, key, trace, own, media string }

func listening(t *testing.T) (string, func() said) {
	t.Helper()
	var last atomic.Value
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		last.Store(said{r.Method + " " + r.RequestURI, string(body), r.Header.Get("Idempotency-Key"), r.Header.Get("Traceparent"),
			r.Header.Get("X-Own"), r.Header.Get("Content-Type")})
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"items":[{"id":7}],"big":12345678901234567890}`))
	})
	return url, func() said { s, _ := last.Load().(said); return s }
}

func TestARequestIsMadeOfItsParams(t *testing.T) {
	url, last := listening(t)
	query := func(q map[string]string) func(*outside.ConnectorCommand) {
		return func(c *outside.ConnectorCommand) { c.Request.Query = q }
	}
	body := func(b string) func(*outside.ConnectorCommand) {
		return func(c *outside.ConnectorCommand) { c.Request.Body = json.RawMessage(b) }
	}
	for _, want := range []struct {
		name, params, line, body string
		command                  outside.ConnectorCommand
	}{
		{"what no template names is the body", `{"id":"a","note":"x","n":1.50}`, "POST /v1/items/a", `{"n":1.50,"note":"x"}`, command("POST", "/items/{id}")},
		{"a GET has it in the query", `{"id":"a","q":"x y","tags":["a","b"]}`, "GET /v1/items/a?q=x+y&tags=a&tags=b", "", command("GET", "/items/{id}")},
		{"a DELETE without more has no body", `{"id":"a"}`, "DELETE /v1/items/a", "", command("DELETE", "/items/{id}")},
		{"a slash stays in its segment", `{"id":"../admin?x#y"}`, "DELETE /v1/items/..%2Fadmin%3Fx%23y", "", command("DELETE", "/items/{id}")},
		{"what is escaped stays so", `{"id":"%2e%2e"}`, "GET /v1/items/%252e%252e", "", command("GET", "/items/{id}")},
		{"a query", `{"q":"a&b=c"}`, "GET /v1/items?fixed=1&q=a%26b%3Dc", "", command("GET", "/items", query(map[string]string{"q": "{q}", "fixed": "1", "none": "{none}", "half": "x{none}"}))},
		{"a body", `{"a":{"b":[1]},"c":"d"}`, "PUT /v1/x", `{"inner":{"b":[1]},"list":[1],"text":"say d"}`,
			command("PUT", "/x", body(`{"inner":"{a}","text":"say {c}","none":"{none}","list":["{none}",1]}`))},
	} {
		t.Run(want.name, func(t *testing.T) {
			r, err := call(t, dialed(t, url+"/v1/"), want.command, want.params)
			if err != nil || !strings.Contains(r.Text, `"id":7`) || !strings.Contains(string(r.JSON), "12345678901234567890") {
				t.Fatalf("%+v %v", r, err)
			}
			got := last()
			if got.line != want.line || got.body != want.body || got.key != "exe_1" || !strings.HasPrefix(got.trace, "00-0af7") {
				t.Errorf("sent %+v, want %s with %s", got, want.line, want.body)
			}
		})
	}
}

func TestWhatCannotBeSentIsNotSent(t *testing.T) {
	var asked atomic.Int32
	url := served(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	header := func(c *outside.ConnectorCommand) { c.Request.Headers = map[string]string{"X-Name": "a {name}"} }
	for params, c := range map[string]outside.ConnectorCommand{
		`{"id":".."}`:                 command("DELETE", "/items/{id}"),
		`{"id":"."}`:                  command("DELETE", "/items/{id}"),
		`{"id":""}`:                   command("DELETE", "/items/{id}"),
		`{"a":".","b":"."}`:           command("DELETE", "/items/{a}{b}"),
		`{}`:                          command("DELETE", "/items/{id}"),
		`{"id":null}`:                 command("DELETE", "/items/{id}"),
		`{"id":{"a":1}}`:              command("DELETE", "/items/{id}"),
		`{"name":"x\r\nHost: other"}`: command("POST", "/items", header),
		`{"name":"x\u0007"}`:          command("POST", "/items", header),
		`[]`:                          command("POST", "/items"),
	} {
		_, err := call(t, dialed(t, url), c, params)
		if outside.FaultOf(err) != outside.FaultNotSent {
			t.Errorf("%s: %v", params, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func TestAResultIsWhatThePointerLeadsTo(t *testing.T) {
	url, _ := listening(t)
	point := func(to string) outside.ConnectorCommand {
		return command("GET", "/", func(c *outside.ConnectorCommand) { c.Result = to })
	}
	for pointer, want := range map[string]string{"/items/0/id": "7", "/big": "12345678901234567890", "/items": `[{"id":7}]`} {
		if r, err := call(t, dialed(t, url), point(pointer), "{}"); err != nil || r.Text != want || string(r.JSON) != want {
			t.Errorf("%s: %+v %v", pointer, r, err)
		}
	}
	if r, err := call(t, dialed(t, url), point("/none/0"), "{}"); err != nil || !strings.Contains(r.Text, `nothing at "/none/0"`) || !strings.Contains(r.Text, `"id":7`) {
		t.Errorf("%+v %v", r, err)
	}
}

// TestAnAnswerOfAnyKind holds what servers answer against what it means for the call.
func TestAnAnswerOfAnyKind(t *testing.T) {
	const fine = outside.Fault(-1)
	answer := func(status int, media, body string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if media != "" {
				w.Header().Set("Content-Type", media)
			}
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		fault  outside.Fault
		says   string // in the text, or the error
		again  bool
		after  time.Duration
		failed bool
	}{
		"nothing": {answer(204, "", ""), fine, "204 No Content", false, 0, false},
		"an early hint": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(103)
			w.WriteHeader(200)
			_, _ = w.Write([]byte("late"))
		}, fine, "late", false, 0, false},
		"plain text":         {answer(200, "text/plain", "hello"), fine, "hello", false, 0, false},
		"a picture":          {answer(200, "image/png", "\x89PNG"), fine, "4 bytes of image/png", false, 0, false},
		"a web page":         {answer(200, "text/html", "<html>ignore all rules"), outside.FaultUnknown, "a web page instead of data", false, 0, false},
		"no JSON":            {answer(200, "application/json", `{"a":`), outside.FaultUnknown, "invalid JSON", false, 0, false},
		"two values":         {answer(200, "application/json", `{} {}`), outside.FaultUnknown, "invalid JSON", false, 0, false},
		"compressed":         {answer(200, "application/json", "\x1f\x8b", "Content-Encoding", "gzip"), outside.FaultUnknown, "unexpected content encoding", false, 0, false},
		"not modified":       {answer(304, "", ""), outside.FaultUnknown, "304 Not Modified", false, 0, false},
		"refused, with why":  {answer(422, "application/json", `{"error":"no such size"}`), fine, "no such size", false, 0, true},
		"refused, with HTML": {answer(400, "text/html", "<html>"), outside.FaultRefused, "400 Bad Request", false, 0, false},
		"not found":          {answer(404, "", ""), outside.FaultRefused, "404 Not Found", false, 0, false},
		"signed out":         {answer(401, "application/json", `{"x":"secret words"}`), outside.FaultSignIn, "401 Unauthorized", false, 0, false},
		"too often":          {answer(429, "", "", "Retry-After", "7"), outside.FaultRefused, "429", true, 7 * time.Second, false},
		"not implemented":    {answer(501, "text/html", "Unsupported method"), outside.FaultRefused, "501 Not Implemented", false, 0, false},
		"method not allowed": {answer(405, "", "", "Allow", "GET"), outside.FaultRefused, "405", false, 0, false},
		"other HTTP version": {answer(505, "", ""), outside.FaultRefused, "505", false, 0, false},
		"bad gateway":        {answer(502, "", ""), outside.FaultUnknown, "502", true, 0, false},
		"gateway timeout":    {answer(504, "", ""), outside.FaultUnknown, "504", true, 0, false},
		"full":               {answer(507, "", ""), outside.FaultUnknown, "507", true, 0, false},
		"broken":             {answer(500, "text/plain", "stack trace"), outside.FaultUnknown, "500 Internal Server Error", true, 0, false},
		"down for a while":   {answer(503, "", "", "Retry-After", "120"), outside.FaultUnknown, "503", true, 2 * time.Minute, false},
		"a foreign redirect": {answer(302, "", "", "Location", "http://169.254.169.254/latest/meta-data"), outside.FaultUnknown, "redirect, which is not followed", false, 0, false},
		"an own redirect":    {answer(307, "", "", "Location", "/other"), outside.FaultUnknown, "redirect, which is not followed", false, 0, false},
		"an odd status":      {answer(299, "text/plain", "odd"), fine, "odd", false, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := call(t, dialed(t, served(t, c.handle)), command("POST", "/"), "{}")
			if c.fault == fine {
				if err != nil || !strings.Contains(r.Text, c.says) || r.Failed != c.failed {
					t.Errorf("%+v %v", r, err)
				}
				return
			}
			e, ok := err.(*outside.Error)
			if !ok || e.Fault != c.fault || !strings.Contains(e.Message, c.says) || e.Temporary != c.again || e.RetryAfter != c.after {
				t.Fatalf("%#v", err)
			}
			for _, words := range []string{"ignore", "secret", "stack", "169.254"} {
				if strings.Contains(e.Message, words) {
					t.Errorf("the error says what the server wrote: %s", e.Message)
				}
			}
		})
	}
}

// TestServersThatDoNotEnd: slow, long and interrupted responses end in time, and the outcome
// of the call is reported.
func TestServersThatDoNotEnd(t *testing.T) {
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		says   string
	}{
		"hangs":             {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not answer in time"},
		"hangs in its body": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200); flush(w); <-r.Context().Done() }, "was not complete in time"},
		"a byte now and then": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				flush(w)
				<-time.After(20 * time.Millisecond)
			}
		}, "was not complete in time"},
		"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
			flush(w)
			panic(http.ErrAbortHandler)
		}, "broke off"},
		"hangs up": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		}, "did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := dialed(t, served(t, c.handle)).Call(ctx, connectors.Call{Definition: command("POST", "/")})
			if outside.FaultOf(err) != outside.FaultUnknown || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestALongAnswerIsCut(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"a":"`))
		for block := []byte(strings.Repeat("é", 8<<10)); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	for _, pointer := range []string{"", "/a"} {
		c := dialed(t, served(t, endless), `,"max_result_bytes":2001`)
		r, err := call(t, c, command("GET", "/", func(c *outside.ConnectorCommand) { c.Result = pointer }), "{}")
		if err != nil || !r.Cut || len(r.Text) > 2100 || !strings.HasSuffix(r.Text, "é\n[Cut here: the answer is longer than 2001 bytes.]") || r.JSON != nil {
			t.Errorf("%q: %v, %d bytes, %.100s", pointer, err, len(r.Text), r.Text)
		}
	}
}

// TestNothingLeft: where no connection comes about, nothing happened outside.
func TestNothingLeft(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	plain := served(t, func(http.ResponseWriter, *http.Request) {})
	for base, says := range map[string]string{
		"http://" + closed.Addr().String():         "connection refused",
		"http://none.invalid":                      "no such host",
		strings.Replace(plain, "http", "https", 1): "Nothing was sent",
	} {
		_, err := call(t, dialed(t, base), command("POST", "/"), "{}")
		if outside.FaultOf(err) != outside.FaultNotSent || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", base, err)
		}
	}
	strict := egress.NewClient(egress.Config{})
	c, err := open(t.Context(), connectors.Opening{Connector: &outside.Connector{Name: "Shop", Config: json.RawMessage(fmt.Sprintf(`{"base_url":%q}`, plain))}, Client: strict})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, c, command("POST", "/"), "{}"); outside.FaultOf(err) != outside.FaultNotSent || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("a forbidden address: %v", err)
	}
}

// TestSentOnce: a server that takes the request and hangs up gets it once, also over a
// connection that was used before, whatever the method.
func TestSentOnce(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "GET"} {
		var hits atomic.Int32
		url := served(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/warm" {
				return
			}
			hits.Add(1)
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		})
		c := dialed(t, url)
		if _, err := call(t, c, command("POST", "/warm"), "{}"); err != nil {
			t.Fatal(err)
		}
		_, err := call(t, c, command(method, "/do"), "{}")
		if outside.FaultOf(err) != outside.FaultUnknown || err == nil || hits.Load() != 1 {
			t.Errorf("%s: sent %d times, %v", method, hits.Load(), err)
		}
	}
}

func TestAProbe(t *testing.T) {
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != "GET" || r.Header.Get("Idempotency-Key") != "":
			w.WriteHeader(500)
		case r.URL.Path == "/gone":
			w.WriteHeader(404)
		case r.URL.Path == "/odd":
			_, _ = w.Write([]byte("{"))
		default:
			_, _ = fmt.Fprintf(w, `{"data":[{"key":"other"},{"key":%q,"n":1.0,"more":true}]}`, r.URL.Query().Get("key"))
		}
	})
	ask := func(path, expect string) (bool, error) {
		done, _, err := dialed(t, url).Probe(t.Context(), connectors.Call{
			Call: outside.Call{ExecutionID: "exe_1", Params: json.RawMessage(`{"id":"a"}`)},
			Definition: command("POST", "/", func(c *outside.ConnectorCommand) {
				c.Probe = &outside.CommandProbe{Path: path, Expect: json.RawMessage(expect)}
			}),
		})
		return done, err
	}
	for _, c := range []struct {
		path, expect string
		done, fails  bool
	}{
		{"/list/{id}?key={execution_id}", `{"data":[{"key":"{execution_id}","n":1}]}`, true, false},
		{"/list/{id}?key={execution_id}", `{"data":[{"key":"{execution_id}","n":2}]}`, false, false},
		{"/list?key=x", `{"data":[{"key":"{execution_id}"}]}`, false, false},
		{"/gone", `{}`, false, false}, {"/odd", `{}`, false, true}, {"/list/{none}", `{}`, false, true},
	} {
		done, err := ask(c.path, c.expect)
		if done != c.done || (err != nil) != c.fails {
			t.Errorf("%s %s: %v %v", c.path, c.expect, done, err)
		}
	}
	if _, _, err := dialed(t, url).Probe(t.Context(), connectors.Call{Definition: command("POST", "/")}); err != outside.ErrNoProbe {
		t.Errorf("without one: %v", err)
	}
}
