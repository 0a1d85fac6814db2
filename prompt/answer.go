package prompt

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// Marks at the end of an incomplete answer: cancelled by a person, interrupted, or filtered.
const (
	interruptedMark = "[interrupted here by the person]"
	brokenOffMark   = "[the answer broke off here]"
	filteredMark    = "[the provider's filter cut the answer here]"
)

// endMark returns the mark of an incomplete answer.
func endMark(m *domain.Message) string {
	if m.AI == nil {
		return interruptedMark
	}
	switch m.AI.StopReason {
	case domain.StopBrokenOff:
		return brokenOffMark
	case domain.StopFiltered:
		return filteredMark
	}
	return interruptedMark
}

// emptyAnswer replaces an empty answer: APIs reject empty turns.
const emptyAnswer = "(an empty answer)"

// answerBlocks converts an AI message to an assistant turn for a protocol. The raw answer is sent
// back unchanged; one of the other protocol is sent as text, since a provider without tools rejects
// calls.
func answerBlocks(m *domain.Message, protocol domain.Protocol) []ai.Block {
	raw := m.Raw
	if m.Status == domain.MessageInterrupted {
		return textBlocks(interrupted(m))
	}
	if raw == nil {
		return textBlocks(displayed(m))
	}
	calls := raw.Protocol == domain.ProtocolNative && len(raw.Calls) > 0
	switch {
	case strings.TrimSpace(raw.Text) == "" && !calls:
		return textBlocks("")
	case raw.Protocol == domain.ProtocolNative && protocol == domain.ProtocolJSON:
		return textBlocks(asJSON(m))
	case raw.Protocol == protocol && (calls || len(raw.Calls) == 0):
		return []ai.Block{{Kind: ai.BlockAnswer, Answer: sendable(raw)}}
	}
	return textBlocks(raw.Text)
}

func textBlocks(text string) []ai.Block {
	if strings.TrimSpace(text) == "" {
		text = emptyAnswer
	}
	return []ai.Block{{Kind: ai.BlockText, Text: text}}
}

func displayed(m *domain.Message) string {
	if m.AI != nil && m.AI.PreText != "" {
		return m.AI.PreText
	}
	return m.Text
}

func interrupted(m *domain.Message) string {
	text := displayed(m)
	if m.Raw != nil && m.Raw.Text != "" {
		text = m.Raw.Text
	}
	if strings.TrimSpace(text) == "" {
		return endMark(m)
	}
	return strings.TrimRight(text, " \n") + "\n" + endMark(m)
}

// sendable returns the raw answer in a form that every API accepts. Invalid arguments and names (of
// a truncated answer or an invented call) would make every later request of the session fail; the
// FORMAT_ERROR after it describes the original.
func sendable(raw *domain.RawAnswer) *domain.RawAnswer {
	var fixed []domain.RawCall
	for i, call := range raw.Calls {
		name, arguments := callName(call.Name), call.Arguments
		if !isObject([]byte(arguments)) {
			arguments = "{}"
		}
		if name == call.Name && arguments == call.Arguments {
			continue
		}
		if fixed == nil {
			fixed = append([]domain.RawCall(nil), raw.Calls...)
		}
		fixed[i].Name, fixed[i].Arguments = name, arguments
	}
	if fixed == nil {
		return raw
	}
	c := *raw
	c.Calls = fixed
	return &c
}

// callName returns a tool name that all APIs accept.
func callName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), 64)]
}

type wireCommand struct {
	Type   string          `json:"type"`
	Params json.RawMessage `json:"params"`
}

type wireAnswer struct {
	PreText           string         `json:"pre_text"`
	ValidationRequest bool           `json:"validation_request,omitempty"`
	DataCommands      []wireCommand  `json:"data_commands,omitempty"`
	ActionCommands    []wireCommand  `json:"action_commands,omitempty"`
	Module            *domain.Module `json:"communication_module,omitempty"`
	Completed         bool           `json:"completed,omitempty"`
}

// asJSON renders an answer with native calls in the JSON protocol, or as plain text if it could not
// be parsed.
func asJSON(m *domain.Message) string {
	if m.AI == nil && len(m.Raw.Calls) == 0 {
		m = &domain.Message{AI: &domain.AIMessage{PreText: m.Raw.Text}}
	}
	if m.AI != nil && m.AI.PreText != domain.InvalidFormatText {
		encoded, err := json.Marshal(wireAnswer{
			PreText: m.AI.PreText, ValidationRequest: m.AI.ValidationRequest,
			DataCommands: wireCommands(withClientCalls(m.AI)), ActionCommands: wireCommands(m.AI.ActionCommands),
			Module: m.AI.Module, Completed: m.AI.Completed,
		})
		if err == nil {
			return string(encoded)
		}
	}
	parts := []string{m.Raw.Text}
	for _, call := range m.Raw.Calls {
		parts = append(parts, "[call of "+call.Name+" with "+call.Arguments+"]")
	}
	return join(parts)
}

// withClientCalls returns the queries followed by the calls of a client's tools.
func withClientCalls(a *domain.AIMessage) []domain.Command {
	all := a.DataCommands
	for _, c := range a.ClientCalls {
		all = append(slices.Clip(all), domain.Command{Type: c.Name, Params: c.Params})
	}
	return all
}

func wireCommands(commands []domain.Command) []wireCommand {
	out := make([]wireCommand, 0, len(commands))
	for _, c := range commands {
		params := c.Params
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		out = append(out, wireCommand{Type: c.Type, Params: params})
	}
	return out
}
