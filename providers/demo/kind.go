package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

const configSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "model": {"type": "string", "title": "Model", "enum": ["fermata-demo"], "default": "fermata-demo"},
    "word_delay_ms": {"type": "number", "title": "Milliseconds between words", "minimum": 0, "maximum": 1000, "default": 15},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"]}
  }
}`

// Kind is the registry's entry.
func Kind() providers.Kind {
	return providers.Kind{
		Name:        kindName,
		DisplayName: "Demo (no model: a few rules, without a key)",
		Schema:      json.RawMessage(configSchema),
		New:         newProvider,
		Models: func(context.Context, json.RawMessage, string, *http.Client) ([]string, error) {
			return []string{modelName}, nil
		},
	}
}

type provider struct {
	Model    string  `json:"model"`
	Delay    float64 `json:"word_delay_ms"`
	Protocol string  `json:"protocol"`
}

func newProvider(raw json.RawMessage, _ string, _ *http.Client) (providers.Provider, error) {
	p := &provider{Delay: 15}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("read the demo's config: %w", err)
	}
	return p, nil
}

// Abilities are those of a small model.
func (p *provider) Abilities() providers.Abilities {
	return providers.Abilities{
		Sees:        true,
		NativeCalls: p.Protocol != string(domain.ProtocolJSON), StructuredOutput: true, Streaming: true,
		ContextWindow: 1_000_000, MaxTokens: 4096, Model: modelName,
	}
}

// Query plans the request and answers with what it needs next, or with words.
func (p *provider) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	c := newPlanner(request.Prompt)
	c.answer()
	raw, first := c.raw(request.NewID), clock.System()
	if p := request.Prompt; p.Protocol == domain.ProtocolNative && len(p.AnswerSchema) > 0 {
		raw.Text, raw.Calls, raw.StopReason = sampleText(p, c.text()), nil, "stop"
	}
	if err := p.stream(ctx, raw, request.OnDelta); err != nil {
		return nil, err
	}
	return &providers.Answer{Raw: raw, Usage: usage(request.Prompt, raw), FirstTokenAt: first}, nil
}

// aWord is a word with the space behind it.
var aWord = regexp.MustCompile(`[^ \n]*[ \n]*`)

// stream gives out the answer word by word; every wait ends with ctx.
func (p *provider) stream(ctx context.Context, raw *domain.RawAnswer, onDelta func(providers.Delta)) error {
	if onDelta != nil {
		for _, word := range aWord.FindAllString(raw.Text, -1) {
			if p.wait(ctx); ctx.Err() != nil {
				break
			}
			onDelta(providers.Delta{Kind: providers.DeltaText, Text: word})
		}
		for _, call := range raw.Calls {
			if ctx.Err() == nil {
				onDelta(providers.Delta{Kind: providers.DeltaArguments, Text: call.Arguments})
			}
		}
	}
	if ctx.Err() != nil {
		return providers.TransportError(ctx, ctx.Err(), "")
	}
	return nil
}

func (p *provider) wait(ctx context.Context) {
	if p.Delay <= 0 {
		return
	}
	timer := time.NewTimer(time.Duration(p.Delay * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// usage is an estimate, four bytes for a token; it has no price.
func usage(prompt *ai.Prompt, raw *domain.RawAnswer) domain.Usage {
	in := len(prompt.System) + len(prompt.UserData) + len(prompt.Tail)
	for _, c := range prompt.Commands {
		in += len(c.Name) + len(c.Description) + len(c.Params)
	}
	for _, t := range prompt.Turns {
		for i := range t.Blocks {
			in += len(t.Blocks[i].Text) + answerSize(t.Blocks[i].Answer)
		}
	}
	return domain.Usage{InputTokens: int64(in / 4), OutputTokens: int64(answerSize(raw)/4 + 1)}
}

func answerSize(a *domain.RawAnswer) (n int) {
	if a == nil {
		return 0
	}
	for i := range a.Calls {
		n += len(a.Calls[i].Name) + len(a.Calls[i].Arguments)
	}
	return n + len(a.Text)
}
