package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxRounds bounds the input requests of one call.
const maxRounds = 10

// run sends a call, and repeats it with the available answers if the server requests input
// (2026-07-28: the same call is repeated together with the server's own state).
func (c *Connection) run(ctx context.Context, s *session, t *tool, call connectors.Call) (outside.Result, error) {
	talk := c.asked.recall(call)
	for range maxRounds {
		if talk.pending != nil {
			question, err := talk.next()
			if err != nil {
				return outside.Result{}, err
			}
			if question != nil {
				c.asked.remember(call.ExecutionID, talk)
				return outside.Result{Question: question}, nil
			}
		}
		raw, result, err := c.send(ctx, s, t, call, talk)
		if raw == nil || err != nil {
			return result, err
		}
		wanted, err := readWanted(raw)
		if err != nil {
			return outside.Result{}, err
		}
		if wanted == nil {
			return c.readResult(raw)
		}
		if !c.options.Questions {
			return outside.Result{}, refused("The server requested input that is not supported here.", nil)
		}
		talk.pending = wanted
	}
	return outside.Result{}, refused(fmt.Sprintf("The server requested input %d times without returning a result.", maxRounds), nil)
}

// send sends a call once. raw is nil if the result is not final.
func (c *Connection) send(
	ctx context.Context, s *session, t *tool, call connectors.Call, with *inquiry,
) (json.RawMessage, outside.Result, error) {
	e := &exchange{tool: t, extra: map[string]json.RawMessage{}}
	e.trace(call)
	maps.Copy(e.extra, with.params())
	if t.asTask && s.legacy && c.options.Tasks {
		e.extra["task"] = json.RawMessage(`{}`)
	}
	f := newFlight(ctx, e, call.Answers)
	if !c.options.Questions {
		e.ask = nil
	}
	arguments := call.Params
	if len(arguments) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	go func() {
		f.done <- s.call(f.ctx, e, t.command.Remote, arguments)
	}()
	return c.wait(ctx, call, f)
}

// trace adds the round's trace context and an idempotency key to the request.
func (e *exchange) trace(call connectors.Call) {
	e.meta = map[string]any{}
	e.headers = http.Header{}
	if call.TraceParent != "" {
		e.meta["traceparent"] = call.TraceParent
		e.headers.Set("Traceparent", call.TraceParent)
	}
	if call.ExecutionID != "" {
		e.headers.Set("Idempotency-Key", call.ExecutionID)
	}
}

// wait waits for the end of a call, or for a question from the server during the call.
func (c *Connection) wait(ctx context.Context, call connectors.Call, f *flight) (json.RawMessage, outside.Result, error) {
	select {
	case err := <-f.done:
		f.end()
		return f.outcome(ctx, err)
	case q := <-f.asks:
		f.question = q
		if !c.asked.park(call.ExecutionID, f) {
			f.end()
			return nil, outside.Result{}, unknownOutcome("The server asked something, and too many questions are open.", nil)
		}
		return nil, outside.Result{Question: q, Open: true}, nil
	case <-ctx.Done():
		f.end()
		if err := <-f.done; err == nil || f.exchange.result() != nil {
			return f.outcome(ctx, err) // it finished just in time
		}
		return nil, outside.Result{}, outsideError(ctx, ctx.Err(), f.exchange.left.Load())
	}
}

// proceed passes a person's answer to a waiting call.
func (c *Connection) proceed(ctx context.Context, call connectors.Call, f *flight) (outside.Result, error) {
	if len(call.Answers) <= f.given {
		c.asked.park(call.ExecutionID, f)
		return outside.Result{Question: f.question, Open: true}, nil // // still waiting for an answer
	}
	select {
	case f.replies <- call.Answers[f.given]:
		f.given++
	case err := <-f.done:
		f.done <- err
	case <-ctx.Done():
		f.end()
	}
	raw, result, err := c.wait(ctx, call, f)
	if raw != nil && err == nil {
		result, err = c.readResult(raw)
	}
	return result, c.failed(ctx, err)
}

// outcome returns the result of a finished call. An answer that was received counts, even if the
// connection failed afterwards.
func (f *flight) outcome(ctx context.Context, err error) (json.RawMessage, outside.Result, error) {
	raw := f.exchange.result()
	if err != nil && raw == nil {
		if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
			text := cut(fmt.Sprintf("The server answered with error %d: %s", said.Code, said.Message), MaxTextBytes)
			return nil, outside.Result{Failed: true, Text: text}, nil
		}
		return nil, outside.Result{}, outsideError(ctx, err, f.exchange.left.Load())
	}
	if raw == nil {
		return nil, outside.Result{}, unknownOutcome("The server gave no result.", nil)
	}
	return raw, outside.Result{}, nil
}

// inquiry is the state of the input requests of one call (2026-07-28).
type inquiry struct {
	answers []json.RawMessage // of a person, oldest first
	used    int
	pending *wanted // the latest input request
	replies map[string]json.RawMessage
}

// next uses the available answers and returns a question if one is missing.
func (c *inquiry) next() (*domain.Module, error) {
	c.replies = map[string]json.RawMessage{}
	from := c.used
	for _, key := range slices.Sorted(maps.Keys(c.pending.requests)) {
		form, err := readQuestion(c.pending.requests[key])
		if err != nil {
			return nil, refused("The server requested input that is not supported here.", err)
		}
		if c.used >= len(c.answers) {
			c.used = from // all answers are sent together
			return form.module, nil
		}
		reply, err := form.reply(c.answers[c.used])
		if err != nil {
			return nil, refused("The answer does not match the server's question.", err)
		}
		c.replies[key] = reply
		c.used++
	}
	return nil, nil
}

// params are the additional params of a repeated call.
func (c *inquiry) params() map[string]json.RawMessage {
	if c.pending == nil {
		return nil
	}
	out := map[string]json.RawMessage{"inputResponses": jsonbody.Encode(c.replies)}
	if c.pending.state != "" {
		out["requestState"] = jsonbody.Encode(c.pending.state)
	}
	return out
}

// readResult rejects a task if tasks are not supported; its outcome is then unknown.
func (c *Connection) readResult(raw json.RawMessage) (outside.Result, error) {
	result, err := readResult(raw)
	if err == nil && result.Task != nil && !c.options.Tasks {
		return outside.Result{}, unknownOutcome("The server started a task, and tasks are not supported here.", nil)
	}
	return result, err
}
