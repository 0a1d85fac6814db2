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

// The extension by which a client is given a handle in place of an answer that takes long.
// The SDK does not know it: its methods stand here.
const (
	tasksExtension   = "io.modelcontextprotocol/tasks"
	methodTask       = "tasks/get"
	methodTaskUpdate = "tasks/update"
	methodTaskCancel = "tasks/cancel"
)

// pollMS is how often a client should ask for a task.
const pollMS = 1000

// task is a message's round, or a run, as the extension writes it. There is no other record
// of it than the session: it lives for as long.
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

// taskResult is the answer that the tool would have given.
type taskResult struct {
	Content    []mcp.Content `json:"content"`
	Structured any           `json:"structuredContent,omitempty"`
	Failed     bool          `json:"isError,omitempty"`
}

type taskInputRequest struct {
	Method string            `json:"method"`
	Params *mcp.ElicitParams `json:"params"`
}

// acknowledged says that a request about a task was taken.
type acknowledged struct {
	mcp.ResultBase

	ResultType string `json:"resultType"`
}

func complete() *acknowledged { return &acknowledged{ResultType: "complete"} }

type taskParams struct {
	mcp.ParamsBase

	TaskID string `json:"taskId"`
}

type taskUpdateParams struct {
	mcp.ParamsBase

	TaskID    string                     `json:"taskId"`
	Responses map[string]json.RawMessage `json:"inputResponses"`
}

// knowsTasks says whether a client can follow a task.
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
		panic("mcpserver: " + err.Error()) // a method of the SDK's own: a mistake in the program
	}
}

// asTask answers a call of a tool that may take long with a task; nil for another tool, and
// for a call that brings an answer to a form.
func (c *call) asTask(ctx context.Context, req *mcp.CallToolRequest) (mcp.Result, error) {
	t := c.toolNamed(req.Params.Name)
	if t == nil || t.begin == nil || !c.identity.Role.Allows(t.role) || req.Params.RequestState != "" {
		return nil, nil
	}
	in, err := t.askOf(req)
	if err != nil {
		result, err := c.misfit(err)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	s, err := t.begin(c, ctx, in)
	if err != nil || s == nil {
		return nil, err
	}
	made := c.taskOf(s)
	made.ResultType, made.Result, made.Error, made.Requests = "task", nil, nil, nil
	return made, nil
}

// taskOf is how something stands, as a task.
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
		out.Message = "A person is asked: " + c.link(s.Session.ID)
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

// needs refuses a client that has not said that it knows tasks.
func needs(ss *mcp.ServerSession) error {
	if p := ss.InitializeParams(); p != nil && supportsTasks(p.Capabilities) {
		return nil
	}
	return &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities, Message: "The client has not said that it knows the extension " + tasksExtension + ".",
		Data: json.RawMessage(`{"code":"invalid","requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`),
	}
}

// follow reads how a task stands.
func (c *call) follow(ctx context.Context, id string) (*rounds.Progress, error) {
	session, message, ofMessage := strings.Cut(id, ".")
	if ofMessage {
		s, err := c.reader().Message(ctx, session, message)
		return s, noTask(err)
	}
	s, err := c.reader().Run(ctx, session)
	if err == nil && s.Session.Type == domain.Chat {
		return nil, noTask(domain.NotFound("task"))
	}
	return s, noTask(err)
}

func noTask(err error) error {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.NotFound("task")
	}
	return err
}

func (c *call) getTask(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*task, error) {
	if err := needs(ss); err != nil {
		return nil, err
	}
	s, err := c.follow(ctx, p.TaskID)
	if err != nil {
		return nil, err
	}
	return c.taskOf(s), nil
}

// updateTask takes answers to what a task asks. Those to anything else are passed over.
func (c *call) updateTask(ctx context.Context, ss *mcp.ServerSession, p *taskUpdateParams) (*acknowledged, error) {
	if err := needs(ss); err != nil {
		return nil, err
	}
	s, err := c.follow(ctx, p.TaskID)
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
			return nil, &domain.Error{Code: domain.CodeInvalid, Message: "The answer cannot be read.", Err: err}
		}
		if !c.mayAnswer && filled.Action == formAccepted && len(filled.Content) == 0 {
			continue // the link was opened
		}
		if err := c.answer(ctx, a, &filled); err != nil {
			return nil, err
		}
	}
	return complete(), nil
}

// cancelTask stops what a task stands for; one that is over stays as it is.
func (c *call) cancelTask(ctx context.Context, ss *mcp.ServerSession, p *taskParams) (*acknowledged, error) {
	if err := needs(ss); err != nil {
		return nil, err
	}
	s, err := c.follow(ctx, p.TaskID)
	if err != nil || s.Finished() {
		return complete(), err
	}
	if !c.identity.Role.Allows(domain.RoleMember) {
		return nil, domain.Errorf(domain.CodeForbidden, "This needs the role member, and the key has the role %s.", c.identity.Role)
	}
	if s.Message == nil {
		_, err = c.Commands.StopSession(ctx, c.identity.Workspace, s.Session.ID, c.identity.Author())
	} else {
		_, err = c.Commands.InterruptSession(ctx, c.identity.Workspace, s.Session.ID, c.identity.Author())
	}
	return complete(), err
}
