package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// KindName is the kind of these providers.
const KindName = "anthropic"

// config is a provider's configuration. The key is never in it.
type config struct {
	BaseURL         string   `json:"base_url"`
	Model           string   `json:"model"`
	SmallModel      string   `json:"small_model"`
	MaxTokens       int      `json:"max_tokens"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	Thinking        string   `json:"thinking"`
	ThinkingBudget  int      `json:"thinking_budget"`
	ReasoningEffort string   `json:"reasoning_effort"`
	ServiceTier     string   `json:"service_tier"`
	Protocol        string   `json:"protocol"`
	ContextWindow   int      `json:"context_window"`
	APIKeyEnv       string   `json:"api_key_env"` // the caller reads it
	providers.Timeouts
}

// The values of thinking. Left out, the model does as it is used to.
const (
	thinkingAdaptive = "adaptive" // the model decides how long it thinks
	thinkingOff      = "off"
)

const (
	defaultBaseURL   = "https://api.anthropic.com"
	defaultMaxTokens = 8192
	// minToolTokens is the least an answer may have where commands are offered: less
	// would cut the arguments of a batch in the middle.
	minToolTokens = 4000
)

// Kind is the registry's entry.
func Kind() providers.Kind {
	return providers.Kind{
		Name:        KindName,
		DisplayName: "Anthropic (Claude)",
		Schema:      json.RawMessage(schemaText),
		New: func(raw json.RawMessage, secret string, client *http.Client) (providers.Provider, error) {
			return newProvider(raw, secret, client)
		},
		Models: models,
	}
}

// parse reads a config and says what in it contradicts itself.
func parse(raw json.RawMessage) (*config, *url.URL, error) {
	c := &config{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, nil, fmt.Errorf("read the provider's config: %w", err)
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	// The SDK adds /v1 by itself; an address that was copied with it works too.
	base, err := url.Parse(strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1"))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, nil, domain.Invalid("/config/base_url", "format", "The base URL must be like https://host.")
	}
	// A password or a key in the URL would be stored and shown in the clear.
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, nil, domain.Invalid("/config/base_url", "format", "The base URL must hold no user, query or fragment; the key has its own field.")
	}
	c.defaults()
	return c, base, c.check()
}

func (c *config) defaults() {
	if c.MaxTokens <= 0 {
		c.MaxTokens = defaultMaxTokens + c.ThinkingBudget
	}
}

// check refuses what the API would refuse at every call.
func (c *config) check() error {
	switch {
	case c.ThinkingBudget > 0 && c.Thinking != "":
		return domain.Invalid("/config/thinking_budget", "conflict", "Set thinking or thinking_budget, not both.")
	case c.ThinkingBudget > 0 && c.ThinkingBudget >= max(c.MaxTokens, minToolTokens):
		return domain.Invalid("/config/thinking_budget", "maximum", "The thinking budget is part of max_tokens and must be less.")
	case c.thinks() && (c.Temperature != nil || c.TopP != nil):
		return domain.Invalid("/config/temperature", "conflict", "A model that thinks takes neither temperature nor top_p.")
	}
	return nil
}

func (c *config) thinks() bool { return c.ThinkingBudget > 0 || c.Thinking == thinkingAdaptive }

const schemaText = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "required": ["model"],
  "properties": {
    "model": {"type": "string", "title": "Model", "minLength": 1, "maxLength": 200, "examples": ["claude-sonnet-5", "claude-opus-5", "claude-haiku-4-5"]},
    "api_key": {"type": "string", "title": "API key", "writeOnly": true, "maxLength": 4096},
    "api_key_env": {"type": "string", "title": "Environment variable with the API key", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "base_url": {"type": "string", "title": "Base URL", "format": "uri", "pattern": "^https?://", "default": "https://api.anthropic.com", "description": "The bare host, without /v1"},
    "small_model": {"type": "string", "title": "Small model", "description": "For summaries", "maxLength": 200},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"], "description": "native: commands are offered as tools. json: the model answers with one JSON object."},
    "max_tokens": {"type": "integer", "title": "Longest answer (tokens)", "minimum": 1, "maximum": 1000000, "default": 8192, "description": "Thoughts count too. At least 4,000 where commands are offered."},
    "temperature": {"type": "number", "minimum": 0, "maximum": 1, "description": "Newer models and models that think take none"},
    "top_p": {"type": "number", "minimum": 0, "maximum": 1},
    "thinking": {"type": "string", "title": "Thinking", "enum": ["adaptive", "off"], "description": "adaptive: the model decides how long it thinks. Left out: as the model is used to."},
    "thinking_budget": {"type": "integer", "title": "Thinking budget (tokens)", "minimum": 1024, "maximum": 1000000, "description": "For models that take a fixed budget instead. Part of max_tokens."},
    "reasoning_effort": {"type": "string", "title": "Effort", "enum": ["low", "medium", "high", "xhigh", "max"]},
    "service_tier": {"type": "string", "title": "Service tier", "enum": ["auto", "standard_only"]},` + providers.TimeoutsSchema + `,
    "context_window": {"type": "integer", "title": "Context window (tokens)", "minimum": 1}
  }
}`
