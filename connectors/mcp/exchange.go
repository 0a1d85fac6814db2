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

// exchange is one request of ours as it is on the wire: what goes along that the SDK does
// not know, and what came back before the SDK makes something of it (of a task's handle it
// would make nothing).
type exchange struct {
	extra map[string]json.RawMessage // joins the params
	meta  map[string]any             // joins the params' _meta
	tool  *tool                      // the tool that is called: some of its params are headers too
	// headers go along over HTTP.
	headers http.Header
	// ask answers what the server asks while it works on this; nil: nobody can.
	ask func(ctx context.Context, request *jsonrpc.Request) (json.RawMessage, error)

	left atomic.Bool // a byte of it may have left
	mu   sync.Mutex
	raw  json.RawMessage
}

type exchangeKey struct{}

func (e *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, e)
}

// exchangeOf never gives nil: requests of the SDK's own are exchanges that nobody watches.
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

// encode is the request with what goes along.
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

// watched are the methods whose results are read by us alone.
var watched = map[string]string{
	"tools/list": `{"tools":[]}`,
	"tools/call": `{"content":[]}`,
	methodTask:   `{}`, methodTaskResult: `{}`, methodTaskUpdate: `{}`, methodTaskCancel: `{}`,
}

// keep takes the result before the SDK sees it. What it gets in its place is empty: it
// neither decodes what a stranger sent, nor keeps it.
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
