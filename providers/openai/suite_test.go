package openai_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/openai"
	"github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	suite.Run(t, fake.Compatible().Wire(openai.Compatible()))
}

// One connection serves call after call: after an answer, the rest of its response is
// read.
func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	vendor := fake.Compatible()
	server := httptest.NewUnstartedServer(vendor.Play(slices.Repeat([]suite.Reply{{Text: []string{"a", "b"}, StopReason: "stop"}}, 10)...))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := providers.NewClient(providers.OutboundPolicy{AllowPrivate: true})
	defer client.CloseIdleConnections()
	p := vendor.Wire(openai.Compatible()).New(t, server.URL, "sk-x", client)
	for i := range 10 {
		request := &providers.Request{Prompt: suite.Prompt(), NewID: ids.Counting()}
		if i%2 == 0 {
			request.OnDelta = func(providers.Delta) {}
		}
		if _, err := p.Query(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("ten calls took %d connections", n)
	}
}
