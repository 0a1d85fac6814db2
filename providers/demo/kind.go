package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// KindName is the kind of this provider; ModelName what its answers name as model.
const (
	KindName  = "demo"
	ModelName = "fermata-demo"
)

type config struct {
	Model       string   `json:"model"`
	WordDelayMS *float64 `json:"word_delay_ms"`
	Protocol    string   `json:"protocol"`
}

const defaultWordDelay = 15 * time.Millisecond

const schema = `{
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
		Name:        KindName,
		DisplayName: "Demo (no model: a few rules, without a key)",
		Schema:      json.RawMessage(schema),
		New:         newProvider,
		Models: func(context.Context, json.RawMessage, string, *http.Client) ([]string, error) {
			return []string{ModelName}, nil
		},
	}
}

type provider struct {
	protocol  string
	wordDelay time.Duration
}

func newProvider(raw json.RawMessage, _ string, _ *http.Client) (providers.Provider, error) {
	var c config
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("read the demo's config: %w", err)
	}
	p := &provider{protocol: c.Protocol, wordDelay: defaultWordDelay}
	if c.WordDelayMS != nil {
		p.wordDelay = time.Duration(*c.WordDelayMS * float64(time.Millisecond))
	}
	return p, nil
}

// Abilities are those of a small model.
func (p *provider) Abilities() providers.Abilities {
	return providers.Abilities{
		Sees:        true,
		NativeCalls: p.protocol != string(domain.ProtocolJSON), StructuredOutput: true, Streaming: true,
		ContextWindow: 1_000_000, MaxTokens: 4096, Model: ModelName,
	}
}

// Query plans the request and answers with what it needs next, or with words.
func (p *provider) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	c := newPlanner(request.Prompt)
	c.answer()
	raw := c.raw(request.NewID)
	first, err := p.stream(ctx, raw, request.OnDelta)
	if err != nil {
		return nil, err
	}
	return &providers.Answer{Raw: raw, Usage: usage(request.Prompt, raw), FirstTokenAt: first}, nil
}

// stream gives out the answer word by word; every wait ends with ctx.
func (p *provider) stream(ctx context.Context, raw *domain.RawAnswer, onDelta func(providers.Delta)) (time.Time, error) {
	first := clock.System()
	if onDelta != nil {
		for _, word := range words(raw.Text) {
			if err := p.wait(ctx); err != nil {
				return first, err
			}
			onDelta(providers.Delta{Kind: providers.DeltaText, Text: word})
		}
		for _, call := range raw.Calls {
			onDelta(providers.Delta{Kind: providers.DeltaArguments, Text: call.Arguments})
		}
	}
	if ctx.Err() != nil {
		return first, providers.TransportError(ctx, ctx.Err(), "")
	}
	return first, nil
}

func (p *provider) wait(ctx context.Context) error {
	if p.wordDelay <= 0 {
		if ctx.Err() != nil {
			return providers.TransportError(ctx, ctx.Err(), "")
		}
		return nil
	}
	timer := time.NewTimer(p.wordDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return providers.TransportError(ctx, ctx.Err(), "")
	}
}

// words cuts a text behind its spaces; joined again they are the text.
func words(text string) []string {
	var out []string
	start := 0
	for i := 0; i < len(text); i++ {
		if (text[i] == ' ' || text[i] == '\n') && i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '\n' {
			out = append(out, text[start:i+1])
			start = i + 1
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// usage is an estimate, four bytes for a token; it has no price.
func usage(prompt *domain.Prompt, raw *domain.RawAnswer) domain.Usage {
	in := len(prompt.System) + len(prompt.UserData) + len(prompt.Tail)
	for _, c := range prompt.Commands {
		in += len(c.Name) + len(c.Description) + len(c.Params)
	}
	for _, t := range prompt.Turns {
		for i := range t.Blocks {
			in += len(t.Blocks[i].Text)
			if a := t.Blocks[i].Answer; a != nil {
				in += answerSize(a)
			}
		}
	}
	return domain.Usage{InputTokens: int64(in / 4), OutputTokens: int64(answerSize(raw)/4 + 1)}
}

func answerSize(a *domain.RawAnswer) int {
	n := len(a.Text)
	for i := range a.Calls {
		n += len(a.Calls[i].Name) + len(a.Calls[i].Arguments)
	}
	return n
}
