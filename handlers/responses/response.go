package responses

import (
	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// response is a response in OpenAI's form.
type response struct {
	ID                 string             `json:"id"`
	Object             string             `json:"object"`
	CreatedAt          int64              `json:"created_at"`
	Status             string             `json:"status"`
	Background         bool               `json:"background"`
	Error              *failure           `json:"error"`
	IncompleteDetails  *incompleteDetails `json:"incomplete_details"`
	Instructions       *string            `json:"instructions"`
	MaxOutputTokens    *int               `json:"max_output_tokens"`
	Model              string             `json:"model"`
	Output             []outputItem       `json:"output"`
	ParallelToolCalls  bool               `json:"parallel_tool_calls"`
	PreviousResponseID *string            `json:"previous_response_id"`
	Talk               sessionRef         `json:"conversation"`
	Reasoning          struct {
		Effort  *string `json:"effort"`
		Summary *string `json:"summary"`
	} `json:"reasoning"`
	Store       bool     `json:"store"`
	Temperature *float64 `json:"temperature"`
	Text        struct {
		Format openai.AnswerFormat `json:"format"`
	} `json:"text"`
	ToolChoice string            `json:"tool_choice"`
	Tools      []tool            `json:"tools"`
	TopP       *float64          `json:"top_p"`
	Truncation string            `json:"truncation"`
	Usage      *usage            `json:"usage"`
	User       *string           `json:"user"`
	Metadata   map[string]string `json:"metadata"`
	Fermata    *openai.Extra     `json:"fermata"`
}

type (
	failure struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	incompleteDetails struct {
		Reason string `json:"reason"`
	}
	sessionRef struct {
		ID string `json:"id"`
	}
)

// Statuses of a response.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// Reasons why a response is incomplete. The first is OpenAI's; with the other, the response waits for a
// person and continues after the answer.
const (
	reasonTokens = "max_output_tokens"
	reasonInput  = "input_required"
)

// outputItem is a message of an answer, or a call of a client's tool.
type outputItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	// Fields of a message.
	Role    string        `json:"role,omitempty"`
	Content []contentPart `json:"content,omitzero"`
	// Fields of a call.
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
}

type contentPart struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

func partOf(text string) contentPart {
	return contentPart{Type: "output_text", Text: text, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

// itemOf returns a message item; without text, one that has none yet.
func itemOf(id, status string, text ...string) outputItem {
	item := outputItem{ID: id, Type: "message", Status: status, Role: openai.RoleAssistant, Content: []contentPart{}}
	for _, t := range text {
		item.Content = append(item.Content, partOf(t))
	}
	return item
}

type usage struct {
	InputTokens  int64 `json:"input_tokens"`
	InputDetails struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens  int64 `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int64 `json:"total_tokens"`
}

func usageOf(t api.Usage) *usage {
	u := &usage{InputTokens: t.InputTokens + t.CacheReadTokens + t.CacheWriteTokens, OutputTokens: t.OutputTokens}
	u.TotalTokens = u.InputTokens + u.OutputTokens
	u.InputDetails.CachedTokens, u.OutputDetails.ReasoningTokens = t.CacheReadTokens, t.ReasoningTokens
	return u
}

// newResponse returns a response without output.
func newResponse(found *rounds.Found, of metadata) response {
	m, extra := found.Placed, openai.NewExtra(found)
	extra.Unoffered = of.Unoffered
	out := response{
		ID: responseID(found.Session, m.ID), Object: "response", CreatedAt: m.Timestamp.Unix(), Status: statusInProgress,
		Background: of.Background, Model: of.Model, Output: []outputItem{},
		ParallelToolCalls: m.Tools == nil || !m.Tools.OneAtATime,
		Talk:              sessionRef{found.Session}, Store: !of.NotStored, ToolChoice: "auto", Tools: toolsOf(m), Truncation: "disabled",
		Metadata: of.Metadata,
		Fermata:  &extra,
	}
	out.Text.Format = openai.AnswerFormatOf(m)
	if m.Status == domain.MessageQueued {
		out.Status = statusQueued
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if of.Previous != "" {
		out.PreviousResponseID = &of.Previous
	}
	if of.User != "" {
		out.User = &of.User
	}
	return out
}
