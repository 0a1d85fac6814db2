//go:build conformance

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/rounds"
)

// anything is the schema of tools that look at none of their arguments.
var anything = json.RawMessage(`{"type":"object"}`)

// answering makes a fixture of one function.
func answering(name string, do func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)) *tool {
	return &tool{name: name, description: "A fixture.", role: domain.RoleViewer, input: anything,
		handle: func(_ *call, ctx context.Context, in *toolRequest) (any, error) { return do(ctx, in.CallToolRequest) }}
}

// saying makes a fixture that always answers the same.
func saying(name string, content ...mcp.Content) *tool {
	return answering(name, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	})
}

func words(format string, args ...any) mcp.Content {
	return &mcp.TextContent{Text: fmt.Sprintf(format, args...)}
}

func resource(uri string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "A text."}}
}

var (
	picture = &mcp.ImageContent{Data: []byte("\x89PNG\r\n\x1a\n"), MIMEType: "image/png"}
	sound   = &mcp.AudioContent{Data: []byte("RIFF\x04\x00\x00\x00WAVE"), MIMEType: "audio/wav"}
)

// fixtures are the tools that the suite calls.
func fixtures() []*tool {
	all := []*tool{
		saying("a_tool", words("The first of the list, which some scenarios call.")),
		saying("test_simple_text", words("This is a simple text response for testing.")),
		saying("test_image_content", picture), saying("test_audio_content", sound),
		saying("test_embedded_resource", resource("test://embedded-resource")),
		saying("test_multiple_content_types", words("Several."), picture, resource("test://mixed-content-resource")),
		saying("test_streaming_elicitation", words("Nothing is asked.")),
		saying("test_trigger_tool_change", words("The list is fixed.")), saying("test_trigger_prompt_change", words("The list is fixed.")),
		answering("test_error_handling", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{words("This tool intentionally fails.")}}, nil
		}),
		answering("test_tool_with_progress", progressing), answering("test_logging_tool", logging),
		answering("test_missing_capability", wanting),
		{name: "json_schema_2020_12_tool", description: "A fixture.", role: domain.RoleViewer, input: wideSchema, handle: silent},
		{name: "test_x_mcp_header", description: "A fixture.", role: domain.RoleViewer, handle: silent,
			input: schema.Compact(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`)},
	}
	return append(append(all, formFixtures()...), taskFixtures()...)
}

func silent(*call, context.Context, *toolRequest) (any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{words("Called.")}}, nil
}

// wideSchema has what a list must hand on as it is.
var wideSchema = schema.Compact(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
	"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)

func progressing(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, done := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Progress: done, Total: 100,
		}); err != nil {
			return nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{words("%v", req.Params.GetProgressToken())}}, nil
}

func logging(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "called"}) // dropped unless it was asked for
	return &mcp.CallToolResult{Content: []mcp.Content{words("Logged.")}}, nil
}

func wanting(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if able := req.ClientCapabilities(); able != nil && able.Sampling != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{words("Called.")}}, nil
	}
	return nil, &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is needed",
		Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
	}
}

// Forms, as the suite asks for them.

func nameForm() mcp.InputRequest {
	return &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
}

func sampling() mcp.InputRequest {
	return &mcp.CreateMessageParams{MaxTokens: 50, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Say hello."}}}}
}

// filled is what a form was answered with; nil: it was not accepted.
func filled(req *mcp.CallToolRequest, key string) map[string]any {
	if r, ok := req.Params.InputResponses[key].(*mcp.ElicitResult); ok && r.Action == formAccepted {
		return r.Content
	}
	return nil
}

func asks(state string, requests mcp.InputRequestMap) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}, nil
}

func said(format string, args ...any) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{words(format, args...)}}, nil
}

func formFixtures() []*tool {
	return []*tool{
		answering("test_input_required_result_elicitation", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if name, _ := filled(req, "user_name")["name"].(string); name != "" {
				return said("Hello, %s!", name)
			}
			return asks("", mcp.InputRequestMap{"user_name": nameForm()})
		}),
		answering("test_input_required_result_sampling", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if req.Params.InputResponses["capital_question"] != nil {
				return said("It was answered.")
			}
			return asks("", mcp.InputRequestMap{"capital_question": sampling()})
		}),
		answering("test_input_required_result_list_roots", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if req.Params.InputResponses["client_roots"] != nil {
				return said("There are roots.")
			}
			return asks("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}})
		}),
		sealed("test_input_required_result_request_state"), sealed("test_input_required_result_tampered_state"),
		answering("test_input_required_result_multiple_inputs", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if len(req.Params.InputResponses) == 3 {
				return said("All are answered.")
			}
			return asks("several", mcp.InputRequestMap{"user_name": nameForm(), "greeting": sampling(), "client_roots": &mcp.ListRootsParams{}})
		}),
		answering("test_input_required_result_multi_round", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			name, second := strings.CutPrefix(req.Params.RequestState, "second ")
			switch {
			case second:
				return said("%s likes %v", name, filled(req, "step2")["color"])
			case req.Params.RequestState == "first":
				return asks(fmt.Sprintf("second %v", filled(req, "step1")["name"]), mcp.InputRequestMap{"step2": &mcp.ElicitParams{
					Message: "Which colour?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"color":{"type":"string"}}}`)}})
			}
			return asks("first", mcp.InputRequestMap{"step1": nameForm()})
		}),
		answering("test_input_required_result_capabilities", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			able, requests := req.ClientCapabilities(), mcp.InputRequestMap{}
			if able != nil && able.Elicitation != nil {
				requests["user_name"] = nameForm()
			}
			if able != nil && able.Sampling != nil {
				requests["greeting"] = sampling()
			}
			if len(requests) == 0 || len(req.Params.InputResponses) > 0 {
				return said("Nothing is asked.")
			}
			return asks("", requests)
		}),
	}
}

