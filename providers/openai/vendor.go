package openai

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// vendor sends requests through the official SDK, whose client it takes from the
// smallest package that has one: the package with the chat-completions service links
// every resource of the SDK and adds 20 MB to the server. Which call it is, and its
// body, are set where the SDK hands the request over (delivery).
//
// The service is made without the SDK's own client type on purpose: that one reads
// OPENAI_… variables and would send an organisation's headers to any base URL.
type vendor struct {
	// call hides the SDK's types: a provider is kept behind an interface, and the linker
	// keeps every method of every type that can be seen there.
	call   func(ctx context.Context, d *delivery) (*http.Response, error)
	client *http.Client
	base   *url.URL
	secret string
}

func newVendor(base *url.URL, secret string, client *http.Client) vendor {
	service := responses.NewResponseService(
		option.WithBaseURL(base.String()+"/"), option.WithAPIKey(secret), option.WithMaxRetries(0), // the server decides on retries
		option.WithHeader("User-Agent", "fermata"),
	)
	call := func(ctx context.Context, d *delivery) (*http.Response, error) {
		var response *http.Response
		_, err := service.New(ctx, responses.ResponseNewParams{}, option.WithHTTPClient(d), option.WithResponseBodyInto(&response))
		return response, err
	}
	return vendor{call: call, client: client, base: base, secret: secret}
}

// send makes a request and waits for the head of its response, which is a 200.
func (v vendor) send(ctx context.Context, method, path string, b *providers.Body) (*http.Response, error) {
	to := v.base.JoinPath("/").JoinPath(path) // joined to a bare host at once, it would lack its first slash
	response, err := v.call(ctx, &delivery{vendor: v, method: method, url: to, body: b})
	if err != nil {
		return nil, providers.TransportError(ctx, err, v.secret)
	}
	return response, nil
}

// delivery is one request on its way from the SDK to the network.
type delivery struct {
	vendor
	method string
	url    *url.URL
	body   *providers.Body // nil: none
}

// Do sends the SDK's request with our own bytes, in one piece, and reads failures
// itself: the SDK loses the status of those whose body is not as OpenAI's.
func (d *delivery) Do(request *http.Request) (*http.Response, error) {
	request.Method, request.URL = d.method, d.url
	for name := range request.Header {
		if strings.HasPrefix(name, "X-Stainless-") { // do not reveal the operating system
			request.Header.Del(name)
		}
	}
	request.Body, request.GetBody, request.ContentLength = http.NoBody, nil, 0
	if d.body != nil {
		request.Body, request.ContentLength = d.body.Reader(), d.body.Length
		request.GetBody = func() (io.ReadCloser, error) { return d.body.Reader(), nil }
	} else {
		request.Header.Del("Content-Type")
	}
	response, err := d.client.Do(request) //nolint:gosec // where it may go is the client's to check
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer func() { _ = response.Body.Close() }() // what it says is read
		return nil, providers.ReadFailure(response, d.secret, clock.System())
	}
	return response, nil
}
