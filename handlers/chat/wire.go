package chat

import (
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// completion is a chat completion, or with Object chatChunk a chunk of one.
type completion struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []choice      `json:"choices"`
	Usage   *wireUsage    `json:"usage,omitempty"`
	Fermata *openai.Extra `json:"fermata,omitempty"`
}

const (
	chatCompletion = "chat.completion"
	chatChunk      = "chat.completion.chunk"
)

type choice struct {
	Index        int          `json:"index"`
	Message      *wireMessOut `json:"message,omitempty"`
	Delta        *wireDelta   `json:"delta,omitempty"`
	Logprobs     *struct{}    `json:"logprobs"`
	FinishReason *string      `json:"finish_reason"`
}

type wireMessOut struct {
	Role             string     `json:"role"`
	Content          *string    `json:"content"`
	Refusal          *string    `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []wireCall `json:"tool_calls,omitempty"`
}

type wireDelta struct {
	Role             string     `json:"role,omitempty"`
	Content          *string    `json:"content,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []wireCall `json:"tool_calls,omitempty"`
}

type wireUsage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
	PromptDetails    struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func usageOf(t api.Usage) *wireUsage {
	u := &wireUsage{PromptTokens: t.InputTokens + t.CacheReadTokens + t.CacheWriteTokens, CompletionTokens: t.OutputTokens}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	u.PromptDetails.CachedTokens, u.CompletionDetails.ReasoningTokens = t.CacheReadTokens, t.ReasoningTokens
	return u
}

// finishReason returns "stop", "length" if a limit was reached, or "tool_calls".
func finishReason(x *rounds.Round) *string {
	reason := "stop"
	switch {
	case openai.ClientCalls(x) != nil:
		reason = toolCalls
	case x.Outcome.Truncated:
		reason = "length"
	}
	return &reason
}

// toolCalls is the finish reason of an answer with calls of the client's tools.
const toolCalls = "tool_calls"

// callsOf returns the calls that the client is to run. Those of a chunk have an index.
func callsOf(x *rounds.Round, piece bool) []wireCall {
	a := openai.ClientCalls(x)
	if a == nil {
		return nil
	}
	calls := make([]wireCall, len(a.Actions))
	for i, action := range a.Actions {
		calls[i] = wireCall{
			ID: domain.ClientCallID(a.ID, i), Type: "function",
			Function: wireFunction{Name: action.Command, Arguments: rounds.Arguments(action.Params)},
		}
		if piece {
			calls[i].Index = &i
		}
	}
	return calls
}

// newCompletion returns an empty completion; a repeated request has the same id.
func newCompletion(object, model string, m *domain.Message) completion {
	id := strings.TrimPrefix(strings.TrimPrefix(m.ID, domain.PrefixMessage+"_"), "of_")
	return completion{ID: "chatcmpl-" + id, Object: object, Created: m.Timestamp.Unix(), Model: model}
}
