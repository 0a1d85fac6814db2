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

// link is what both kinds of transport are to the SDK: messages in, messages out. Only its
// end is an error of Read; what goes wrong with one request answers that request.
type link struct {
	ctx      context.Context
	end      context.CancelCauseFunc
	incoming chan jsonrpc.Message
	running  sync.WaitGroup
	// closing and running keep each other out: nothing begins once it is closed.
	mu      sync.Mutex
	closing bool
	// calls are those under way whose server may ask something.
	calls map[*exchange]*underWay
}

// underWay is a call, as long as it is.
type underWay struct{ ctx context.Context }

func newLink() *link {
	ctx, end := context.WithCancelCause(context.Background())
	return &link{ctx: ctx, end: end, incoming: make(chan jsonrpc.Message), calls: map[*exchange]*underWay{}}
}

// Read gives the next message.
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

// begin runs something that ends with the link.
func (l *link) begin(run func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || l.ctx.Err() != nil {
		return false
	}
	l.running.Go(run)
	return true
}

// asks: while a call is under way its server may ask something.
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

// onlyCall is the call that a question belongs to which does not say so. With two under way
// nobody can be asked.
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

// stop ends everything that was begun, and waits for it.
func (l *link) stop() {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	l.end(nil)
	l.running.Wait()
}

// within is ctx, ended with the link.
func (l *link) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// probing bounds the first question: a server of before 2026 may not answer it at all, and
// is then greeted in the old way.
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

// answer is the response to a request of the server's.
func answer(ctx context.Context, e *exchange, request *jsonrpc.Request) *jsonrpc.Response {
	response := &jsonrpc.Response{ID: request.ID}
	if e.ask == nil {
		response.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "nobody can be asked"}
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

// decode reads one message, and says in our words what is wrong with it.
func decode(data []byte) (jsonrpc.Message, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if !json.Valid(data) {
		return nil, errors.New("it is no JSON")
	}
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, fmt.Errorf("it is no message of JSON-RPC: %w", err)
	}
	return m, nil
}

// decodeFor is decode of what can only answer one request: an error that names no request is
// about that one.
func decodeFor(id jsonrpc.ID, data []byte) (jsonrpc.Message, error) {
	m, err := decode(data)
	if err != nil {
		if failed := unnamedError(data); failed != nil {
			return failure(id, failed), nil
		}
	}
	return m, err
}

// unnamedError is the error of an answer whose id is null, as servers write it that did not
// understand the request; nil: it is no such answer.
func unnamedError(data []byte) *jsonrpc.Error {
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Error   *jsonrpc.Error  `json:"error"`
	}
	if exactjson.Lenient(bytes.TrimPrefix(data, byteOrderMark), &answer) != nil {
		return nil //nolint:nilerr // what cannot be read is no such answer
	}
	if answer.Version != "2.0" || answer.Method != nil || answer.ID != nil && string(answer.ID) != "null" {
		return nil
	}
	return answer.Error
}

// sameID says whether an answer names the request, whose number some servers write as a text.
func sameID(answered, asked jsonrpc.ID) bool {
	return answered == asked || fmt.Sprint(answered.Raw()) == fmt.Sprint(asked.Raw())
}

var _ mcp.Connection = (*httpLink)(nil)
