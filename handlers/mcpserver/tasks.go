package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// The tasks extension, which answers long calls with a handle. The SDK does not implement it.
const (
	tasksExtension   = "io.modelcontextprotocol/tasks"
	methodTask       = "tasks/get"
	methodTaskUpdate = "tasks/update"
	methodTaskCancel = "tasks/cancel"
)

// pollMS is the interval, in milliseconds, at which a client should read a task.
const pollMS = 1000

// task is the round of a message, or a run, in the form of the extension. It is derived from the
// session, and exists for as long.
type task struct {
	mcp.ResultBase

	ResultType string                      `json:"resultType"`
	ID         string                      `json:"taskId"`
	Status     rounds.State                `json:"status"`
	Message    string                      `json:"statusMessage,omitempty"`
	CreatedAt  time.Time                   `json:"createdAt"`
	UpdatedAt  time.Time                   `json:"lastUpdatedAt"`
	TTL        *int64                      `json:"ttlMs"` // null: for as long as the session
	Poll       int64                       `json:"pollIntervalMs"`
	Result     *taskResult                 `json:"result,omitempty"`
	Error      *jsonrpc.Error              `json:"error,omitempty"`
	Requests   map[string]taskInputRequest `json:"inputRequests,omitempty"`
}

// taskResult is the result that the tool would have returned.
type taskResult struct {
	Content    []mcp.Content `json:"content"`
	Structured any           `json:"structuredContent,omitempty"`
	Failed     bool          `json:"isError,omitempty"`
}

type taskInputRequest struct {
	Method string            `json:"method"`
	Params *mcp.ElicitParams `json:"params"`
}

// acknowledged is the response to a request about a task.
type acknowledged struct {
	mcp.ResultBase

	ResultType string `json:"resultType"`
}

func acknowledge() *acknowledged { return &acknowledged{ResultType: "complete"} }

type taskParams struct {
	mcp.ParamsBase

	TaskID string `json:"taskId"`
}

type taskUpdateParams struct {
	mcp.ParamsBase

	TaskID    string                     `json:"taskId"`
	Responses map[string]json.RawMessage `json:"inputResponses"`
}

// supportsTasks reports whether a client supports the extension.
func supportsTasks(able *mcp.ClientCapabilities) bool {
	if able == nil {
		return false
	}
	_, knows := able.Extensions[tasksExtension]
	return knows
}

func (d *Door) addTasks(s *mcp.Server) {
	get := func(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*task, error) {
		return callOf(ctx).getTask(ctx, ss, p)
	}
	update := func(ctx context.Context, ss *mcp.ServerSession, p *taskUpdateParams) (*acknowledged, error) {
		return callOf(ctx).updateTask(ctx, ss, p)
	}
	stop := func(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*acknowledged, error) {
		return callOf(ctx).cancelTask(ctx, ss, p)
	}
	err := errors.Join(
		mcp.AddReceivingCustomMethod(s, methodTask, get),
		mcp.AddReceivingCustomMethod(s, methodTaskUpdate, update),
		mcp.AddReceivingCustomMethod(s, methodTaskCancel, stop),
	)
	if err != nil {
		panic("mcpserver: " + err.Error()) // a method of the SDK itself: a programming error
	}
}

