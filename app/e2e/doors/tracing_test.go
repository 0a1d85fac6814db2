package doors

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/traces"
)

// spans is a collector of traces, as others write them: it reads the protocol's own messages.
type spans struct {
	*httptest.Server
	t    *testing.T
	mu   sync.Mutex
	all  []*wire.Span
	key  string
	down bool
}

func newSpans(t *testing.T) *spans {
	c := &spans{t: t}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *spans) take(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	c.key = r.Header.Get("X-Team")
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	var batch collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(text, &batch)
	}
	if err != nil {
		c.t.Errorf("a batch that no collector reads: %v", err)
	}
	for _, resource := range batch.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.all = append(c.all, scope.GetSpans()...)
		}
	}
}

// named are the spans of that name.
func (c *spans) named(name string) (out []*wire.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all {
		if s.GetName() == name {
			out = append(out, s)
		}
	}
	return out
}

func (c *spans) one(name string) *wire.Span {
	c.t.Helper()
	testkit.Until(c.t, "the span "+name, func() bool { return len(c.named(name)) > 0 })
	found := c.named(name)
	if len(found) != 1 {
		c.t.Fatalf("%d spans %q", len(found), name)
	}
	return found[0]
}

func attributeOf(s *wire.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// TestARoundIsATrace: a round that reads, asks a person and acts outside is one trace with a span
// for each call and each execution; the approval is a trace of its own, linked with it; what
// went out carries the same ids. A collector that is gone changes nothing.
func TestARoundIsATrace(t *testing.T) {
	c := newSpans(t)
	shop := newShop(t)
	s := harness.NewServer(t, harness.Databases["sqlite"](t), func(config *app.Config) {
		config.OTLPEndpoint, config.OTLPHeaders = c.URL, []string{"x-team=us%20two"}
		config.AllowedHosts = []string{"127.0.0.1"}
	})
	s.Scripted(`[
		{"when": {"contains": "order", "roundtrip": 1}, "answer": {"text": "I order it.", "calls": [{"name": "SHOP_ORDER", "arguments": {"item": "tea", "count": 2}}]}},
		{"when": {"result": "A-17"}, "answer": {"text": "It is order A-17."}}]`)
	s.Call("POST", "/v1/connectors", shop.connector()).Want(201)
	chat := s.Chat()
	const given = "4bf92f3577b34da6a3ce929d0e0e4736"
	s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "Please order tea."},
		"Traceparent", "00-"+given+"-00f067aa0ba902b7-01").Want(202)
	s.Settle(chat)
	card := s.Card()
	s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": true}).Want(200)
	s.Settle(chat)

	round := c.one("invoke_agent")
	if got := hex.EncodeToString(round.GetTraceId()); got != given {
		t.Errorf("the round is in the trace %s", got)
	}
	if attributeOf(round, "gen_ai.conversation.id") != chat || len(round.GetParentSpanId()) != 0 {
		t.Errorf("the round is %v", round)
	}
	tool := c.one("execute_tool SHOP.ORDER")
	testkit.Until(t, "two calls", func() bool { return len(c.named("chat script")) == 2 })
	for _, child := range append(c.named("chat script"), tool) {
		if !slices.Equal(child.GetTraceId(), round.GetTraceId()) || !slices.Equal(child.GetParentSpanId(), round.GetSpanId()) {
			t.Errorf("%s is not in its round", child.GetName())
		}
		if child.GetEndTimeUnixNano() < child.GetStartTimeUnixNano() || child.GetStartTimeUnixNano()+1e6 < round.GetStartTimeUnixNano() {
			t.Errorf("%s has times of its own: %d to %d", child.GetName(), child.GetStartTimeUnixNano(), child.GetEndTimeUnixNano())
		}
		for _, a := range child.GetAttributes() {
			if text := a.GetValue().GetStringValue(); strings.Contains(text, "tea") || strings.Contains(text, "A-17") {
				t.Errorf("%s carries content: %s", child.GetName(), a)
			}
		}
	}
	if attributeOf(tool, "gen_ai.tool.name") != "SHOP.ORDER" || attributeOf(tool, "gen_ai.operation.name") != "execute_tool" {
		t.Errorf("the command is %v", tool.GetAttributes())
	}
	sent := shop.taken()
	if len(sent) != 1 || sent[0].trace != traces.Parent(given, hex.EncodeToString(tool.GetSpanId())) {
		t.Errorf("the shop received %v, the span is %x", sent, tool.GetSpanId())
	}
	approval := c.one("approval actions")
	if slices.Equal(approval.GetTraceId(), round.GetTraceId()) || len(approval.GetLinks()) != 1 ||
		!slices.Equal(approval.GetLinks()[0].GetSpanId(), round.GetSpanId()) {
		t.Errorf("the approval is %v", approval)
	}
	c.mu.Lock()
	if c.key != "us two" {
		t.Errorf("the collector was shown %q", c.key)
	}
	c.down = true
	c.mu.Unlock()
	other := s.Chat()
	s.Say(other, "Please order tea.")
	s.Settle(other)
	s.Card()
	s.Sound()
}

// TestATraceWithContent: what commands were given is in it only where that is wanted.
func TestATraceWithContent(t *testing.T) {
	c := newSpans(t)
	s := harness.NewServer(t, harness.Databases["sqlite"](t), func(config *app.Config) {
		config.OTLPEndpoint, config.TracesContent = c.URL, true
	})
	chat := s.Chat()
	s.Say(chat, "list my zones")
	s.Settle(chat)
	s.Stop() // what waits is sent
	if got := len(c.named("invoke_agent")); got != 1 {
		t.Errorf("%d rounds", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range c.all {
		if strings.HasPrefix(span.GetName(), "execute_tool") {
			if attributeOf(span, "gen_ai.tool.call.arguments") == "" {
				t.Errorf("%s has no arguments", span.GetName())
			}
			return
		}
	}
	t.Error("no command was traced")
}
