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

// A task of 2025-11-25 sends its questions to the client that waits for its result: the question
// arrives during tasks/result. That request is therefore kept open, like a call that asks, until a
// person has answered. After a restart the result is requested again, and the server decides
// whether it asks again.

// questionTime bounds the wait for the question of a task that reports one.
const questionTime = 5 * time.Second

func parkKey(id string) string { return "task " + id }

// awaitQuestion waits for the question of a task.
func (c *Connection) awaitQuestion(
	ctx context.Context, s *session, task *wireTask, state connectors.TaskState,
) (connectors.TaskState, error) {
	if !c.options.Questions {
		return state, nil
	}
	f := c.asked.take(parkKey(task.ID))
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
	if !c.asked.park(parkKey(task.ID), f) {
		f.end()
		return state, refused("The server asked something, and too many questions are open.", nil)
	}
	if f.question != nil {
		state.Question, state.QuestionKey = f.question, keyOf(f.question)
	}
	return state, nil
}

// listenTo waits briefly for a question. over: the task has ended instead.
func (c *Connection) listenTo(ctx context.Context, f *flight, state *connectors.TaskState) (over bool, err error) {
	timer := time.NewTimer(questionTime)
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

// keyOf derives a key for a question, since a task's questions have no IDs.
func keyOf(question *domain.Module) string {
	sum := sha256.Sum256(question.Data)
	return hex.EncodeToString(sum[:16])
}

// answerQuestion passes a person's answer to the waiting request.
func (c *Connection) answerQuestion(ctx context.Context, id, key string, answer json.RawMessage) error {
	f := c.asked.take(parkKey(id))
	if f == nil {
		return nil // no open question: the next poll returns the state
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
	if !c.asked.park(parkKey(id), f) { // the reply may still be in progress: keep it open
		f.end()
	}
	return nil
}

// dropQuestion ends the waiting request of a task without open questions.
func (c *Connection) dropQuestion(id string) {
	switch f := c.asked.take(parkKey(id)); {
	case f == nil:
	case f.question != nil:
		f.abandon()
	default:
		f.end()
	}
}
