package openai

import (
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// completion is a chat completion, or with Object chatChunk a chunk of one.
type completion struct {
	ID      string     `json:"id"`
	Object  string     `json:"object"`
	Created int64      `json:"created"`
	Model   string     `json:"model"`
	Choices []choice   `json:"choices"`
	Usage   *wireUsage `json:"usage,omitempty"`
	Fermata *extra     `json:"fermata,omitempty"`
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

// extra are the fields that the protocol does not have.
type extra struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id"`
	// NewSession is the reason for a new session; DepartedFrom is the id of the session whose record
	// the client's history departs from.
	NewSession   string `json:"new_session,omitempty"`
	DepartedFrom string `json:"departed_from,omitempty"`
	// Unoffered are the tools of the request that the model was not offered.
	Unoffered []unofferedTool `json:"tools_not_offered,omitempty"`
	*openApproval
}

// finishReason returns "stop", or "length" if a limit was reached.
func finishReason(r *round) *string {
	reason := "stop"
	if r.truncated {
		reason = "length"
	}
	return &reason
}

// toolCalls is the finish reason of an answer with calls of the client's tools.
var toolCalls = "tool_calls"

// newCompletion returns an empty completion; a repeated request has the same id.
func newCompletion(object, model string, m *domain.Message, at time.Time) completion {
	id := strings.TrimPrefix(strings.TrimPrefix(m.ID, domain.PrefixMessage+"_"), "of_")
	return completion{ID: "chatcmpl-" + id, Object: object, Created: at.Unix(), Model: model}
}
