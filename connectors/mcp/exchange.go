package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/internal/exactjson"
)

// exchange is one of our requests on the wire. It adds fields that the SDK does not support, and
// captures the raw result before the SDK decodes it (the SDK would drop task handles).
type exchange struct {
	extra map[string]json.RawMessage // merged into params
	meta  map[string]any             // merged into params._meta
	tool  *tool                      // the called tool: some of its params are repeated as headers
	// headers are sent over HTTP.
	headers http.Header
	// ask answers the server's requests during this exchange; nil: not supported.
	ask func(ctx context.Context, request *jsonrpc.Request) (json.RawMessage, error)

	left atomic.Bool // a byte of it may have been sent
	mu   sync.Mutex
	raw  json.RawMessage
}

type exchangeKey struct{}

func (e *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// exchangeOf never returns nil: the SDK's own requests get an empty exchange.
func exchangeOf(ctx context.Context) *exchange {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return e
	}
	return &exchange{}
}

func (e *exchange) result() json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.raw
}

// encode encodes the request with the additions.
func (e *exchange) encode(request *jsonrpc.Request) ([]byte, error) {
	if len(e.extra) > 0 {
		params := map[string]json.RawMessage{}
		if err := exactjson.Lenient(request.Params, &params); err != nil {
			return nil, err
		}
		maps.Copy(params, e.extra)
		joined, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		with := *request
		with.Params = joined
		request = &with
	}
	return jsonrpc.EncodeMessage(request)
}

// watched are the methods whose results bypass the SDK.
var watched = map[string]string{
	"tools/list": `{"tools":[]}`,
	"tools/call": `{"content":[]}`,
	methodTask:   `{}`, methodTaskResult: `{}`, methodTaskUpdate: `{}`, methodTaskCancel: `{}`,
}

// keep captures the result and gives the SDK an empty one, so that the SDK neither decodes nor
// stores untrusted data.
func (e *exchange) keep(method string, response *jsonrpc.Response) *jsonrpc.Response {
	empty, ours := watched[method]
	if !ours || response.Error != nil {
		return response
	}
	e.mu.Lock()
	e.raw = response.Result
	e.mu.Unlock()
	return &jsonrpc.Response{ID: response.ID, Result: json.RawMessage(empty)}
}