// sealed is a fixture whose state is sealed as the door seals its own.
func sealed(name string) *tool {
	return &tool{name: name, description: "A fixture.", role: domain.RoleViewer, input: anything,
		handle: func(c *call, _ context.Context, in *toolRequest) (any, error) {
			if in.Params.RequestState == "" || in.Params.InputResponses["confirm"] == nil {
				state, err := c.Keys.Seal("state", c.statePlace())
				if err != nil {
					return nil, err
				}
				return asks(state, mcp.InputRequestMap{"confirm": &mcp.ElicitParams{Message: "Sure?", RequestedSchema: json.RawMessage(
					`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)}})
			}
			if _, err := c.Keys.Open(in.Params.RequestState, c.statePlace()); err != nil {
				return nil, invalidState(err)
			}
			return said("state-ok")
		}}
}

// Tools that take long.

func taskFixtures() []*tool {
	needing := func(_ *call, _ context.Context, in *toolRequest) (any, error) { return nil, requireTasks(in.Session) }
	return []*tool{
		{name: "greet", description: "A fixture.", role: domain.RoleViewer, input: anything,
			handle: func(_ *call, _ context.Context, in *toolRequest) (any, error) {
				var args struct{ Name string }
				if err := in.decode(&args); err != nil {
					return nil, err
				}
				return said("Hello, %s!", args.Name)
			}},
		{name: "slow_compute", description: "A fixture.", role: domain.RoleViewer, input: anything, start: beginSlow,
			handle: func(c *call, ctx context.Context, in *toolRequest) (any, error) {
				s, err := beginSlow(c, ctx, in)
				if err != nil {
					return nil, err
				}
				return c.resultOf(s, false), nil
			}},
		{name: "failing_job", description: "A fixture.", role: domain.RoleViewer, input: anything, handle: needing,
			start: beginning(func(s *slow) { s.ends, s.why = theClock().Add(time.Second), domain.EndLimitReached })},
		{name: "protocol_error_job", description: "A fixture.", role: domain.RoleViewer, input: anything, handle: needing,
			start: beginning(func(s *slow) { s.why = domain.EndError })},
		{name: "confirm_delete", description: "A fixture.", role: domain.RoleViewer, input: anything, handle: needing,
			start: beginning(func(s *slow) { s.ask("confirm") })},
		{name: "multi_input", description: "A fixture.", role: domain.RoleViewer, input: anything, handle: needing,
			start: beginning(func(s *slow) { s.ask("one"); s.ask("two") })},
		{name: "test_tool_with_task", description: "A fixture.", role: domain.RoleViewer, input: anything, start: afterForm,
			handle: func(_ *call, _ context.Context, in *toolRequest) (any, error) {
				if err := requireTasks(in.Session); err != nil {
					return nil, err
				}
				return asks("", mcp.InputRequestMap{"user_name": nameForm()})
			}},
	}
}

// afterForm begins once the form was filled in.
func afterForm(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error) {
	name, _ := filled(in.CallToolRequest, "user_name")["name"].(string)
	if name == "" {
		return nil, nil
	}
	return beginning(func(s *slow) { s.text = "Hello, " + name + "!" })(c, ctx, in)
}

func beginSlow(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error) {
	var args struct{ Seconds float64 }
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	return beginning(func(s *slow) { s.ends = theClock().Add(time.Duration(args.Seconds * float64(time.Second))) })(c, ctx, in)
}

func beginning(how func(*slow)) func(*call, context.Context, *toolRequest) (*rounds.Progress, error) {
	return func(c *call, ctx context.Context, _ *toolRequest) (*rounds.Progress, error) {
		w, ok := c.Record.(*fakeWorld)
		if !ok {
			return nil, errors.New("there is no world of fixtures")
		}
		return c.roundOf(w.begin(how), "").Progress(ctx)
	}
}
