package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// provider calls one configured model.
type provider struct {
	config *config
	secret string
	// post is the SDK's client. Its type stays out of here: a provider is kept behind an
	// interface, and the linker keeps every method of every type that can be seen there.
	post    func(ctx context.Context, path string, params, result any, options ...option.RequestOption) error
	encoder encoder
	prefix  providers.Prefix
}

func newProvider(raw json.RawMessage, secret string, client *http.Client) (*provider, error) {
	c, base, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := c.NeedsModel(); err != nil {
		return nil, err
	}
	vendor := newClient(base.String(), secret, client)
	return &provider{
		config: c, secret: secret, post: vendor.Post, encoder: newEncoder(base.Host),
	}, nil
}

// newClient makes the SDK's client: nothing of it comes from the server's environment,
// and what to do after a failure is the server's to decide.
func newClient(base, secret string, client *http.Client) sdk.Client {
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(base), option.WithHTTPClient(client),
		option.WithMaxRetries(0), option.WithHeader("User-Agent", "fermata"),
		option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			response, err := next(r)
			if err != nil || response.StatusCode == http.StatusOK {
				return response, err
			}
			// The SDK would read the whole body, however long.
			defer func() { _ = response.Body.Close() }() // what it said is known
			return nil, providers.ReadFailure(response, secret, clock.System())
		}),
	}
	if secret != "" {
		options = append(options, option.WithAPIKey(secret))
	}
	return sdk.NewClient(options...)
}

// Abilities combines the API's abilities with the config. Structured output is not used, since the
// API supports it only for closed objects, and command parameters are open.
func (p *provider) Abilities() providers.Abilities {
	a := p.config.Abilities()
	a.AlwaysStreams = true
	a.Sees = p.config.SeesBy(sees)
	return a
}

// Query makes one call.
func (p *provider) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	watch := providers.NewWatch(ctx, p.config.Timeouts, true)
	defer watch.Stop()
	response, err := p.send(watch.Ctx, p.body(request))
	if err != nil {
		return nil, providers.TransportError(watch.Ctx, err, p.secret)
	}
	defer func() { _ = response.Body.Close() }() // the answer, or its lack, is known by then
	a := &answer{host: p.encoder.host, secret: p.secret, onDelta: request.OnDelta, watch: watch}
	if err := a.read(response, watch.Reader(response.Body)); err != nil {
		return nil, p.readError(watch.Ctx, err, response)
	}
	raw, err := a.raw(request.Prompt.Protocol, request.NewID)
	if err != nil {
		return nil, p.readError(watch.Ctx, err, response)
	}
	if raw.Model == "" {
		raw.Model = p.config.ModelFor(request)
	}
	watch.Drain(response.Body)
	return &providers.Answer{Raw: raw, Usage: a.usage.domain(), FirstTokenAt: a.first}, nil
}

// send sends the request and waits for the response headers.
func (p *provider) send(ctx context.Context, b *providers.Body) (*http.Response, error) {
	var response *http.Response
	err := p.post(ctx, "v1/messages", b.Reader(), &response,
		option.WithHeader("Content-Type", "application/json"), option.WithHeader("Accept", "text/event-stream"),
		option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			r.ContentLength = b.Length
			r.GetBody = func() (io.ReadCloser, error) { return b.Reader(), nil }
			return next(r)
		}))
	return response, err
}

// readError classifies an error while reading a response.
func (p *provider) readError(ctx context.Context, err error, response *http.Response) error {
	e, typed := errors.AsType[*providers.Error](err)
	switch {
	case typed:
	case errors.Is(err, errTooLarge):
		e = providers.Errorf(
			providers.ClassInvalidRequest,
			"answer too large: more than %d MiB, a line of more than 1 MiB, or more than %d calls",
			maxAnswer>>20,
			maxCalls,
		)
	case ctx.Err() == nil:
		e = brokeOff()
		e.Err = err
	default:
		return providers.TransportError(ctx, err, p.secret)
	}
	e.RequestID = providers.RequestID(response.Header)
	e.RetryAfter = max(e.RetryAfter, providers.RetryAfter(response.Header, clock.System()))
	return e
}

func brokeOff() *providers.Error {
	return providers.Errorf(providers.ClassNetwork, "the answer broke off before its end")
}
