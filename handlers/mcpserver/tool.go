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

// tool is a tool that clients can call.
type tool struct {
	name, title, description string
	role                     domain.Role
	readOnly                 bool // it changes nothing
	answersForPerson         bool // it answers for a person: only if the workspace allows it
	input, output            json.RawMessage
	handle                   func(c *call, ctx context.Context, in *toolRequest) (any, error)
	// start starts a long operation without waiting for it; nil: the tool has none.
	start func(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error)
}

// toolRequest is a call of a tool whose arguments are valid.
type toolRequest struct {
	*mcp.CallToolRequest

	arguments json.RawMessage
}

// decode decodes the arguments.
func (a *toolRequest) decode(dst any) error {
	if err := jsonbody.Unmarshal(a.arguments, dst); err != nil {
		return &domain.Error{Code: domain.CodeInvalid, Message: "The arguments cannot be decoded.", Err: err}
	}
	return nil
}

func (t *tool) definition() *mcp.Tool {
	no := false
	out := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: t.input,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, DestructiveHint: &no, IdempotentHint: t.readOnly, OpenWorldHint: &no},
	}
	if len(t.output) > 0 {
		out.OutputSchema = t.output
	}
	return out
}

// schemas caches the compiled schemas of the tools.
var schemas schema.Cache

// readRequest validates the arguments of a call.
func (t *tool) readRequest(req *mcp.CallToolRequest) (*toolRequest, error) {
	arguments := req.Params.Arguments
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if err := schemas.Check(t.input, arguments, ""); err != nil {
		return nil, invalid(err)
	}
	return &toolRequest{req, arguments}, nil
}

// invalid converts an error of a schema to one of the domain.
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

// run returns the SDK's handler of a tool.
func (d *Door) run(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := t.readRequest(req)
		if err != nil {
			return d.invalidArguments(err)
		}
		out, err := t.handle(callOf(ctx), ctx, in)
		if err != nil {
			return nil, d.toRPCError(err)
		}
		if result, whole := out.(*mcp.CallToolResult); whole {
			return result, nil
		}
		return structured(out), nil
	}
}

// invalidArguments answers a call with invalid arguments by a result, which a model can act on.
// Other errors are errors of the protocol.
func (d *Door) invalidArguments(err error) (*mcp.CallToolResult, error) {
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

// structured returns a value in both forms that clients read: JSON, and the same as text, which may
// be truncated.
func structured(v any) *mcp.CallToolResult {
	body := jsonbody.Encode(v)
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: truncated(string(body))}}, StructuredContent: body,
	}
}
