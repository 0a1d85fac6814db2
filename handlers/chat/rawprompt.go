package chat

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// wireCall is a call of a client's tool.
type wireCall struct {
	Index    *int         `json:"index,omitempty"` // in a chunk
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// maxTools limits the tools of a call, as OpenAI does.
const maxTools = 128

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// plainPrompt converts a request to a prompt without changing its contents.
func plainPrompt(ask *request) (*ai.Prompt, error) {
	b := &promptBuilder{prompt: &ai.Prompt{Protocol: domain.ProtocolNative}, calls: map[string]*domain.RawCall{}}
	var err error
	if b.prompt.Commands, err = ask.commands(); err != nil {
		return nil, err
	}
	for i := range ask.Messages {
		if err := b.add(&ask.Messages[i], fmt.Sprintf("/messages/%d", i)); err != nil {
			return nil, err
		}
	}
	b.completeCalls()
	if n := len(b.prompt.Turns); n == 0 || b.prompt.Turns[n-1].Role != ai.TurnUser {
		return nil, domain.Invalid("/messages", "not_a_message", "The last message must be one of the user, or the result of a tool.")
	}
	return b.prompt, nil
}

// commands returns the tools of the client.
func (r *request) commands() ([]domain.CommandSpec, error) {
	offered, err := openai.Offers(r.Tools, r.ToolChoice)
	if err != nil || !offered {
		return nil, err
	}
	var tools []wireTool
	if err := json.Unmarshal(r.Tools, &tools); err != nil || len(tools) > maxTools {
		return nil, domain.Invalid("/tools", "wrong_type", "tools takes a list of %d functions at most.", maxTools)
	}
	var specs []domain.CommandSpec
	for i, t := range tools {
		if t.Type != "function" || !toolName.MatchString(t.Function.Name) {
			return nil, domain.Invalid(fmt.Sprintf("/tools/%d", i), "not_supported",
				"A tool is of type function and has a name of up to 64 letters, digits, dashes and underscores.")
		}
		params := t.Function.Parameters
		if !openai.IsGiven(params) {
			params = rounds.NoParams
		}
		specs = append(specs, domain.CommandSpec{Name: t.Function.Name, Description: t.Function.Description, Params: params})
	}
	return specs, nil
}

// tools returns the tools of a request to a session, and the format of the answer; nil if there are none.
func (r *request) tools() (*domain.ClientTools, error) {
	specs, err := r.commands()
	if err != nil || len(specs) == 0 {
		return (*domain.ClientTools)(nil).WithAnswer(r.answer), err
	}
	tools := &domain.ClientTools{OneAtATime: r.Parallel != nil && !*r.Parallel}
	for _, s := range specs {
		tools.List = append(tools.List, domain.ClientTool{Name: s.Name, Description: s.Description, Params: s.Params})
	}
	return tools.WithAnswer(r.answer), nil
}

// promptBuilder builds a prompt that is valid for every vendor: the two sides alternate, and every
// call has a result.
type promptBuilder struct {
	prompt *ai.Prompt
	calls  map[string]*domain.RawCall // by id, those without a result
	order  []string
}

func (b *promptBuilder) add(m *wireMessage, pointer string) error {
	text, err := openai.TextOf(m.Content, pointer+"/content")
	if err != nil {
		return err
	}
	switch m.Role {
	case openai.RoleSystem, openai.RoleDeveloper:
		b.prompt.System = rounds.Joined(b.prompt.System, text)
	case openai.RoleUser:
		b.completeCalls()
		b.put(ai.TurnUser, ai.Block{Kind: ai.BlockText, Text: text})
	case openai.RoleAssistant:
		return b.answer(m, text, pointer)
	case openai.RoleTool:
		call := b.calls[m.ToolCallID]
		if call == nil {
			return domain.Invalid(pointer+"/tool_call_id", "unknown_call", "This is the result of no call that was made before it.")
		}
		delete(b.calls, m.ToolCallID)
		b.put(ai.TurnUser, ai.Block{Kind: ai.BlockResult, Text: text, CallID: call.ID, Call: call})
	default:
		return domain.Invalid(pointer+"/role", "not_allowed", "role takes one of: system, developer, user, assistant, tool.")
	}
	return nil
}

// answer adds an answer of the model and its calls.
func (b *promptBuilder) answer(m *wireMessage, text, pointer string) error {
	b.completeCalls()
	var calls []wireCall
	if openai.IsGiven(m.ToolCalls) && json.Unmarshal(m.ToolCalls, &calls) != nil {
		return domain.Invalid(pointer+"/tool_calls", "wrong_type", "tool_calls takes a list of calls.")
	}
	raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: text, StopReason: "stop"}
	for i, c := range calls {
		if c.ID == "" || b.calls[c.ID] != nil || !json.Valid([]byte(c.Function.Arguments)) {
			return domain.Invalid(fmt.Sprintf("%s/tool_calls/%d", pointer, i), "wrong_call",
				"A call has an id of its own, and arguments that are JSON.")
		}
		call := domain.RawCall{ID: c.ID, ProviderID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}
		raw.Calls = append(raw.Calls, call)
		b.calls[c.ID] = &call
		b.order = append(b.order, c.ID)
		raw.StopReason = "calls"
	}
	if text == "" && len(calls) == 0 {
		return nil
	}
	if len(b.prompt.Turns) == 0 { // a greeting: the user's side has to begin
		b.put(ai.TurnUser, ai.Block{Kind: ai.BlockText, Text: "…"})
	}
	b.put(ai.TurnAssistant, ai.Block{Kind: ai.BlockAnswer, Answer: raw})
	return nil
}

// completeCalls adds a result to each call without one.
func (b *promptBuilder) completeCalls() {
	for _, id := range b.order {
		if call := b.calls[id]; call != nil {
			none := ai.Block{Kind: ai.BlockResult, Text: "No result was given.", CallID: id, Call: call, IsError: true}
			b.put(ai.TurnUser, none)
		}
	}
	clear(b.calls)
	b.order = nil
}

// put adds a block to the current side.
func (b *promptBuilder) put(role ai.TurnRole, block ai.Block) {
	if n := len(b.prompt.Turns); n > 0 && b.prompt.Turns[n-1].Role == role {
		b.prompt.Turns[n-1].Blocks = append(b.prompt.Turns[n-1].Blocks, block)
		return
	}
	b.prompt.Turns = append(b.prompt.Turns, &ai.Turn{Role: role, Blocks: []ai.Block{block}})
}
