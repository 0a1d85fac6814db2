package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/schema"
)

// Secrets go to one server, or to one program; what cannot be used is refused with its place.
func TestConfig(t *testing.T) {
	for config, want := range map[string]string{
		`{"url":"https://MCP.example.com/mcp?x=1"}`:                   "https://mcp.example.com:443",
		`{"url":"http://127.0.0.1:8000/mcp","headers":{"X-Key":"k"}}`: "http://127.0.0.1:8000",
		`{"url":"https://a.example","auth":"bearer","token":"t"}`:     "https://a.example:443",
		`{"command":"npx","args":["-y","x"],"env":{"KEY":"k"}}`:       "program:npx",
		`{}`: "/config",
		`{"url":"https://a.example","command":"npx"}`:                   "/config",
		`{"url":"https://a.example","args":["x"]}`:                      "/config",
		`{"command":"npx","headers":{"X-Key":"k"}}`:                     "/config",
		`{"url":"ftp://a.example"}`:                                     "/config/url",
		`{"url":"https://user:pass@a.example"}`:                         "/config/url",
		`{"url":"https://a.example/#x"}`:                                "/config/url",
		`{"url":"https://a.example","auth":"bearer"}`:                   "/config/token",
		`{"url":"https://a.example","token":"t"}`:                       "/config/token",
		`{"url":"https://a.example","headers":{"mcp-session-id":"x"}}`:  "/config/headers",
		`{"url":"https://a.example","headers":{"no name":"x"}}`:         "/config/headers",
		`{"url":"https://a.example","headers":{"Idempotency-Key":"x"}}`: "/config/headers",
	} {
		got, err := Origin(json.RawMessage(config))
		if refused, ok := errors.AsType[*domain.Error](err); ok {
			got = refused.Fields[0].Pointer
		}
		if got != want {
			t.Errorf("%s: %q %v, want %q", config, got, err, want)
		}
	}
}

// The schema takes what a person may enter, and nothing else.
func TestConfigSchema(t *testing.T) {
	compiled := &schema.Cache{}
	if err := compiled.Compile(configSchema); err != nil {
		t.Fatal(err)
	}
}

// A token that a person entered is sent as one; a program is started only where that is allowed.
func TestKindOpens(t *testing.T) {
	s := newRawServer(t, false)
	allowed := false
	kind := Kind(KindOptions{Version: "1.2.3", AllowStdio: func(context.Context) bool { return allowed }})
	opened := func(config string) (connectors.Connection, error) {
		client := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(client.CloseIdleConnections)
		return kind.Open(t.Context(), connectors.Opening{Client: client, Connector: &outside.Connector{Config: json.RawMessage(config)}})
	}
	c, err := opened(`{"url":"` + s.URL + `","auth":"bearer","token":"secret","headers":{"X-Key":"k"}}`)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call := connectors.Call{Definition: doIt(""), Call: outside.Call{ExecutionID: "exe_7", TraceParent: "00-1-2-01", Params: json.RawMessage(`{"a":1}`)}}
	if r, err := c.Call(t.Context(), call); err != nil || r.Text != "done" {
		t.Fatalf("%+v %v", r, err)
	}
	m, h := s.last(t, "tools/call")
	for name, want := range map[string]string{
		"Authorization": "Bearer secret", "X-Key": "k", "Idempotency-Key": "exe_7", "Traceparent": "00-1-2-01", "User-Agent": "fermata/1.2.3",
		"Mcp-Method": "tools/call", "Mcp-Name": "do", "Mcp-Protocol-Version": "2026-07-28",
	} {
		if h.Get(name) != want {
			t.Errorf("%s is %q", name, h.Get(name))
		}
	}
	if p := string(m.Params); !strings.Contains(p, `"arguments":{"a":1}`) || !strings.Contains(p, `"traceparent":"00-1-2-01"`) {
		t.Errorf("sent %s", p)
	}
	if _, err := opened(`{"command":"true"}`); outside.FaultOf(err) != outside.FaultNotSent {
		t.Errorf("a program: %v", err)
	}
	allowed = true
	if c, err := opened(`{"command":"true"}`); err != nil || c.Close() != nil {
		t.Errorf("a program that is allowed: %v", err)
	}
}
