package gemini_test

import (
	"bytes"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/gemini"
	"github.com/fermata-dev/fermata/providers/gemini/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// The library writes to the standard log. Whatever the tests of this package do to
// it, nothing may come out there.
func TestMain(m *testing.M) {
	var written bytes.Buffer
	log.SetOutput(&written)
	code := m.Run()
	if written.Len() > 0 {
		fmt.Fprintf(os.Stderr, "the library wrote to the log:\n%s", written.String())
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func TestContract(t *testing.T) {
	suite.Run(t, fake.Gemini().Wire(gemini.Kind()))
}

// One connection serves call after call: after an answer, the rest of its response is
// read.
func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	vendor := fake.Gemini()
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
	p := vendor.Wire(gemini.Kind()).New(t, server.URL, "AIza-x", client)
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
