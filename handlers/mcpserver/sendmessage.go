package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// sendArguments are the arguments of send_message.
type sendArguments struct {
	SessionID      string `json:"session_id"`
	Text           string `json:"text"`
	IdempotencyKey string `json:"idempotency_key"`
	WaitSeconds    *int   `json:"wait_seconds"`
}

func (s *sendArguments) limit() time.Duration {
	if s.WaitSeconds == nil {
		return maxWait
	}
	return time.Duration(*s.WaitSeconds) * time.Second
}

// send stores the message, or finds it where the same request stored it before.
func (c *call) send(ctx context.Context, in *sendArguments) (*rounds.Round, error) {
	x := c.newRound()
	err := x.FindText(ctx, rounds.TextMessage{Protocol: "mcp", Session: in.SessionID, Text: in.Text, Key: in.IdempotencyKey})
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// sendMessage sends a message and waits for its round. A call that is repeated with the answer to an
// elicitation submits that answer.
func sendMessage(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args sendArguments
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	var x *rounds.Round
	var err error
	if in.Params.RequestState == "" {
		x, err = c.send(ctx, &args)
	} else {
		x, err = c.resume(ctx, in.Params)
	}
	if err != nil {
		return nil, err
	}
	s, err := c.wait(ctx, in.CallToolRequest, x, args.limit())
	if err != nil {
		return nil, err
	}
	if form, err := c.elicitation(in.CallToolRequest, s, &x.Found); form != nil || err != nil {
		return form, err
	}
	return c.resultOf(s, x.Found.Repeated), nil
}

// startMessage sends a message without waiting.
func startMessage(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error) {
	var args sendArguments
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	x, err := c.send(ctx, &args)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return x.Progress(ctx)
}

// startRun starts a run of an automation.
func startRun(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error) {
	var args struct {
		AutomationID string `json:"automation_id"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	receipt, err := c.Runs.ExecuteAutomation(ctx, c.identity.Workspace, args.AutomationID, c.identity.Name)
	if err != nil {
		return nil, err
	}
	if receipt.Session == nil {
		return nil, domain.Errorf(domain.CodeConflict, "The automation's last run has not ended; no other was started.")
	}
	return c.roundOf(receipt.Session.ID, "").Progress(ctx)
}

// runAutomation starts a run and waits for its end.
func runAutomation(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args sendArguments
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	begun, err := startRun(c, ctx, in)
	if err != nil {
		return nil, err
	}
	s, err := c.wait(ctx, in.CallToolRequest, c.roundOf(begun.Session.ID, ""), args.limit())
	if err != nil {
		return nil, err
	}
	return c.resultOf(s, false), nil
}

// resultOf returns the progress as a tool result, in both forms that clients read.
func (c *call) resultOf(s *rounds.Progress, again bool) *mcp.CallToolResult {
	out := c.outcome(s)
	out.Attached = again
	result := structured(out)
	if text := out.describe(); text != "" {
		result.Content = []mcp.Content{&mcp.TextContent{Text: truncated(text)}}
	}
	result.IsError = s.Incomplete || s.State == rounds.Failed
	return result
}
