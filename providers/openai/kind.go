package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/providers"
)

// kind is one of the two kinds of provider that speak this wire.
type kind struct {
	name    string
	display string
	preset  func(name string, base *url.URL) preset
	schema  json.RawMessage
}

// Kind is the registry's entry of OpenAI itself.
func Kind() providers.Kind {
	return openAIKind().entry()
}

func openAIKind() *kind {
	return &kind{
		name: "openai", display: "OpenAI", schema: openAISchema(),
		preset: func(string, *url.URL) preset { return openAI },
	}
}

// Compatible is the registry's entry of all others that speak its wire.
func Compatible() providers.Kind { return compatible().entry() }

func compatible() *kind {
	return &kind{
		name:    "openai_compatible",
		display: "OpenAI-compatible (Groq, DeepSeek, Perplexity, Mistral, Ollama, vLLM, llama.cpp, LM Studio …)",
		preset:  presetFor, schema: compatibleSchema(),
	}
}

func (k *kind) entry() providers.Kind {
	return providers.Kind{
		Name: k.name, DisplayName: k.display, Schema: k.schema,
		Origin: func(raw json.RawMessage) (string, error) {
			_, base, _, err := k.parse(raw)
			return providers.Origin(base, err)
		},
		New: func(raw json.RawMessage, secret string, client *http.Client) (providers.Provider, error) {
			return k.provider(raw, secret, client)
		},
		Models: func(ctx context.Context, raw json.RawMessage, secret string, client *http.Client) ([]string, error) {
			return k.models(ctx, raw, secret, client)
		},
	}
}
