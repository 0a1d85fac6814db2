package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/internal/traces"
)

// A connection that was made while private networks were open is not used once they are
// closed, although it was kept.
func TestPrivateNetworksCloseAtOnce(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	var open atomic.Bool
	client := NewClient(Config{Policy: Policy{Private: func(context.Context) bool { return open.Load() }}})
	defer client.CloseIdleConnections()
	for i, is := range []bool{false, true, true, false, false} {
		open.Store(is)
		if err := get(t, client, server.URL); (err == nil) != is {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d requests came", asked.Load())
	}
}

// The operator sees details of a failure that clients do not.
func TestFailuresAreReportedToTheOperator(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	var reported []string
	client := NewClient(Config{Policy: Policy{Private: Open}, Failed: func(_ context.Context, origin string, reason Reason, err error) {
		reported = append(reported, origin+" "+string(reason)+" "+err.Error())
	}})
	if err := get(t, client, "http://user:pass@"+closed+"/secret?key=1"); ReasonOf(err) != ReasonRefused {
		t.Errorf("%v is %q", err, ReasonOf(err))
	}
	if len(reported) != 1 || !strings.HasPrefix(reported[0], "http://"+closed+" connection refused dial tcp "+closed) || strings.Contains(reported[0], "secret") || strings.Contains(reported[0], "pass") {
		t.Errorf("reported %q", reported)
	}
}

// Of an address in a redirect only the origin is reported.
func TestMoved(t *testing.T) {
	for location, want := range map[string]string{
		"https://user:pass@Other.example/path?key=1#f": "moved to https://other.example:443",
		"//other.example:8080/path":                    "moved to http://other.example:8080",
		"/path":                                        "moved to http://asked.example:80",
		"?x=\x7f":                                      "moved",
		"mailto:a@b.example":                           "moved",
		"http://[bad":                                  "moved",
	} {
		request, err := http.NewRequest(http.MethodPost, "http://asked.example/v1", nil)
		if err != nil {
			t.Fatal(err)
		}
		response := &http.Response{StatusCode: 307, Header: http.Header{"Location": {location}}, Request: request, Body: http.NoBody}
		if got := moved(response).Error(); !leadsElsewhere(response) || got != want {
			t.Errorf("%q: %q, want %q", location, got, want)
		}
		if e, ok := errors.AsType[*MovedError](moved(response)); !ok || e.Status != 307 {
			t.Errorf("%q: status %+v, want 307", location, e)
		}
	}
}

// Whatever goes wrong below has a reason that names no address.
func TestReasons(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11} // it is to be refused
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	banner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer banner.Close()
	go func() {
		for {
			c, err := banner.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "220 internal.mail.example ready\r\n")
			_ = c.Close()
		}
	}()
	client := NewClient(Config{Policy: Policy{Private: Open}})
	defer client.CloseIdleConnections()
	for url, want := range map[string]Reason{
		"http://169.254.169.254/latest":     ReasonForbidden,
		"http://127.0.0.1:25/":              ReasonForbidden,
		"http://name.invalid/":              ReasonNotFound,
		secure.URL:                          ReasonTLS,
		old.URL:                             ReasonTLS,
		"https://" + banner.Addr().String(): ReasonTLS,
		"http://" + banner.Addr().String():  ReasonBrokeOff,
	} {
		if got := ReasonOf(get(t, client, url)); got != want {
			t.Errorf("%s: %q, want %q (%v)", url, got, want, get(t, client, url))
		}
	}
	for _, err := range []error{context.DeadlineExceeded, &net.DNSError{IsTimeout: true}} {
		if ReasonOf(err) != ReasonTimeout {
			t.Errorf("%v is %q", err, ReasonOf(err))
		}
	}
	if ReasonOf(errors.New("an answer that is no JSON")) != ReasonNone {
		t.Error("what is no error of the network has a reason")
	}
}

// TestRequestsNameTheirTrace, unless they do so themselves; the request itself stays as it is.
func TestRequestsNameTheirTrace(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get(traces.Header))
	}))
	defer server.Close()
	client := NewClient(Config{Policy: Policy{Private: Open}})
	defer client.CloseIdleConnections()
	for _, own := range []string{"", "its own"} {
		for _, ctx := range []context.Context{t.Context(), traces.With(t.Context(), "given")} {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if own != "" {
				request.Header.Set(traces.Header, own)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if request.Header.Get(traces.Header) != own {
				t.Errorf("the request was changed: %v", request.Header)
			}
		}
	}
	if want := []string{"", "given", "its own", "its own"}; !slices.Equal(got, want) {
		t.Errorf("came with %q, want %q", got, want)
	}
}

// What may be sent once only never goes over a connection that the other side may be closing.
func TestFresh(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		from := map[string]bool{}
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { from[r.RemoteAddr] = true }))
		client := NewClient(Config{Policy: Policy{Private: Open}, Fresh: fresh})
		for range 3 {
			if err := get(t, client, server.URL); err != nil {
				t.Fatal(err)
			}
		}
		if want := map[bool]int{true: 3, false: 1}[fresh]; len(from) != want {
			t.Errorf("fresh %v: %d connections, want %d", fresh, len(from), want)
		}
		client.CloseIdleConnections()
		server.Close()
	}
}
