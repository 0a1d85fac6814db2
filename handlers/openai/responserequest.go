package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// responseRequest is what is decoded of a request for a response. Other fields (temperature,
// truncation …) are ignored: they are part of the provider's configuration.
type responseRequest struct {
	Model        string            `json:"model"`
	Input        json.RawMessage   `json:"input"`
	Instructions json.RawMessage   `json:"instructions"`
	Stream       bool              `json:"stream"`
	Background   bool              `json:"background"`
	Store        *bool             `json:"store"`
	Previous     string            `json:"previous_response_id"`
	Talk         json.RawMessage   `json:"conversation"`
	Metadata     map[string]string `json:"metadata"`
	Tools        json.RawMessage   `json:"tools"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Parallel     *bool             `json:"parallel_tool_calls"`
	Prompt       json.RawMessage   `json:"prompt"`
	Text         json.RawMessage   `json:"text"`
	User         string            `json:"user"`

	unoffered []unofferedTool // set after Tools were read
}

// inputItem is an item of an input that is a list.
type inputItem struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	// Fields of a tool result.
	CallID string          `json:"call_id"`
	Output json.RawMessage `json:"output"`
}

// Limits of metadata, as OpenAI has them.
const (
	maxMetadata      = 16
	maxMetadataName  = 64
	maxMetadataValue = 512
)

func readResponseRequest(body []byte) (*responseRequest, error) {
	var r responseRequest
	if err := jsonbody.Fill(body, &r); err != nil {
		return nil, wrongTypeError(err)
	}
	switch {
	case r.Model == "":
		return nil, domain.Invalid("/model", "required", "model is missing. Try %q.", modelSession)
	case r.Model == modelRaw:
		return nil, domain.Invalid("/model", "not_supported",
			"%s is a plain call, of which nothing is kept: send it to chat completions. Here the model is %q.", modelRaw, modelSession)
	case !isGiven(r.Input):
		return nil, domain.Invalid("/input", "required", "input is missing: a text, or a list of messages.")
	case isGiven(r.Prompt):
		return nil, domain.Invalid("/prompt", "not_supported", "There are no stored prompts here: send their text as input.")
	case len(r.User) > maxUser || !domain.IsName(r.User):
		return nil, domain.Invalid("/user", "not_a_name", "user takes a line of %d bytes at most.", maxUser)
	case r.Previous != "" && isGiven(r.Talk):
		return nil, domain.Invalid("/conversation", "not_allowed", "previous_response_id names the session already: send one of the two.")
	}
	if err := r.checkText(); err != nil {
		return nil, err
	}
	return &r, r.checkMetadata()
}

// checkText rejects text formats that are not supported: answers are text.
func (r *responseRequest) checkText() error {
	var text struct {
		Format *struct {
			Type string `json:"type"`
		} `json:"format"`
	}
	if isGiven(r.Text) && (json.Unmarshal(r.Text, &text) != nil || text.Format != nil && text.Format.Type != "text") {
		return domain.Invalid("/text/format", "not_supported", `Answers are text: leave text.format out, or send {"type": "text"}.`)
	}
	return nil
}

func (r *responseRequest) checkMetadata() error {
	if len(r.Metadata) > maxMetadata {
		return domain.Invalid("/metadata", "too_many", "metadata has %d names at most.", maxMetadata)
	}
	for name, value := range r.Metadata {
		if utf8.RuneCountInString(name) > maxMetadataName || utf8.RuneCountInString(value) > maxMetadataValue {
			return domain.Invalid("/metadata", "too_long",
				"A name of metadata has %d characters at most, a value %d.", maxMetadataName, maxMetadataValue)
		}
	}
	return nil
}

// instructions returns the client's instructions for the model.
func (r *responseRequest) instructions() (string, error) {
	if !isGiven(r.Instructions) {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(r.Instructions, &text); err != nil {
		return "", domain.Invalid("/instructions", "wrong_type", "instructions takes a text.")
	}
	return text, nil
}

// sessionName returns the name of the session in conversation; "" for none.
func (r *responseRequest) sessionName() (string, error) {
	if !isGiven(r.Talk) {
		return "", nil
	}
	var name string
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(r.Talk, &name) != nil {
		if json.Unmarshal(r.Talk, &object) != nil {
			return "", domain.Invalid("/conversation", "wrong_type", "conversation takes an id, or an object with one.")
		}
		name = object.ID
	}
	if name = strings.TrimSpace(name); name == "" || len(name) > maxScope || !domain.IsName(name) {
		return "", domain.Invalid("/conversation", "not_a_name", "conversation takes a line of %d bytes at most.", maxScope)
	}
	return name, nil
}

// inputMessages returns the messages of a request, the instructions first.
func (r *responseRequest) inputMessages() ([]inputMessage, error) {
	instructions, err := r.instructions()
	if err != nil {
		return nil, err
	}
	var all []inputMessage
	if instructions != "" {
		all = append(all, inputMessage{role: roleSystem, text: instructions, at: "/input"})
	}
	if raw := bytes.TrimSpace(r.Input); raw[0] == '"' {
		m, err := newInputMessage(roleUser, raw, "/input", "/input")
		return append(all, m), err
	}
	var items []inputItem
	if err := json.Unmarshal(r.Input, &items); err != nil {
		return nil, domain.Invalid("/input", "wrong_type", "input takes a text or a list of messages.")
	}
	for i := range items {
		m, err := items[i].message(fmt.Sprintf("/input/%d", i))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// message converts an item to a message.
func (m *inputItem) message(pointer string) (inputMessage, error) {
	switch kind := m.kind(); {
	case kind == "message":
	case kind == itemReference:
		return inputMessage{role: roleAssistant, at: pointer, content: pointer, ref: m.ID}, nil
	case kind == itemCall, ignoredItems[kind]: // in the record already, or of another server
		return inputMessage{role: roleAssistant, at: pointer, content: pointer, isCall: true}, nil
	case kind == itemResult:
		out, err := newInputMessage(roleTool, m.Output, pointer, pointer+"/output")
		out.call, out.callAt = m.CallID, "/call_id"
		return out, err
	default:
		return inputMessage{}, domain.Invalid(pointer+"/type", "not_supported", "Items of the type %.80q cannot be sent. Nothing was stored.", kind)
	}
	switch m.Role {
	case roleSystem, roleDeveloper, roleUser, roleAssistant:
	default:
		return inputMessage{}, domain.Invalid(pointer+"/role", "not_allowed", "role takes one of: system, developer, user, assistant.")
	}
	return newInputMessage(m.Role, m.Content, pointer, pointer+"/content")
}
