package httpcommand

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Call sends the request of a command, once.
func (a *api) Call(ctx context.Context, call connectors.Call) (outside.Result, error) {
	request, err := a.request(ctx, call)
	if err != nil {
		return outside.Result{}, unsendable(err)
	}
	got, err := a.send(request, a.limit(call.Definition.Result))
	if err != nil {
		return outside.Result{}, err
	}
	return a.result(got, call.Definition.Result)
}

// limit bounds the response that is read. With a pointer more is read, to find its target.
func (a *api) limit(pointer string) int64 {
	if pointer != "" {
		return maxParsed
	}
	return a.config.MaxResultBytes
}

// maxParsed bounds a response that a pointer is applied to, in bytes.
const maxParsed = 4 << 20

// request builds the request from the command's templates.
func (a *api) request(ctx context.Context, call connectors.Call) (*http.Request, error) {
	p, err := readParams(call.Params)
	if err != nil {
		return nil, err
	}
	r := call.Definition.Request
	path, err := p.path(r.Path)
	if err != nil {
		return nil, err
	}
	query, err := p.query(r.Query)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, template := range r.Headers {
		value, whole, err := p.header(name, template)
		if err != nil {
			return nil, err
		}
		if whole {
			header.Set(name, value)
		}
	}
	body, err := a.body(p, r, query)
	if err != nil {
		return nil, err
	}
	return a.made(ctx, call, r.Method, path, query, header, body)
}

// body returns the request body, or nil.
func (a *api) body(p *params, r *outside.CommandRequest, query url.Values) ([]byte, error) {
	if len(r.Body) > 0 {
		template, err := jsonbody.Value(r.Body)
		if err != nil {
			return nil, err
		}
		value, _, err := p.body(template)
		if err != nil {
			return nil, err
		}
		return jsonbody.Encode(value), nil
	}
	rest := p.rest()
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		for name, value := range rest {
			if err := addQuery(query, name, value); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case http.MethodDelete:
		if len(rest) == 0 {
			return nil, nil
		}
	}
	return jsonbody.Encode(rest), nil
}

// made builds the HTTP request.
func (a *api) made(ctx context.Context, call connectors.Call, method, path string, query url.Values, header http.Header, body []byte) (
	*http.Request, error,
) {
	address := strings.TrimSuffix(a.base.String(), "/") + path
	to, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	to.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body == nil {
		request.Body, request.GetBody, request.ContentLength = nil, nil, 0
	} else {
		header.Set("Content-Type", "application/json")
	}
	if header.Get("Accept") == "" {
		header.Set("Accept", "application/json, text/plain;q=0.8, */*;q=0.5")
	}
	for name, value := range a.config.Headers {
		header.Set(name, value)
	}
	if call.TraceParent != "" {
		header.Set("Traceparent", call.TraceParent)
	}
	if call.ExecutionID != "" {
		// The lower-case spelling hides the header from net/http, which would otherwise consider
		// the request idempotent and resend it when a reused connection breaks.
		header[idempotencyKey] = []string{call.ExecutionID}
	}
	request.Header = header
	if call.Definition.Effect != domain.EffectRead && (method == http.MethodGet || method == http.MethodHead) {
		// For the same reason: requests without a body are resent unless the body cannot be
		// rewound.
		request.Body = io.NopCloser(strings.NewReader(""))
	}
	return request, nil
}

// idempotencyKey is the header name in lower case, which servers treat like any other.
const idempotencyKey = "idempotency-key"

// send sends the request and reads the response, up to a limit.
func (a *api) send(request *http.Request, limit int64) (answer, error) {
	var left atomic.Bool
	// A request with incomplete headers cannot be acted on, even if some bytes were sent.
	trace := &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), trace))
	response, err := a.client.Do(request)
	if err != nil {
		return answer{}, Unanswered(a.name, err, left.Load())
	}
	defer func() { _ = response.Body.Close() }() // the rest is not needed
	text, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if int64(len(text)) > limit {
		return answer{response.StatusCode, response.Header, text[:limit], true}, nil
	}
	if err != nil {
		return answer{}, brokeOff(a.name, response.StatusCode, err)
	}
	return answer{response.StatusCode, response.Header, text, false}, nil
}

// answer is a response, up to the limit.
type answer struct {
	status int
	header http.Header
	text   []byte
	cut    bool
}
