package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/rounds"
)

// tool is what a client can call.
type tool struct {
	name, title, description string
	role                     domain.Role
	reads                    bool // it changes nothing
	answers                  bool // it answers for a person: only where the workspace lets it
	input, output            json.RawMessage
	do                       func(c *call, ctx context.Context, in *toolRequest) (any, error)
	// begin starts what takes long, without waiting for it; nil: nothing of it does.
	begin func(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error)
}

// asked is a call of a tool whose arguments fit its schema.
type toolRequest struct {
	*mcp.CallToolRequest

	arguments json.RawMessage
}

// into decodes the arguments.
func (a *toolRequest) into(dst any) error {
	if err := jsonbody.Unmarshal(a.arguments, dst); err != nil {
		return &domain.Error{Code: domain.CodeInvalid, Message: "The arguments cannot be read.", Err: err}
	}
	return nil
}

func (t *tool) definition() *mcp.Tool {
	no := false
	out := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: t.input,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: &no, IdempotentHint: t.reads, OpenWorldHint: &no},
	}
	if len(t.output) > 0 {
		out.OutputSchema = t.output
	}
	return out
}

// checked has the schemas of the tools, compiled once.
var checked schema.Cache

// askOf checks a call's arguments.
func (t *tool) askOf(req *mcp.CallToolRequest) (*toolRequest, error) {
	arguments := req.Params.Arguments
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if err := checked.Check(t.input, arguments, ""); err != nil {
		return nil, invalid(err)
	}
	return &toolRequest{req, arguments}, nil
}

// invalid gives the mistakes that a schema found our form.
func invalid(err error) error {
	wrong, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	out := domain.Errorf(domain.CodeInvalid, "The arguments do not fit the tool: %s", wrong.Message)
	out.Fields = fieldsOf(wrong.Mistakes)
	return out
}

func fieldsOf(mistakes []jsonbody.Mistake) []domain.FieldError {
	fields := make([]domain.FieldError, len(mistakes))
	for i, m := range mistakes {
		fields[i] = domain.FieldError{Pointer: m.Pointer, Code: m.Code, Message: m.Message}
	}
	return fields
}

// run makes the SDK's handler of a tool.
func (d *Door) run(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := t.askOf(req)
		if err != nil {
			return d.misfit(err)
		}
		out, err := t.do(callOf(ctx), ctx, in)
		if err != nil {
			return nil, d.toRPCError(err)
		}
		if result, whole := out.(*mcp.CallToolResult); whole {
			return result, nil
		}
		return structured(out), nil
	}
}

// misfit answers a call whose arguments do not fit: as a result, which a model reads and can act on.
// Whatever else went wrong is an error of the protocol.
func (d *Door) misfit(err error) (*mcp.CallToolResult, error) {
	wrong, ok := errors.AsType[*domain.Error](err)
	if !ok || wrong.Code != domain.CodeInvalid {
		return nil, d.toRPCError(err)
	}
	var text strings.Builder
	text.WriteString(wrong.Message)
	for _, f := range wrong.Fields {
		text.WriteString("\n- " + f.Pointer + ": " + f.Message)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text.String()}}}, nil
}

// structured gives a value as both forms that clients read: JSON, and the same as a text, as far as one reads
// it. Of what is long only the first form is whole.
func structured(v any) *mcp.CallToolResult {
	body := jsonbody.Encode(v)
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: truncated(string(body))}}, StructuredContent: body,
	}
}
