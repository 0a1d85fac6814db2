package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// KindName is the kind of these providers.
const KindName = "openai_compatible"

// config is a provider's configuration. The key is never in it.
type config struct {
	Preset          string        `json:"preset"`
	BaseURL         string        `json:"base_url"`
	Model           string        `json:"model"`
	SmallModel      string        `json:"small_model"`
	MaxTokens       int           `json:"max_tokens"`
	Temperature     *float64      `json:"temperature"`
	TopP            *float64      `json:"top_p"`
	ReasoningEffort string        `json:"reasoning_effort"`
	ServiceTier     string        `json:"service_tier"`
	Protocol        string        `json:"protocol"`
	TimeoutSeconds  float64       `json:"timeout_seconds"`
	ContextWindow   int           `json:"context_window"`
	Prices          *domain.Price `json:"prices"`
	APIKeyEnv       string        `json:"api_key_env"` // the caller reads it
}

const (
	defaultMaxTokens = 4096
	// minToolTokens is the least an answer may have where commands are offered: less
	// would cut the arguments of a batch in the middle.
	minToolTokens  = 4000
	defaultTimeout = 120 * time.Second
)

// Kind is the registry's entry.
func Kind() providers.Kind {
	return providers.Kind{
		Name:        KindName,
		DisplayName: "OpenAI-compatible (Groq, DeepSeek, Perplexity, Mistral, Ollama, vLLM, llama.cpp, LM Studio …)",
		Schema:      schema(),
		New: func(raw json.RawMessage, secret string, client *http.Client) (providers.Provider, error) {
			return newProvider(raw, secret, client)
		},
		Models: models,
	}
}

// parse reads a config. base_url may be left out with a preset.
func parse(raw json.RawMessage) (*config, *url.URL, error) {
	c := &config{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, nil, fmt.Errorf("read the provider's config: %w", err)
	}
	if c.BaseURL == "" {
		c.BaseURL = presetFor(c.Preset, &url.URL{}).BaseURL
	}
	base, err := url.Parse(strings.TrimRight(c.BaseURL, "/"))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, nil, domain.Invalid("/config/base_url", "format", "The base URL must be like https://host/v1.")
	}
	// A password or a key in the URL would be stored and shown in the clear.
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, nil, domain.Invalid("/config/base_url", "format", "The base URL must hold no user, query or fragment; the key has its own field.")
	}
	return c, base, nil
}

func (c *config) timeout() time.Duration {
	if c.TimeoutSeconds <= 0 {
		return defaultTimeout
	}
	return time.Duration(min(c.TimeoutSeconds, providers.TotalTimeout.Seconds()) * float64(time.Second))
}

// schema is the config's JSON Schema, with the presets' names filled in.
func schema() json.RawMessage {
	var names, urls []string
	for _, p := range presets {
		names, urls = append(names, p.Name), append(urls, p.BaseURL)
	}
	nameList, _ := json.Marshal(names) // strings always marshal
	urlList, _ := json.Marshal(urls)
	return json.RawMessage(strings.NewReplacer(`"$presets"`, string(nameList), `"$urls"`, string(urlList)).Replace(schemaText))
}

const schemaText = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "required": ["base_url", "model"],
  "properties": {
    "preset": {"type": "string", "title": "Vendor", "enum": "$presets", "description": "Sets what is special about a vendor. Found from the base URL when left out."},
    "base_url": {"type": "string", "title": "Base URL", "format": "uri", "pattern": "^https?://", "description": "With /v1, for example http://127.0.0.1:11434/v1", "examples": "$urls"},
    "model": {"type": "string", "title": "Model", "minLength": 1, "maxLength": 200},
    "api_key": {"type": "string", "title": "API key", "writeOnly": true, "maxLength": 4096},
    "api_key_env": {"type": "string", "title": "Environment variable with the API key", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "small_model": {"type": "string", "title": "Small model", "description": "For summaries", "maxLength": 200},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"], "description": "native: commands are offered as tools. json: the model answers with one JSON object."},
    "max_tokens": {"type": "integer", "title": "Longest answer (tokens)", "minimum": 1, "maximum": 1000000, "default": 4096},
    "temperature": {"type": "number", "minimum": 0, "maximum": 2},
    "top_p": {"type": "number", "minimum": 0, "maximum": 1},
    "reasoning_effort": {"type": "string", "title": "Reasoning effort", "enum": ["none", "minimal", "low", "medium", "high", "xhigh"]},
    "service_tier": {"type": "string", "title": "Service tier", "maxLength": 50},
    "timeout_seconds": {"type": "number", "title": "Seconds without a byte before giving up", "exclusiveMinimum": 0, "maximum": 600, "default": 120},
    "context_window": {"type": "integer", "title": "Context window (tokens)", "minimum": 1},
    "prices": {
      "type": "object", "title": "Prices (US dollars for a million tokens)", "additionalProperties": false, "required": ["input", "output"],
      "properties": {
        "input": {"type": "number", "minimum": 0},
        "cache_read": {"type": "number", "minimum": 0},
        "cache_write": {"type": "number", "minimum": 0},
        "output": {"type": "number", "minimum": 0}
      }
    }
  }
}`
