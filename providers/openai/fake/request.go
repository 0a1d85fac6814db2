package fake

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/fermata-dev/fermata/providers/suite"
)

// request is all that a vendor knows; some refuse every other member, so this one
// does.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Tools               json.RawMessage `json:"tools"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	ServiceTier         string          `json:"service_tier"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	PromptCacheKey      string          `json:"prompt_cache_key"`
	ResponseFormat      json.RawMessage `json:"response_format"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ReasoningContent *string         `json:"reasoning_content"`
	ToolCallID       string          `json:"tool_call_id"`
	Name             string          `json:"name"`
	ToolCalls        []struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Function json.RawMessage `json:"function"`
	} `json:"tool_calls"`
}

// read takes a request in, or says why the vendor refuses it.
func (d dialect) read(r *http.Request, body []byte) (*request, error) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Content-Type") != "application/json" || r.ContentLength != int64(len(body)) {
		return nil, fmt.Errorf("%s %s of %d bytes is no request of this wire", r.Method, r.URL.Path, r.ContentLength)
	}
	q := &request{}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(q); err != nil {
		return nil, fmt.Errorf("cannot read the request: %w", err)
	}
	limit := map[bool]string{true: "max_completion_tokens", false: "max_tokens"}[q.MaxCompletionTokens > 0]
	if want := orElse(d.limit, "max_tokens"); limit != want {
		return nil, fmt.Errorf("%s is not supported, use %s", limit, want)
	}
	switch {
	case d.noTools && q.Tools != nil:
		return nil, fmt.Errorf("tools are not supported")
	case d.noStreamOptions && q.StreamOptions != nil:
		return nil, fmt.Errorf("stream_options: extra inputs are not permitted")
	case d.name != "openai" && q.PromptCacheKey != "":
		return nil, fmt.Errorf("prompt_cache_key is not known")
	case d.noParallel && q.ParallelToolCalls != nil:
		return nil, fmt.Errorf("parallel_tool_calls is not known")
	}
	return q, d.readMessages(q.Messages)
}

var shortID = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

func (d dialect) readMessages(messages []message) error {
	open := map[string]bool{} // calls without a result
	for i, m := range messages {
		if err := m.readContent(); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		switch {
		case i == 0 && m.Role != orElse(d.role, "system"):
			return fmt.Errorf("the first message is of the role %q", m.Role)
		case m.ReasoningContent != nil && !d.echo:
			return fmt.Errorf("property 'reasoning_content' is unsupported")
		case d.echo && len(m.ToolCalls) > 0 && m.ReasoningContent == nil:
			return fmt.Errorf("missing reasoning_content in message %d", i)
		case d.bridge && i > 0 && m.Role == "user" && messages[i-1].Role == "tool":
			return fmt.Errorf("unexpected role 'user' after role 'tool'")
		case m.Role == "tool" && !open[m.ToolCallID]:
			return fmt.Errorf("message %d answers a call that was not made: %q", i, m.ToolCallID)
		case m.Role != "tool" && len(open) > 0:
			return fmt.Errorf("%d calls before message %d have no result", len(open), i)
		}
		delete(open, m.ToolCallID)
		for _, call := range m.ToolCalls {
			if call.ID == "" || open[call.ID] || (d.shortIDs && !shortID.MatchString(call.ID)) {
				return fmt.Errorf("tool call id was %q but must be a-z, A-Z, 0-9, with a length of 9, and its own", call.ID)
			}
			open[call.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d calls have no result", len(open))
	}
	return nil
}

// readContent takes text, null, or a list of texts and pictures.
func (m *message) readContent() error {
	if len(m.Content) == 0 || m.Content[0] != '[' {
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != "" && p.ImageURL == nil:
		case p.Type == "image_url" && p.ImageURL != nil && m.Role == "user":
			kind, data, ok := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
			content, err := base64.StdEncoding.DecodeString(data)
			if !ok || err != nil || !suite.IsPicture(kind, content) {
				return fmt.Errorf("invalid image of %d bytes", len(data))
			}
		default:
			return fmt.Errorf("invalid part of type %q", p.Type)
		}
	}
	return nil
}

func orElse(value, other string) string {
	if value == "" {
		return other
	}
	return value
}
