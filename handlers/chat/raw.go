package chat

import (
	"context"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/stream"
)

// PlainCall is a call of the workspace's provider without session, slot or commands. Programs make
// them for titles and tags, and with tools of their own.
type PlainCall struct {
	Prompt    *ai.Prompt
	MaxTokens int
	Payer     string
	// Answer is the format of the answer; nil: text.
	Answer *domain.AnswerFormat
	// OnDelta is called with each part of the answer; nil: it is not streamed.
	OnDelta func(kind, text string)
}

// plain makes plain calls. Their usage is counted.
type plain interface {
	CallPlain(ctx context.Context, ws string, call PlainCall) (*domain.RawAnswer, domain.Usage, error)
}

// serveRaw answers with a plain call.
func (c *Completions) serveRaw(w http.ResponseWriter, r *http.Request, who *auth.Identity, ask *request) error {
	prompt, err := plainPrompt(ask)
	if err != nil {
		return err
	}
	call := PlainCall{Prompt: prompt, MaxTokens: ask.maxTokens(), Payer: ask.user().Payer(), Answer: ask.answer}
	head := completion{ID: "chatcmpl-" + c.NewID("raw"), Object: chatCompletion, Created: c.Clock().Unix(), Model: ask.Model}
	if ask.Stream {
		c.streamRaw(r, who, call, newChunks(w, head, ask.wantsUsage()))
		return nil
	}
	answer, used, err := c.Plain.CallPlain(r.Context(), who.Workspace, call)
	if err != nil {
		if !c.Failure(err).Retryable {
			w.Header().Set(openai.ShouldRetry, "false")
		}
		return err
	}
	message := &wireMessOut{
		Role: openai.RoleAssistant, Content: &answer.Text, ReasoningContent: reasoningOf(answer), ToolCalls: wireCalls(answer, false),
	}
	if len(answer.Calls) > 0 && answer.Text == "" {
		message.Content = nil
	}
	head.Choices, head.Usage = []choice{{Message: message, FinishReason: reasonOf(answer)}}, usageOf(api.UsageFrom(used))
	openai.WriteJSON(w, &head)
	return nil
}

func (c *Completions) streamRaw(r *http.Request, who *auth.Identity, call PlainCall, out *chunks) {
	call.OnDelta = func(kind, text string) {
		switch kind {
		case stream.KindText:
			out.delta(wireDelta{Content: &text})
		case stream.KindThinking:
			out.delta(wireDelta{ReasoningContent: text})
		}
		_ = out.Flush() // a disconnected client ends the call by its context
	}
	answer, used, err := c.Plain.CallPlain(r.Context(), who.Workspace, call)
	if err != nil {
		if refused := context.Cause(r.Context()); domain.ErrorCode(refused) != "" { // for example, the key was revoked meanwhile
			err = refused
		}
		out.fail(r, c.Failure(err))
		return
	}
	if calls := wireCalls(answer, true); len(calls) > 0 {
		out.delta(wireDelta{ToolCalls: calls})
	}
	out.end(reasonOf(answer), nil, api.UsageFrom(used))
}

func reasoningOf(a *domain.RawAnswer) string {
	var b strings.Builder
	for _, t := range a.Thinking {
		b.WriteString(t.Text)
	}
	return b.String()
}

// reasonOf returns OpenAI's finish reason of an answer.
func reasonOf(a *domain.RawAnswer) *string {
	reason := "stop"
	switch {
	case len(a.Calls) > 0:
		reason = toolCalls
	case a.StopReason == domain.StopRefused, a.StopReason == domain.StopFiltered:
		reason = "content_filter"
	case a.Partial():
		reason = "length"
	}
	return &reason
}

// wireCalls returns the calls of the client's tools. Those of a chunk have an index.
func wireCalls(a *domain.RawAnswer, piece bool) []wireCall {
	var calls []wireCall
	for i, c := range a.Calls {
		call := wireCall{ID: c.ID, Type: "function", Function: wireFunction{Name: c.Name, Arguments: c.Arguments}}
		if piece {
			call.Index = &i
		}
		calls = append(calls, call)
	}
	return calls
}
