package chat

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/internal/jsonbody"
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
	Safety        string          `json:"safety_identifier"`
	MaxTokens     *int            `json:"max_tokens"`
	MaxCompletion *int            `json:"max_completion_tokens"`
	Format        json.RawMessage `json:"response_format"`
	Modalities    []string        `json:"modalities"`
	Audio         json.RawMessage `json:"audio"`

	answer *domain.AnswerFormat // of Format; nil: text
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

// maxTokens returns the limit of a plain call; 0: that of the provider.
func (r *request) maxTokens() int {
	for _, n := range []*int{r.MaxCompletion, r.MaxTokens} {
		if n != nil && *n > 0 {
			return *n
		}
	}
	return 0
}

func (r *request) user() openai.User { return openai.User{User: r.User, SafetyIdentifier: r.Safety} }

func (r *request) wantsUsage() bool { return r.StreamOptions != nil && r.StreamOptions.IncludeUsage }

// readRequest decodes a request, whose size limits were checked before.
func readRequest(body []byte) (*request, error) {
	var r request
	if err := jsonbody.Fill(body, &r); err != nil {
		return nil, openai.WrongType(err)
	}
	if r.Model == "" {
		return nil, domain.Invalid("/model", "required", "model is missing. Try %q.", openai.ModelSession)
	}
	if len(r.Messages) == 0 {
		return nil, domain.Invalid("/messages", "required", "messages needs one message at least.")
	}
	if r.N != nil && *r.N != 1 {
		return nil, domain.Invalid("/n", "not_supported", "One answer is given at a time: leave n out.")
	}
	if err := r.user().Check(); err != nil {
		return nil, err
	}
	if openai.IsGiven(r.Functions) {
		return nil, domain.Invalid("/functions", "not_supported", "functions are an older form of tools: send tools.")
	}
	var err error
	if r.answer, err = openai.ReadAnswerFormat(r.Format, "/response_format", "json_schema"); err != nil {
		return nil, err
	}
	if openai.IsGiven(r.Audio) {
		return nil, domain.Invalid("/audio", "not_supported", "Answers are text: leave audio out.")
	}
	for i, m := range r.Modalities {
		if m != "text" {
			return nil, domain.Invalid(fmt.Sprintf("/modalities/%d", i), "not_supported", "Answers are text.")
		}
	}
	return &r, nil
}

// inputMessages returns the messages as text and attachments.
func (r *request) inputMessages() ([]openai.InputMessage, error) {
	all := make([]openai.InputMessage, len(r.Messages))
	for i := range r.Messages {
		m := &r.Messages[i]
		switch m.Role {
		case openai.RoleSystem, openai.RoleDeveloper, openai.RoleUser, openai.RoleAssistant, openai.RoleTool:
		default:
			return nil, domain.Invalid(fmt.Sprintf("/messages/%d/role", i), "not_allowed",
				"role takes one of: system, developer, user, assistant, tool.")
		}
		at := fmt.Sprintf("/messages/%d", i)
		var err error
		if all[i], err = openai.NewInputMessage(m.Role, m.Content, at, at+"/content"); err != nil {
			return nil, err
		}
		if m.Role == openai.RoleTool {
			all[i].Call, all[i].CallAt = m.ToolCallID, "/tool_call_id"
		}
	}
	return all, nil
}
