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

// ConnectTimeout is the most that a connection may take to be made.
const ConnectTimeout = 10 * time.Second

// Config is what requests out are made with.
type Config struct {
	Policy Policy
	// Hosts says where requests in a workspace's name may go. nil: anywhere that Policy lets.
	Hosts func(ctx context.Context, workspace string) (Hosts, error)
	// Fresh: each request has a connection of its own. For what is sent once and may not be sent
	// again, and seldom: a kept connection that the other side closes meanwhile would lose it.
	Fresh bool
	// Failed, if set, is told of each request that got no answer, for the operator's log:
	// err names addresses and resolvers, which no caller may see.
	Failed func(ctx context.Context, origin string, reason Reason, err error)
}

// NewClient makes the client for every request out.
//
// Addresses are checked when a connection is made, after the name was resolved, so that
// a name that changes its address does not get around the check. No redirect is
// followed: the conversation and the key are for the host that was configured. No proxy
// from the environment is used: it would make the connection in our place, unchecked.
func NewClient(config Config) *http.Client {
	return &http.Client{
		Transport: &transport{config: config, public: pool(config, false), private: pool(config, true)},
		// The transport answers redirects itself; this is for whoever wraps it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return &MovedError{} },
	}
}

// Wrap puts something in front of a client's transport; what it checks stays. Without
// one it is the strictest.
func Wrap(client *http.Client, with func(http.RoundTripper) http.RoundTripper) *http.Client {
	if client == nil || client.Transport == nil {
		client = NewClient(Config{})
	}
	wrapped := *client
	wrapped.Transport = with(client.Transport)
	return &wrapped
}

// transport keeps connections that were made while private networks were open apart
// from all others: none of them is used once they are closed.
type transport struct {
	config          Config
	public, private *http.Transport
	opened          atomic.Bool
}

// RoundTrip sends one request, and takes no answer that leads elsewhere.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = traced(request)
	var response *http.Response
	err := t.named(request)
	if err == nil {
		response, err = t.pool(request.Context()).RoundTrip(request)
	}
	if err == nil && leadsElsewhere(response) {
		err = moved(response)
		_ = response.Body.Close() // nothing of it is read
	}
	if err != nil {
		if t.config.Failed != nil && request.Context().Err() == nil {
			t.config.Failed(request.Context(), Origin(request.URL), cmp.Or(ReasonOf(err), ReasonBrokeOff), err)
		}
		return nil, err
	}
	return response, nil
}

// traced names the trace that a request is made for, if it does not do so itself.
func traced(request *http.Request) *http.Request {
	parent := traces.ParentOf(request.Context())
	if parent == "" || request.Header.Get(traces.Header) != "" {
		return request
	}
	own := request.WithContext(request.Context()) // a request belongs to who makes it
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

// CloseIdleConnections is what http.Client asks for.
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
		// Hundreds of sessions may call one model at once; two kept connections
		// for each host (the default) would mean a handshake for almost each call.
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    256,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		// A request with its commands is some 15 KiB: it leaves in one piece, without a
		// buffer made for the rest of it.
		WriteBufferSize: 16 << 10,
		// Streams must not be held back by a decompressor, nor an answer's size
		// grow behind our limits.
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

// moved names the origin only: the rest of the address may hold anything.
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