// startTask answers a call of a tool that may take long with a task; nil for another tool, and for a
// call with the answer to an elicitation.
func (c *call) startTask(ctx context.Context, req *mcp.CallToolRequest) (mcp.Result, error) {
	t := c.toolNamed(req.Params.Name)
	if t == nil || t.start == nil || !c.identity.Role.Allows(t.role) || req.Params.RequestState != "" {
		return nil, nil
	}
	in, err := t.readRequest(req)
	if err != nil {
		result, err := c.invalidArguments(err)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	s, err := t.start(c, ctx, in)
	if err != nil || s == nil {
		return nil, err
	}
	made := c.taskOf(s)
	made.ResultType, made.Result, made.Error, made.Requests = "task", nil, nil, nil
	return made, nil
}

// taskOf returns the progress as a task.
func (c *call) taskOf(s *rounds.Progress) *task {
	out := &task{
		ResultType: "complete", ID: s.Session.ID, Status: s.State, Poll: pollMS,
		CreatedAt: s.Session.CreatedAt.UTC(), UpdatedAt: s.Session.UpdatedAt.UTC(),
	}
	if s.Message != nil {
		out.ID, out.CreatedAt = s.Session.ID+"."+s.Message.ID, s.Message.Timestamp.UTC()
	}
	switch s.State {
	case rounds.InputRequired:
		out.Message = "Waiting for a person: " + c.link(s.Session.ID)
		out.Requests = map[string]taskInputRequest{}
		for _, a := range s.Open {
			out.Requests[a.ID] = taskInputRequest{"elicitation/create", c.elicit(a)}
		}
	case rounds.Completed:
		r := c.resultOf(s, false)
		out.Result = &taskResult{r.Content, r.StructuredContent, r.IsError}
	case rounds.Failed:
		out.Error = rpcError(c.Failure(domain.Errorf(domain.CodeProviderFailed, "%s", s.Failure)))
	}
	return out
}

// requireTasks rejects a client that does not support tasks.
func requireTasks(ss *mcp.ServerSession) error {
	if p := ss.InitializeParams(); p != nil && supportsTasks(p.Capabilities) {
		return nil
	}
	return &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities, Message: "The client has not declared the extension " + tasksExtension + ".",
		Data: json.RawMessage(`{"code":"invalid","requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`),
	}
}

// taskProgress reads the progress of a task.
func (c *call) taskProgress(ctx context.Context, id string) (*rounds.Progress, error) {
	session, message, ofMessage := strings.Cut(id, ".")
	if ofMessage {
		s, err := c.roundOf(session, message).Progress(ctx)
		return s, taskNotFound(err)
	}
	s, err := c.roundOf(session, "").Progress(ctx)
	if err == nil && s.Session.Type == domain.Chat {
		return nil, taskNotFound(domain.NotFound("task"))
	}
	return s, taskNotFound(err)
}

func taskNotFound(err error) error {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.NotFound("task")
	}
	return err
}

func (c *call) getTask(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*task, error) {
	if err := requireTasks(ss); err != nil {
		return nil, err
	}
	s, err := c.taskProgress(ctx, p.TaskID)
	if err != nil {
		return nil, err
	}
	return c.taskOf(s), nil
}

// updateTask submits the answers to what a task waits for. Other answers are ignored.
func (c *call) updateTask(ctx context.Context, ss *mcp.ServerSession, p *taskUpdateParams) (*acknowledged, error) {
	if err := requireTasks(ss); err != nil {
		return nil, err
	}
	s, err := c.taskProgress(ctx, p.TaskID)
	if err != nil {
		return nil, err
	}
	for _, a := range s.Open {
		raw, given := p.Responses[a.ID]
		if !given {
			continue
		}
		var filled mcp.ElicitResult
		if err := json.Unmarshal(raw, &filled); err != nil {
			return nil, &domain.Error{Code: domain.CodeInvalid, Message: "The answer cannot be decoded.", Err: err}
		}
		if !c.mayAnswer && filled.Action == formAccepted && len(filled.Content) == 0 {
			continue // the link was opened
		}
		if err := c.answer(ctx, a, &filled); err != nil {
			return nil, err
		}
	}
	return acknowledge(), nil
}

// cancelTask stops the run, or interrupts the round, of a task. One that is over is unchanged.
func (c *call) cancelTask(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*acknowledged, error) {
	if err := requireTasks(ss); err != nil {
		return nil, err
	}
	s, err := c.taskProgress(ctx, p.TaskID)
	if err != nil || s.Finished() {
		return acknowledge(), err
	}
	if !c.identity.Role.Allows(domain.RoleMember) {
		return nil, domain.Errorf(domain.CodeForbidden, "This needs the role member, and the key has the role %s.", c.identity.Role)
	}
	if s.Message == nil {
		_, err = c.Runs.StopSession(ctx, c.identity.Workspace, s.Session.ID, c.identity.Author())
	} else {
		_, err = c.Runs.InterruptSession(ctx, c.identity.Workspace, s.Session.ID, c.identity.Author())
	}
	return acknowledge(), err
}
