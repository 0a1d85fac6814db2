package gemini

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/providers"
)

// call is the transport's state of a call. Only the goroutine of Query uses it.
type call struct {
	form form
	body *providers.Body // what comes before the library's parameters; nil: nothing
	// filled: the parameters are in body too.
	filled bool
	watch  *providers.Watch // nil: the context alone limits
	// why are the vendor's words about the end of the answer, which the library drops.
	why string
	// err is what went wrong below the library, which only saw a short answer.
	err error
}

type callKey struct{}

func (c *call) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

var errStray = errors.New("a request that no call made")

// transport wraps the HTTP client for the library.
type transport struct {
	next   http.RoundTripper
	base   *url.URL
	secret string
}

// newClient is the house client with the transport in front. What it checks stays.
func newClient(house *http.Client, base *url.URL, secret string) *http.Client {
	return egress.Wrap(house, func(next http.RoundTripper) http.RoundTripper {
		return &transport{next: next, base: base, secret: secret}
	})
}

const keyHeader = "X-Goog-Api-Key"

// RoundTrip sends the library's request with our body and key, and gives back only
// answers that the library reads well. Anything else is an error of ours.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	c, ok := request.Context().Value(callKey{}).(*call)
	if !ok {
		return nil, errStray
	}
	out := request.Clone(request.Context())
	out.Header.Del(keyHeader)
	// To the configured host only, whatever the library asks for.
	if t.secret != "" && request.URL.Host == t.base.Host && request.URL.Scheme == t.base.Scheme {
		out.Header.Set(keyHeader, t.secret)
	}
	if c.body != nil && request.Method == http.MethodPost {
		if err := c.fill(out, request.Body); err != nil {
			return nil, err
		}
	}
	response, err := t.next.RoundTrip(out)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		defer func() { _ = response.Body.Close() }() // the failure is known by then
		return nil, readFailure(response, t.secret)
	}
	response.Body = newWire(c, response.Body, t.secret)
	response.ContentLength = -1
	return response, nil
}

// fill makes the request's body: ours, then the library's parameters. When the request
// is sent again on another connection it is the same.
func (c *call) fill(out *http.Request, from io.ReadCloser) error {
	var params []byte
	if from != nil {
		var err error
		params, err = io.ReadAll(from)
		if err = errors.Join(err, from.Close()); err != nil {
			return fmt.Errorf("read the parameters: %w", err)
		}
	}
	if !c.filled {
		c.filled = true
		if params = bytes.TrimPrefix(bytes.TrimSpace(params), []byte("{")); len(params) > 1 {
			c.body.Add([]byte{','})
			c.body.Add(params)
		} else {
			c.body.Add([]byte{'}'})
		}
	}
	out.Body, out.ContentLength = c.body.Reader(), c.body.Length
	out.GetBody = func() (io.ReadCloser, error) { return c.body.Reader(), nil }
	return nil
}
