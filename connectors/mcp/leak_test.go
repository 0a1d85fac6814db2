package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// sdkServer is a server of the SDK's own; stateless, it speaks 2026-07-28.
func sdkServer(t *testing.T, stateless bool) *httptest.Server {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	type params struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "do"}, func(context.Context, *mcp.CallToolRequest, params) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless})
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// A thousand calls in each revision leave as many goroutines behind as one.
func TestManyCallsLeaveNoGoroutine(t *testing.T) {
	for name, stateless := range map[string]bool{"2025-11-25": false, "2026-07-28": true} {
		t.Run(name, func(t *testing.T) {
			c := open(t, Config{URL: sdkServer(t, stateless).URL})
			one := func() {
				if r, err := try(t.Context(), c, doIt(""), `{"text":"x"}`); err != nil || r.Text != "done" {
					t.Errorf("%+v %v (%v)", r, err, unwrap(err))
				}
			}
			const workers, calls = 10, 1_000
			warm := func(n int) {
				var group sync.WaitGroup
				for range workers {
					group.Go(func() {
						for range n / workers {
							one()
						}
					})
				}
				group.Wait()
			}
			warm(workers) // as many connections as there will be
			if s := c.current; s.legacy == stateless {
				t.Fatalf("it speaks the other revision")
			}
			before := runtime.NumGoroutine()
			warm(calls)
			testkit.Until(t, "no goroutine stayed", func() bool { return runtime.NumGoroutine() <= before+workers })
		})
	}
}

// Two hundred connections in each revision that are thrown away leave nothing at all.
func TestThrownAway(t *testing.T) {
	for name, stateless := range map[string]bool{"2025-11-25": false, "2026-07-28": true} {
		t.Run(name, func(t *testing.T) {
			server := sdkServer(t, stateless)
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			round := func() {
				c := Open(Config{URL: server.URL}, Options{Client: client})
				if _, err := try(t.Context(), c, doIt(""), `{"text":"x"}`); err != nil {
					t.Error(err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			round()
			before := runtime.NumGoroutine()
			for range 200 {
				round()
			}
			testkit.Until(t, "no goroutine stayed", func() bool { return runtime.NumGoroutine() <= before+4 })
		})
	}
}
