package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/providers/suite"
)

type request struct {
	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	Stream      bool      `json:"stream"`
	Temperature *float64  `json:"temperature"`
	Thinking    *thinking `json:"thinking"`
	Tools       []tool    `json:"tools"`
	System      []block   `json:"system"`
	Messages    []message `json:"messages"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens"`
}

type tool struct {
	Name   string         `json:"name"`
	Schema map[string]any `json:"input_schema"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Source    *source         `json:"source"`
}

// source is that of a picture.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // of base64
}

var wireName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Problem is what the API would refuse a request for ("" if nothing): the rules that a
// history can break, which a schema cannot detect.
func Problem(body []byte) string {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return err.Error()
	}
	if n := bytes.Count(body, []byte(`"cache_control"`)); n > 4 {
		return fmt.Sprintf("%d cache breakpoints", n)
	}
	for _, problem := range []string{r.params(), r.tools(), r.roles(), r.blocks(), r.pairs(), r.thoughts()} {
		if problem != "" {
			return problem
		}
	}
	return ""
}

func (r *request) params() string {
	switch {
	case r.Model == "" || r.MaxTokens < 1 || !r.Stream:
		return "model, max_tokens and stream are needed"
	case r.thinks() && r.Temperature != nil:
		return "temperature beside thinking"
	case r.thinks() && (r.Thinking.Budget < 1024 || r.Thinking.Budget >= r.MaxTokens):
		return "budget_tokens must be from 1024 to less than max_tokens"
	}
	return ""
}

func (r *request) thinks() bool { return r.Thinking != nil && r.Thinking.Type == "enabled" }

func (r *request) tools() string {
	for _, t := range r.Tools {
		_, one := t.Schema["oneOf"]
		_, some := t.Schema["anyOf"]
		_, all := t.Schema["allOf"]
		if !wireName.MatchString(t.Name) || t.Schema["type"] != "object" || one || some || all {
			return "tools: " + t.Name
		}
	}
	return ""
}

func (r *request) roles() string {
	if len(r.Messages) == 0 {
		return "no messages"
	}
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return fmt.Sprintf("message %d is of %q with %d blocks", i, m.Role, len(m.Content))
		}
	}
	if r.Messages[len(r.Messages)-1].Role != "user" {
		return "the last message is not the user's"
	}
	return ""
}

// blocks looks at each by itself.
func (r *request) blocks() string {
	for _, b := range r.System {
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
			return "an empty level"
		}
	}
	for i, m := range r.Messages {
		for j, b := range m.Content {
			ok := false
			switch b.Type {
			case "text":
				ok = strings.TrimSpace(b.Text) != ""
			case "image":
				ok = m.Role == "user" && b.Source != nil && b.Source.Type == "base64" && suite.IsPicture(b.Source.MediaType, b.Source.Data)
			case "tool_use":
				ok = m.Role == "assistant" && wireName.MatchString(b.ID) && wireName.MatchString(b.Name) && bytes.HasPrefix(bytes.TrimSpace(b.Input), []byte("{"))
			case "tool_result":
				ok = m.Role == "user" && (j == 0 || m.Content[j-1].Type == "tool_result")
			case "thinking":
				ok = m.Role == "assistant" && b.Signature != ""
			case "redacted_thinking":
				ok = m.Role == "assistant" && b.Data != ""
			}
			if !ok {
				return fmt.Sprintf("messages.%d.content.%d: %s", i, j, b.Type)
			}
		}
	}
	return ""
}

// pairs: each call has one result in the next message, and no result is without a call.
func (r *request) pairs() string {
	seen := map[string]bool{}
	var open []string
	for i, m := range r.Messages {
		var results, calls []string
		for _, b := range m.Content {
			switch b.Type {
			case "tool_result":
				results = append(results, b.ToolUseID)
			case "tool_use":
				if seen[b.ID] || len(r.Tools) == 0 {
					return "a call's id comes twice, or no tools are declared: " + b.ID
				}
				seen[b.ID] = true
				calls = append(calls, b.ID)
			}
		}
		slices.Sort(open)
		slices.Sort(results)
		if m.Role == "user" && !slices.Equal(open, results) {
			return fmt.Sprintf("messages.%d: results of %v, calls of %v", i, results, open)
		}
		open = calls
	}
	return ""
}

// thoughts: with a budget, the answer whose results are sent begins with thoughts.
func (r *request) thoughts() string {
	if !r.thinks() || len(r.Messages) < 2 {
		return ""
	}
	last := r.Messages[len(r.Messages)-2].Content
	called := slices.ContainsFunc(last, func(b block) bool { return b.Type == "tool_use" })
	if called && !strings.HasSuffix(last[0].Type, "thinking") {
		return "the last answer must begin with thoughts"
	}
	return ""
}
