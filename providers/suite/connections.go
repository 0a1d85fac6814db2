package suite

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

// OneConnection checks that one connection serves call after call, watched or not: after
// an answer, the rest of its response is read.
func OneConnection(t *testing.T, vendor Fake, kind providers.Kind) {
	t.Helper()
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(vendor.Play(slices.Repeat([]Reply{{Text: []string{"a", "b"}, StopReason: "stop"}}, 10)...))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	defer client.CloseIdleConnections()
	p := vendor.Wire(kind).New(t, server.URL, "sk-x", client)
	for i := range 10 {
		request := &providers.Request{Prompt: Prompt(), NewID: repeatable.IDs()}
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
