package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	tasksExtension   = "io.modelcontextprotocol/tasks"
	methodTask       = "tasks/get"
	methodTaskResult = "tasks/result" // 2025-11-25
	methodTaskUpdate = "tasks/update" // 2026-07-28
	methodTaskCancel = "tasks/cancel"
)

type taskParams struct {
	mcp.ParamsBase

	TaskID string `json:"taskId"`
}

// taskReply is empty: the exchange captures the result.
type taskReply struct{ mcp.ResultBase }

// wireTask is a task on the wire, in both revisions.
type wireTask struct {
	ID      string          `json:"taskId"`
	Status  string          `json:"status"`
	Message string          `json:"statusMessage"`
	PollMS  int64           `json:"pollIntervalMs"`
	Poll    int64           `json:"pollInterval"` // 2025-11-25, as TTL
	TTLMS   int64           `json:"ttlMs"`
	TTL     int64           `json:"ttl"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
	Requests map[string]json.RawMessage `json:"inputRequests"`
}

func (t *wireTask) poll() time.Duration {
	ms := max(t.PollMS, t.Poll)
	if ms <= 0 {
		return defaultPoll
	}
	return max(minPoll, time.Duration(min(ms, maxPoll.Milliseconds()))*time.Millisecond)
}

const maxLife = 24 * time.Hour

func (t *wireTask) life() time.Duration {
	return time.Duration(min(max(t.TTLMS, t.TTL, 0), maxLife.Milliseconds())) * time.Millisecond
}

// Task polls a task and fetches its result if there is one.
func (c *Connection) Task(ctx context.Context, id string) (connectors.TaskState, error) {
	ctx, cancel := context.WithTimeout(ctx, domain.CallTimeout)
	defer cancel()
	s, err := c.session(ctx)
	if err != nil {
		return connectors.TaskState{}, c.failed(ctx, err)
	}
	task, err := s.task(ctx, id)
	if err != nil {
		return connectors.TaskState{}, c.failed(ctx, taskError(ctx, err))
	}
	state, err := c.taskState(ctx, s, task)
	return state, c.failed(ctx, err)
}

func (s *session) task(ctx context.Context, id string) (*wireTask, error) {
	e := &exchange{}
	if err := s.custom(ctx, e, methodTask, &taskParams{TaskID: id}); err != nil {
		return nil, err
	}
	var task wireTask
	if err := exactjson.Lenient(e.result(), &task); err != nil {
		return nil, unknownOutcome("The server's answer about the task cannot be read.", err)
	}
	return &task, nil
}

func (c *Connection) taskState(ctx context.Context, s *session, task *wireTask) (connectors.TaskState, error) {
	state := connectors.TaskState{Poll: task.poll(), Text: cut(task.Message, MaxTextBytes)}
	switch task.Status {
	case "working", "submitted":
		c.dropQuestion(task.ID)
		return state, nil
	case "input_required":
		if s.legacy {
			return c.awaitQuestion(ctx, s, task, state)
		}
		return withQuestion(state, task)
	case "completed":
		c.dropQuestion(task.ID)
		raw, err := s.taskResult(ctx, task)
		if err != nil {
			return state, taskError(ctx, err)
		}
		result, err := readResult(raw)
		if err != nil {
			return state, err
		}
		state.Done, state.Result = true, &result
		return state, nil
	case "failed", "cancelled":
		c.dropQuestion(task.ID)
		text := firstOf(state.Text, "The server says: "+task.Status+".")
		if task.Error != nil {
			text = firstOf(cut(task.Error.Message, MaxTextBytes), text)
		}
		state.Done, state.Cancelled = true, task.Status == "cancelled"
		state.Result = &outside.Result{Failed: true, Text: text}
		return state, nil
	}
	return state, unknownOutcome("The server reported an unknown task status.", nil)
}

// taskResult returns the result, which is part of the task (2026-07-28) or requested separately.
func (s *session) taskResult(ctx context.Context, task *wireTask) (json.RawMessage, error) {
	if !s.legacy || len(task.Result) > 0 {
		return task.Result, nil
	}
	e := &exchange{}
	err := s.custom(ctx, e, methodTaskResult, &taskParams{TaskID: task.ID})
	return e.result(), err
}

// withQuestion adds the first question; the others follow after its answer.
func withQuestion(state connectors.TaskState, task *wireTask) (connectors.TaskState, error) {
	key, form, err := firstQuestion(task)
	if form != nil {
		state.Question, state.QuestionKey = form.module, key
	}
	return state, err
}

// firstQuestion returns none for a task of 2025-11-25, whose questions arrive separately.
func firstQuestion(task *wireTask) (key string, form *question, err error) {
	keys := slices.Sorted(maps.Keys(task.Requests))
	if len(keys) == 0 {
		return "", nil, nil
	}
	if form, err = readTaskQuestion(task.Requests[keys[0]]); err != nil {
		return "", nil, refused("The task requested input that is not supported here.", err)
	}
	return keys[0], form, nil
}

func readTaskQuestion(raw json.RawMessage) (*question, error) {
	var request struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := exactjson.Lenient(raw, &request); err != nil || request.Method != methodElicit {
		return nil, errors.New("it is not a form")
	}
	return readQuestion(request.Params)
}

// AnswerTask answers the question returned by Task.
func (c *Connection) AnswerTask(ctx context.Context, id, wanted string, answer json.RawMessage) error {
	ctx, cancel := context.WithTimeout(ctx, domain.CallTimeout)
	defer cancel()
	s, err := c.session(ctx)
	if err != nil {
		return c.failed(ctx, err)
	}
	if s.legacy {
		return c.answerQuestion(ctx, id, wanted, answer)
	}
	task, err := s.task(ctx, id)
	if err != nil {
		return c.failed(ctx, taskError(ctx, err))
	}
	key, form, err := firstQuestion(task)
	if err != nil {
		return err
	}
	if form == nil || key != wanted {
		return nil // already answered, or withdrawn
	}
	reply, err := form.reply(answer)
	if err != nil {
		return refused("The answer does not match the task's question.", err)
	}
	e := &exchange{extra: map[string]json.RawMessage{"inputResponses": jsonbody.Encode(map[string]json.RawMessage{key: reply})}}
	return c.failed(ctx, taskError(ctx, s.custom(ctx, e, methodTaskUpdate, &taskParams{TaskID: id})))
}

// CancelTask requests cancellation of a task.
func (c *Connection) CancelTask(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, domain.CallTimeout)
	defer cancel()
	s, err := c.session(ctx)
	if err != nil {
		return c.failed(ctx, err)
	}
	return c.failed(ctx, taskError(ctx, s.custom(ctx, &exchange{}, methodTaskCancel, &taskParams{TaskID: id})))
}

// taskError classifies an error about a task. A protocol error means that the server does not know
// the task.
func taskError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return refused(fmt.Sprintf("The server answered about the task with error %d.", said.Code), err)
	}
	return outsideError(ctx, err, true)
}

// readsAtOnce reports whether the command is a query, whose result the AI waits for.
func readsAtOnce(command *outside.ConnectorCommand) bool {
	return command.Effect == domain.EffectRead && !command.RequireValidation
}

// follow waits for a task within the query timeout. A task that takes longer is cancelled.
func (c *Connection) follow(ctx context.Context, task *outside.TaskHandle) (outside.Result, error) {
	for wait := minPoll; ; wait = task.Poll {
		select {
		case <-time.After(max(minPoll, min(wait, task.Poll))):
		case <-ctx.Done():
			return outside.Result{}, c.giveUp(ctx, task.ID)
		}
		state, err := c.Task(ctx, task.ID)
		switch {
		case ctx.Err() != nil:
			return outside.Result{}, c.giveUp(ctx, task.ID)
		case err != nil:
			return outside.Result{}, err
		case state.Question != nil:
			_ = c.CancelTask(ctx, task.ID) // its question cannot be answered
			return outside.Result{}, refused("The server asked a question during a task, which is not supported here.", nil)
		case state.Done && state.Result != nil:
			return *state.Result, nil
		}
	}
}

func (c *Connection) giveUp(ctx context.Context, id string) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyTime)
	defer cancel()
	_ = c.CancelTask(within, id) // on an error the task ends at the server
	return refused("The server runs this as a task that exceeded the command's timeout. Increase the timeout, "+
		"or require approval for each call: then it may continue in the background.", ctx.Err())
}
