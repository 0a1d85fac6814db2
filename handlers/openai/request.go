package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/rounds"
)

// request is what is decoded of a chat completion request. Other fields (temperature, metadata …)
// are ignored: they are part of the provider's configuration.
type request struct {
	Model         string          `json:"model"`
	Messages      []wireMessage   `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions *streamOptions  `json:"stream_options"`
	N             *int            `json:"n"`
	Tools         json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Parallel      *bool           `json:"parallel_tool_calls"`
	Functions     json.RawMessage `json:"functions"`
	User          string          `json:"user"`
	MaxTokens     *int            `json:"max_tokens"`
	MaxCompletion *int            `json:"max_completion_tokens"`
	Format        json.RawMessage `json:"response_format"`
	Modalities    []string        `json:"modalities"`
	Audio         json.RawMessage `json:"audio"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  json.RawMessage `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// Roles of messages.
const (
	roleSystem    = "system"
	roleDeveloper = "developer"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// inputMessage is a message of a client, with its JSON pointers in the request.
type inputMessage struct {
	role, text  string
	pieces      []rounds.Piece // content of a user message
	at, content string
	// Of a tool result: the id of its call, and the JSON pointer of that below at.
	call, callAt string
	isCall       bool   // a tool call of the AI, without text
	ref          string // the id of an item that is referred to
}

// maxUser limits the user field.
const maxUser = 200

// maxTokens returns the limit of a plain call; 0: that of the provider.
func (r *request) maxTokens() int {
	for _, n := range []*int{r.MaxCompletion, r.MaxTokens} {
		if n != nil && *n > 0 {
			return *n
		}
	}
	return 0
}

func (r *request) wantsUsage() bool { return r.StreamOptions != nil && r.StreamOptions.IncludeUsage }

// readRequest decodes a request, whose size limits were checked before.
func readRequest(body []byte) (*request, error) {
	var r request
	if err := jsonbody.Fill(body, &r); err != nil {
		return nil, wrongTypeError(err)
	}
	if r.Model == "" {
		return nil, domain.Invalid("/model", "required", "model is missing. Try %q.", modelSession)
	}
	if len(r.Messages) == 0 {
		return nil, domain.Invalid("/messages", "required", "messages needs one message at least.")
	}
	if r.N != nil && *r.N != 1 {
		return nil, domain.Invalid("/n", "not_supported", "One answer is given at a time: leave n out.")
	}
	if len(r.User) > maxUser || !domain.IsName(r.User) {
		return nil, domain.Invalid("/user", "not_a_name", "user takes a line of %d bytes at most.", maxUser)
	}
	if isGiven(r.Functions) {
		return nil, domain.Invalid("/functions", "not_supported", "functions are an older form of tools: send tools.")
	}
	if err := r.checkFormat(); err != nil {
		return nil, err
	}
	if isGiven(r.Audio) {
		return nil, domain.Invalid("/audio", "not_supported", "Answers are text: leave audio out.")
	}
	for i, m := range r.Modalities {
		if m != "text" {
			return nil, domain.Invalid(fmt.Sprintf("/modalities/%d", i), "not_supported", "Answers are text.")
		}
	}
	return &r, nil
}

// wrongTypeError names the value of a body that has the wrong type.
func wrongTypeError(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || wrong.Field == "" {
		return &domain.Error{Code: domain.CodeInvalid, Message: "The body has a value of a type that cannot be used here.", Err: err}
	}
	pointer := "/" + strings.ReplaceAll(wrong.Field, ".", "/")
	return domain.Invalid(pointer, "wrong_type", "%s cannot be of the type %s.", wrong.Field, wrong.Value)
}

// checkFormat rejects response formats that are not supported: answers are text.
func (r *request) checkFormat() error {
	var format struct {
		Type string `json:"type"`
	}
	if isGiven(r.Format) && (json.Unmarshal(r.Format, &format) != nil || format.Type != "text") {
		return domain.Invalid("/response_format", "not_supported", `Answers are text: leave response_format out, or send {"type": "text"}.`)
	}
	return nil
}

// isGiven reports whether a field has a value that is not empty.
func isGiven(raw json.RawMessage) bool {
	text := string(bytes.TrimSpace(raw))
	return text != "" && text != "null" && text != "[]"
}

// inputMessages returns the messages as text and attachments.
func (r *request) inputMessages() ([]inputMessage, error) {
	all := make([]inputMessage, len(r.Messages))
	for i := range r.Messages {
		m := &r.Messages[i]
		switch m.Role {
		case roleSystem, roleDeveloper, roleUser, roleAssistant, roleTool:
		default:
			return nil, domain.Invalid(fmt.Sprintf("/messages/%d/role", i), "not_allowed",
				"role takes one of: system, developer, user, assistant, tool.")
		}
		at := fmt.Sprintf("/messages/%d", i)
		var err error
		if all[i], err = newInputMessage(m.Role, m.Content, at, at+"/content"); err != nil {
			return nil, err
		}
		if m.Role == roleTool {
			all[i].call, all[i].callAt = m.ToolCallID, "/tool_call_id"
		}
	}
	return all, nil
}
