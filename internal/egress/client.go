package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/internal/traces"
)

// ConnectTimeout bounds the time to establish a connection.
const ConnectTimeout = 10 * time.Second

// Config configures the client.
type Config struct {
	Policy Policy
	// Hosts returns the hosts that a workspace's requests may reach. nil: all that Policy allows.
	Hosts func(ctx context.Context, workspace string) (Hosts, error)
	// Fresh opens a new connection for each request. It is for rare requests that must not be repeated:
	// a kept connection that the other side is closing would lose them.
	Fresh bool
	// Failed, if set, is called for each request without a response, for the operator's log: err contains
	// addresses and resolvers, which clients must not see.
	Failed func(ctx context.Context, origin string, reason Reason, err error)
}

// NewClient creates the client for outgoing requests.
//
// Addresses are checked when a connection is established, after the name was resolved, so that a name
// with changing addresses cannot bypass the check. Redirects are not followed: the content and the key
// are for the configured host only. Proxies from the environment are ignored: they would connect in our
// place, unchecked.
func NewClient(config Config) *http.Client {
	return &http.Client{
		Transport: &transport{config: config, public: pool(config, false), private: pool(config, true)},
		// The transport handles redirects itself; this is for wrapped clients.
		CheckRedirect: func(*http.Request, []*http.Request) error { return &MovedError{} },
	}
}

// Wrap adds a round tripper in front of a client's transport, whose checks remain. Without a transport it
// uses the strictest policy.
func Wrap(client *http.Client, with func(http.RoundTripper) http.RoundTripper) *http.Client {
	if client == nil || client.Transport == nil {
		client = NewClient(Config{})
	}
	wrapped := *client
	wrapped.Transport = with(client.Transport)
	return &wrapped
}

// transport separates connections established while private networks were open from all others: they are
// not used after that.
type transport struct {
	config          Config
	public, private *http.Transport
	opened          atomic.Bool
}

// RoundTrip sends one request and rejects redirects.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = traced(request)
	var response *http.Response
	err := t.named(request)
	if err == nil {
		response, err = t.pool(request.Context()).RoundTrip(request)
	}
	if err == nil && leadsElsewhere(response) {
		err = moved(response)
		_ = response.Body.Close() // the body is not read
	}
	if err != nil {
		if t.config.Failed != nil && request.Context().Err() == nil {
			t.config.Failed(request.Context(), Origin(request.URL), cmp.Or(ReasonOf(err), ReasonBrokeOff), err)
		}
		return nil, err
	}
	return response, nil
}

// traced adds the trace header, unless the request has one.
func traced(request *http.Request) *http.Request {
	parent := traces.ParentOf(request.Context())
	if parent == "" || request.Header.Get(traces.Header) != "" {
		return request
	}
	own := request.WithContext(request.Context()) // a request must not be modified by a round tripper
	if own.Header = request.Header.Clone(); own.Header == nil {
		own.Header = http.Header{}
	}
	own.Header.Set(traces.Header, parent)
	return own
}

func (t *transport) pool(ctx context.Context) *http.Transport {
	if private := t.config.Policy.Private; private != nil && private(ctx) {
		t.opened.Store(true)
		return t.private
	}
	if t.opened.CompareAndSwap(true, false) {
		t.private.CloseIdleConnections()
	}
	return t.public
}

// CloseIdleConnections is called by http.Client.
func (t *transport) CloseIdleConnections() {
	t.public.CloseIdleConnections()
	t.private.CloseIdleConnections()
}

func pool(config Config, private bool) *http.Transport {
	policy := config.Policy
	checked := &net.Dialer{Timeout: ConnectTimeout, KeepAlive: 30 * time.Second, ControlContext: policy.control(private)}
	named := &net.Dialer{Timeout: ConnectTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:             nil,
		DisableKeepAlives: config.Fresh,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if policy.allowsName(address) {
				return named.DialContext(ctx, network, address)
			}
			return checked.DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: ConnectTimeout,
		// Hundreds of sessions may call one model concurrently; two idle connections per host (the default)
		// would cause a handshake for almost every call.
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    256,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		// A request with its commands has about 15 KiB: it is written at once, without a second buffer.
		WriteBufferSize: 16 << 10,
		// A decompressor would delay streams, and let responses grow past our limits.
		DisableCompression: true,
	}
}

func leadsElsewhere(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return response.Header.Get("Location") != ""
	}
	return false
}

// moved contains the origin only: the rest of the address may contain anything.
func moved(response *http.Response) error {
	to, err := url.Parse(response.Header.Get("Location"))
	if err == nil {
		to = response.Request.URL.ResolveReference(to)
	}
	if err != nil || to.Hostname() == "" {
		return &MovedError{Status: response.StatusCode}
	}
	return &MovedError{Status: response.StatusCode, Origin: Origin(to)}
}
