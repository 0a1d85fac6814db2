package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
)

// A task of 2025-11-25 that wants something of a person says so to whoever waits for its result:
// the question comes in the midst of tasks/result. So that request is kept open, as a call is that
// asks, until a person has answered. A process that stops loses it, and asks for the result anew:
// whether the server then asks anew is its affair.

// hearTime is how long we listen for a question of a task that says that it has one.
const hearTime = 5 * time.Second

func heardAs(id string) string { return "task " + id }

// hear listens for what a task asks.
func (c *Connection) hear(ctx context.Context, s *session, task *wireTask, state connectors.TaskState) (connectors.TaskState, error) {
	if !c.options.Questions {
		return state, nil
	}
	f := c.asked.take(heardAs(task.ID))
	if f == nil {
		e := &exchange{}
		f = newFlight(ctx, e, nil)
		go func() { f.done <- s.custom(f.ctx, e, methodTaskResult, &taskParams{TaskID: task.ID}) }()
	}
	if f.question == nil {
		if over, err := c.listenTo(ctx, f, &state); over || err != nil {
			f.end()
			return state, err
		}
	}
	if !c.asked.park(heardAs(task.ID), f) {
		f.end()
		return state, refused("The server asked something, and too many questions are open.", nil)
	}
	if f.question != nil {
		state.Question, state.QuestionKey = f.question, keyOf(f.question)
	}
	return state, nil
}

// listenTo waits a little for a question; over: the task has ended instead.
func (c *Connection) listenTo(ctx context.Context, f *flight, state *connectors.TaskState) (over bool, err error) {
	timer := time.NewTimer(hearTime)
	defer timer.Stop()
	select {
	case f.question = <-f.asks:
		return false, nil
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, brokeOff(ctx, ctx.Err())
	case err := <-f.done:
		if err != nil {
			return false, taskError(ctx, err)
		}
		result, err := readResult(f.exchange.result())
		state.Done, state.Result = err == nil, &result
		return true, err
	}
}

// keyOf tells questions of a task apart: they have no names of their own.
func keyOf(question *domain.Module) string {
	sum := sha256.Sum256(question.Data)
	return hex.EncodeToString(sum[:16])
}

// sayHeard hands a person's answer to the request that waits for it.
func (c *Connection) sayHeard(ctx context.Context, id, key string, answer json.RawMessage) error {
	f := c.asked.take(heardAs(id))
	if f == nil {
		return nil // nothing is asked just now: the next look says what is
	}
	if f.question != nil && keyOf(f.question) == key {
		select {
		case f.replies <- answer:
			f.question = nil
		case err := <-f.done:
			f.end()
			return taskError(ctx, err)
		case <-ctx.Done():
			f.end()
			return brokeOff(ctx, ctx.Err())
		}
	}
	if !c.asked.park(heardAs(id), f) { // the reply may be on its way still: it stays open
		f.end()
	}
	return nil
}

// hearNoMore lets go of a request whose task asks nothing any more.
func (c *Connection) hearNoMore(id string) {
	switch f := c.asked.take(heardAs(id)); {
	case f == nil:
	case f.question != nil:
		f.abandon()
	default:
		f.end()
	}
}
