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
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Call sends the request of a command, once.
func (a *api) Call(ctx context.Context, call connectors.Call) (domain.OutsideResult, error) {
	request, err := a.request(ctx, call)
	if err != nil {
		return domain.OutsideResult{}, unsendable(err)
	}
	got, err := a.send(request, a.limit(call.Definition.Result))
	if err != nil {
		return domain.OutsideResult{}, err
	}
	return a.result(got, call.Definition.Result)
}

// limit is how much of an answer is read. What a pointer is to be found in is read further.
func (a *api) limit(pointer string) int64 {
	if pointer != "" {
		return maxParsed
	}
	return a.config.MaxResultBytes
}

// maxParsed bounds an answer that a pointer leads into, in bytes.
const maxParsed = 4 << 20

// request fills the templates of a command.
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

// body is what is sent beside the address; nil is nothing.
func (a *api) body(p *params, r *domain.CommandRequest, query url.Values) ([]byte, error) {
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

// made is the request as it is sent.
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
		// In a spelling that net/http does not know: it would take the header as leave to send
		// the request again by itself, where a connection that was used before breaks off.
		header[idempotencyKey] = []string{call.ExecutionID}
	}
	request.Header = header
	if call.Definition.Effect != domain.EffectRead && (method == http.MethodGet || method == http.MethodHead) {
		// As above: it sends these again, unless they have a body that it cannot send twice.
		request.Body = io.NopCloser(strings.NewReader(""))
	}
	return request, nil
}

// idempotencyKey is the header in lower case, which servers read as any other.
const idempotencyKey = "idempotency-key"

// send makes the request and reads the answer, up to a limit.
func (a *api) send(request *http.Request, limit int64) (answer, error) {
	var left atomic.Bool
	// A request whose head was not written to its end is none: whatever of it left, nobody
	// can act on it.
	trace := &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), trace))
	response, err := a.client.Do(request)
	if err != nil {
		return answer{}, Unanswered(a.name, err, left.Load())
	}
	defer func() { _ = response.Body.Close() }() // what is not read is not wanted
	text, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if int64(len(text)) > limit {
		return answer{response.StatusCode, response.Header, text[:limit], true}, nil
	}
	if err != nil {
		return answer{}, brokeOff(a.name, response.StatusCode, err)
	}
	return answer{response.StatusCode, response.Header, text, false}, nil
}

// answer is an answer as far as it was read.
type answer struct {
	status int
	header http.Header
	text   []byte
	cut    bool
}
