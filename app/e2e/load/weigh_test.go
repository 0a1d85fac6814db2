package load

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// configureFake makes the fake model the default provider.
func (s *server) configureFake(llm string) {
	s.T.Helper()
	s.Call("POST", "/v1/providers", map[string]any{
		"name": "Fake", "kind": "openai_compatible", "is_default": true,
		"config": map[string]any{"base_url": llm, "model": "m"},
	}).Want(201)
}

func newBare(b *testing.B, mux http.Handler) string {
	b.Helper()
	server := httptest.NewServer(mux)
	b.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// weigh opens n raw connections and gives the memory that each added.
func weigh(b *testing.B, target string, n int) float64 {
	b.Helper()
	u, err := url.Parse(target)
	harness.Must(b, err)
	before := inUse()
	conns := make([]net.Conn, 0, n)
	for range n {
		c, err := net.Dial("tcp", u.Host)
		harness.Must(b, err)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", u.RequestURI(), u.Host)
		conns = append(conns, c)
		if len(conns)%100 > 0 && len(conns) < n {
			continue // a hundred at a time: those of one key take turns, and wait for ten seconds at most
		}
		for _, c := range conns[(len(conns)-1)/100*100:] {
			// A stream that was refused weighs nothing.
			if status, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil || !strings.Contains(status, " 200 ") {
				b.Fatal(status, err)
			}
		}
	}
	time.Sleep(time.Second)
	after := inUse()
	for _, c := range conns {
		c.Close()
	}
	time.Sleep(500 * time.Millisecond)
	return (after - before) / float64(n)
}

func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse + m.StackInuse)
}
