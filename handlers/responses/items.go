package responses

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
)

// Types of items that are not messages.
const (
	itemReference = "item_reference"
	itemCall      = "function_call"
	itemResult    = "function_call_output"
)

// wireItem is an item of an input that is a list.
type wireItem struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	// Fields of a tool result.
	CallID string          `json:"call_id"`
	Output json.RawMessage `json:"output"`
}

// ignoredItems are items of a history that are ignored, because the model needs none of them: calls
// and results of tools that ran elsewhere, and reasoning.
var ignoredItems = map[string]bool{
	"reasoning": true, "compaction": true, "custom_tool_call": true, "custom_tool_call_output": true, "web_search_call": true,
	"file_search_call": true, "code_interpreter_call": true, "image_generation_call": true, "computer_call": true,
	"computer_call_output": true, "local_shell_call": true, "local_shell_call_output": true, "shell_call": true,
	"shell_call_output": true, "apply_patch_call": true, "apply_patch_call_output": true, "mcp_call": true, "mcp_list_tools": true,
	"mcp_approval_request": true, "mcp_approval_response": true, "tool_search_call": true, "tool_search_output": true,
	"compaction_summary": true, "context_compaction": true, "configuration_update": true,
}

// kind returns the type of an item, which clients leave out of messages and references.
func (m *wireItem) kind() string {
	switch {
	case m.Type != "":
		return m.Type
	case m.ID != "" && m.Role == "" && len(m.Content) == 0:
		return itemReference
	}
	return "message"
}

// inputItem is a message of an input, a call of a client's tool or a reference.
type inputItem struct {
	openai.InputMessage

	isCall bool   // a tool call of the AI, without text
	ref    string // the id of an item that is referred to
}

// messagesOf returns the items as messages.
func messagesOf(all []inputItem) []openai.InputMessage {
	messages := make([]openai.InputMessage, len(all))
	for i := range all {
		messages[i] = all[i].InputMessage
	}
	return messages
}

// withoutCalls returns the items without calls: a client may send each before its result.
func withoutCalls(all []inputItem) []inputItem {
	var rest []inputItem
	for _, m := range all {
		if !m.isCall {
			rest = append(rest, m)
		}
	}
	return rest
}

// inputItems returns the items of a request, the instructions first.
func (r *request) inputItems() ([]inputItem, error) {
	instructions, err := r.instructions()
	if err != nil {
		return nil, err
	}
	var all []inputItem
	if instructions != "" {
		all = append(all, inputItem{InputMessage: openai.InputMessage{Role: openai.RoleSystem, Text: instructions, At: "/input"}})
	}
	if raw := bytes.TrimSpace(r.Input); raw[0] == '"' {
		m, err := openai.NewInputMessage(openai.RoleUser, raw, "/input", "/input")
		return append(all, inputItem{InputMessage: m}), err
	}
	var items []wireItem
	if err := json.Unmarshal(r.Input, &items); err != nil {
		return nil, domain.Invalid("/input", "wrong_type", "input takes a text or a list of messages.")
	}
	for i := range items {
		m, err := items[i].read(fmt.Sprintf("/input/%d", i))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// read reads an item.
func (m *wireItem) read(at string) (out inputItem, err error) {
	out.Role, out.At = openai.RoleAssistant, at
	switch kind := m.kind(); {
	case kind == "message":
	case kind == itemReference:
		out.ref = m.ID
		return out, nil
	case kind == itemCall, ignoredItems[kind]: // in the record already, or of another server
		out.isCall = true
		return out, nil
	case kind == itemResult:
		out.InputMessage, err = openai.NewInputMessage(openai.RoleTool, m.Output, at, at+"/output")
		out.Call, out.CallAt = m.CallID, "/call_id"
		return out, err
	default:
		return out, domain.Invalid(at+"/type", "not_supported", "Items of the type %.80q cannot be sent. Nothing was stored.", kind)
	}
	switch m.Role {
	case openai.RoleSystem, openai.RoleDeveloper, openai.RoleUser, openai.RoleAssistant:
	default:
		return out, domain.Invalid(at+"/role", "not_allowed", "role takes one of: system, developer, user, assistant.")
	}
	out.InputMessage, err = openai.NewInputMessage(m.Role, m.Content, at, at+"/content")
	return out, err
}
