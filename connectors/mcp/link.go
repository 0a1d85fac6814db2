package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/internal/exactjson"
)

// link is the part shared by both transports of the SDK. Read returns an error only at the end of
// the link; the failure of one request is reported in its response.
type link struct {
	ctx      context.Context
	end      context.CancelCauseFunc
	incoming chan jsonrpc.Message
	running  sync.WaitGroup
	// mu excludes closing while something starts: nothing starts after Close.
	mu      sync.Mutex
	closing bool
	// calls are those in progress whose server may ask a question.
	calls map[*exchange]*underWay
}

// underWay is a call in progress.
type underWay struct{ ctx context.Context }

func newLink() *link {
	ctx, end := context.WithCancelCause(context.Background())
	return &link{ctx: ctx, end: end, incoming: make(chan jsonrpc.Message), calls: map[*exchange]*underWay{}}
}

// Read returns the next message.
func (l *link) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.incoming:
		return m, nil
	case <-l.ctx.Done():
		return nil, l.cause()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *link) cause() error {
	if err := context.Cause(l.ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return io.EOF
}

func (l *link) deliver(m jsonrpc.Message) {
	select {
	case l.incoming <- m:
	case <-l.ctx.Done():
	}
}

// begin runs a function that ends with the link.
func (l *link) begin(run func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || l.ctx.Err() != nil {
		return false
	}
	l.running.Go(run)
	return true
}

// asks registers a call during which the server may ask questions.
func (l *link) asks(ctx context.Context, e *exchange) (done func()) {
	if e.ask == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[e] = &underWay{ctx: ctx}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.calls, e)
	}
}

// onlyCall returns the call in progress if there is exactly one. Questions without a reference to a
// call can only be assigned then.
func (l *link) onlyCall() (context.Context, *exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == 1 {
		for e, of := range l.calls {
			return of.ctx, e
		}
	}
	return l.ctx, &exchange{}
}

// stop ends everything that was started and waits for it.
func (l *link) stop() {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	l.end(nil)
	l.running.Wait()
}

// within returns a context that also ends with the link.
func (l *link) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// probing bounds the first request: a server older than 2026 may not respond to it, and gets the
// older handshake then.
func probing(ctx context.Context, method string) (context.Context, context.CancelFunc) {
	if method != methodDiscover {
		return ctx, func() {}
	}
	limit := probeTime
	if at, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(at)/3)
	}
	return context.WithTimeout(ctx, limit)
}

const (
	methodDiscover   = "server/discover"
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
	methodElicit     = "elicitation/create"
)

// answer returns the response to a request of the server.
func answer(ctx context.Context, e *exchange, request *jsonrpc.Request) *jsonrpc.Response {
	response := &jsonrpc.Response{ID: request.ID}
	if e.ask == nil {
		response.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "no questions are supported for this call"}
		return response
	}
	result, err := e.ask(ctx, request)
	if err != nil {
		response.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		return response
	}
	response.Result = result
	return response
}

func failure(id jsonrpc.ID, err error) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: err}
}

// decode decodes one message, with errors in our own words.
func decode(data []byte) (jsonrpc.Message, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if !json.Valid(data) {
		return nil, errors.New("it is not JSON")
	}
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, fmt.Errorf("it is not a JSON-RPC message: %w", err)
	}
	return m, nil
}

// decodeFor decodes the response to a single request: an error without an ID belongs to that
// request.
func decodeFor(id jsonrpc.ID, data []byte) (jsonrpc.Message, error) {
	m, err := decode(data)
	if err != nil {
		if failed := unnamedError(data); failed != nil {
			return failure(id, failed), nil
		}
	}
	return m, err
}

// unnamedError returns the error of a response with the ID null, sent by servers that did not
// understand the request; nil if it is not one.
func unnamedError(data []byte) *jsonrpc.Error {
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Error   *jsonrpc.Error  `json:"error"`
	}
	if exactjson.Lenient(bytes.TrimPrefix(data, byteOrderMark), &answer) != nil {
		return nil //nolint:nilerr // undecodable: not such a response
	}
	if answer.Version != "2.0" || answer.Method != nil || answer.ID != nil && string(answer.ID) != "null" {
		return nil
	}
	return answer.Error
}

// sameID compares a response's ID with the request's. Some servers return the number as a string.
func sameID(answered, asked jsonrpc.ID) bool {
	return answered == asked || fmt.Sprint(answered.Raw()) == fmt.Sprint(asked.Raw())
}

var _ mcp.Connection = (*httpLink)(nil)
