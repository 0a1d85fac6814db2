package egress

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A body that stays open costs a moment, not the deadline of its request.
func TestDiscard(t *testing.T) {
	for name, body := range map[string]string{"nothing": "", "a little": "it is noted", "more than is read": strings.Repeat("x", 64<<10)} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, body)
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
				case <-release:
				}
			}))
			defer server.Close()
			defer close(release)
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			response, err := client.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() { defer close(done); Discard(response.Body) }()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Fatal("it waits for the end of the body")
			}
		})
	}
}

// A short answer that ends leaves its connection to the next request.
func TestDiscardKeepsTheConnection(t *testing.T) {
	var from []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.RemoteAddr)
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "it is noted")
	}))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range 2 {
		response, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		Discard(response.Body)
	}
	if len(from) != 2 || from[0] != from[1] {
		t.Errorf("two connections: %q", from)
	}
}
