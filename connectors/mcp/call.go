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
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// maxRounds is how often one call may be continued with answers.
const maxRounds = 10

// run sends a call, and again with the answers that there are where the server asks
// (2026-07-28: the repetition is the same call, and the server says where it was).
func (c *Connection) run(ctx context.Context, s *session, t *tool, call connectors.Call) (domain.OutsideResult, error) {
	talk := c.asked.recall(call)
	for range maxRounds {
		if talk.pending != nil {
			question, err := talk.next()
			if err != nil {
				return domain.OutsideResult{}, err
			}
			if question != nil {
				c.asked.remember(call.ExecutionID, talk)
				return domain.OutsideResult{Question: question}, nil
			}
		}
		raw, result, err := c.send(ctx, s, t, call, talk)
		if raw == nil || err != nil {
			return result, err
		}
		wanted, err := readWanted(raw)
		if err != nil {
			return domain.OutsideResult{}, err
		}
		if wanted == nil {
			return c.readResult(raw)
		}
		if !c.options.Questions {
			return domain.OutsideResult{}, refused("The server asks what cannot be answered here.", nil)
		}
		talk.pending = wanted
	}
	return domain.OutsideResult{}, refused(fmt.Sprintf("The server asked %d times and gave no answer.", maxRounds), nil)
}

// send sends a call once. raw is nil when the result is not the server's last word on it.
func (c *Connection) send(
	ctx context.Context, s *session, t *tool, call connectors.Call, with *inquiry,
) (json.RawMessage, domain.OutsideResult, error) {
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

// trace puts the round's trace, and the key under which a repetition would be the same
// call, beside the request.
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

// wait waits for the end of a call, or for a question in the middle of it.
func (c *Connection) wait(ctx context.Context, call connectors.Call, f *flight) (json.RawMessage, domain.OutsideResult, error) {
	select {
	case err := <-f.done:
		f.end()
		return f.outcome(ctx, err)
	case q := <-f.asks:
		f.question = q
		if !c.asked.park(call.ExecutionID, f) {
			f.end()
			return nil, domain.OutsideResult{}, doubt("The server asked something, and too many questions are open.", nil)
		}
		return nil, domain.OutsideResult{Question: q, Open: true}, nil
	case <-ctx.Done():
		f.end()
		if err := <-f.done; err == nil || f.exchange.result() != nil {
			return f.outcome(ctx, err) // it came at the last moment
		}
		return nil, domain.OutsideResult{}, outsideError(ctx, ctx.Err(), f.exchange.left.Load())
	}
}

// proceed hands a person's answer to a call that waits for it.
func (c *Connection) proceed(ctx context.Context, call connectors.Call, f *flight) (domain.OutsideResult, error) {
	if len(call.Answers) <= f.given {
		c.asked.park(call.ExecutionID, f)
		return domain.OutsideResult{Question: f.question, Open: true}, nil // it waits for an answer still
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

// outcome is what came of a call that ended. An answer that came counts, whatever became of the
// connection after it.
func (f *flight) outcome(ctx context.Context, err error) (json.RawMessage, domain.OutsideResult, error) {
	raw := f.exchange.result()
	if err != nil && raw == nil {
		if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
			text := cut(fmt.Sprintf("The server answered with error %d: %s", said.Code, said.Message), MaxTextBytes)
			return nil, domain.OutsideResult{Failed: true, Text: text}, nil
		}
		return nil, domain.OutsideResult{}, outsideError(ctx, err, f.exchange.left.Load())
	}
	if raw == nil {
		return nil, domain.OutsideResult{}, doubt("The server gave no result.", nil)
	}
	return raw, domain.OutsideResult{}, nil
}

// inquiry is what a server asked and was answered in one call (2026-07-28).
type inquiry struct {
	answers []json.RawMessage // of a person, oldest first
	used    int
	pending *wanted // what it asked last
	replies map[string]json.RawMessage
}

// next uses the answers that there are; a question where there is none left.
func (c *inquiry) next() (*domain.Module, error) {
	c.replies = map[string]json.RawMessage{}
	from := c.used
	for _, key := range slices.Sorted(maps.Keys(c.pending.requests)) {
		form, err := readQuestion(c.pending.requests[key])
		if err != nil {
			return nil, refused("The server asks what cannot be answered here.", err)
		}
		if c.used >= len(c.answers) {
			c.used = from // they are all given again, once they are complete
			return form.module, nil
		}
		reply, err := form.reply(c.answers[c.used])
		if err != nil {
			return nil, refused("The answer does not fit what the server asks.", err)
		}
		c.replies[key] = reply
		c.used++
	}
	return nil, nil
}

// params are what a repetition carries.
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

// readResult refuses a task that nobody would follow; what becomes of it is not known.
func (c *Connection) readResult(raw json.RawMessage) (domain.OutsideResult, error) {
	result, err := readResult(raw)
	if err == nil && result.Task != nil && !c.options.Tasks {
		return domain.OutsideResult{}, doubt("The server began a task, which cannot be followed here.", nil)
	}
	return result, err
}
