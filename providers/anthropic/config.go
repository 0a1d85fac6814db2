package anthropic

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// kindName is the kind of these providers.
const kindName = "anthropic"

// config is a provider's configuration.
type config struct {
	providers.Config
	Thinking       string `json:"thinking"`
	ThinkingBudget int    `json:"thinking_budget"`
}

// The values of thinking. By default the model decides.
const (
	thinkingAdaptive = "adaptive" // the model decides how long it thinks
	thinkingOff      = "off"
)

const (
	defaultBaseURL   = "https://api.anthropic.com"
	defaultMaxTokens = 8192
)

// Kind returns the registry entry.
func Kind() providers.Kind {
	return providers.Kind{
		Name:        kindName,
		DisplayName: "Anthropic (Claude)",
		Schema:      json.RawMessage(schemaText),
		Origin: func(raw json.RawMessage) (string, error) {
			_, base, err := parse(raw)
			return providers.Origin(base, err)
		},
		New: func(raw json.RawMessage, secret string, client *http.Client) (providers.Provider, error) {
			return newProvider(raw, secret, client)
		},
		Models: models,
	}
}

// parse decodes a config and rejects contradictions.
func parse(raw json.RawMessage) (*config, *url.URL, error) {
	c := &config{}
	if err := providers.ReadConfig(raw, c); err != nil {
		return nil, nil, err
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	base, err := c.Base("/v1", "https://host")
	if err != nil {
		return nil, nil, err
	}
	c.defaults()
	return c, base, c.check()
}

func (c *config) defaults() {
	if c.MaxTokens <= 0 {
		c.MaxTokens = defaultMaxTokens + c.ThinkingBudget
	}
}

// check rejects what the API would reject in every call.
func (c *config) check() error {
	switch {
	case c.ThinkingBudget > 0 && c.Thinking != "":
		return domain.Invalid("/config/thinking_budget", "conflict", "Set thinking or thinking_budget, not both.")
	case c.ThinkingBudget > 0 && c.ThinkingBudget >= max(c.MaxTokens, providers.MinToolTokens):
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
    "model": {"type": "string", "title": "Model", "minLength": 1, "maxLength": 200, "examples": ["claude-sonnet-5", "claude-opus-5", "claude-haiku-4-5"]},` + providers.KeySchema + `
    "base_url": {"type": "string", "title": "Base URL", "format": "uri", "pattern": "^https?://", "default": "https://api.anthropic.com", "description": "The bare host, without /v1"},
    "small_model": {"type": "string", "title": "Small model", "description": "For summaries", "maxLength": 200},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"], "description": "native: commands are offered as tools. json: the model answers with one JSON object."},
    "max_tokens": {"type": "integer", "title": "Longest answer (tokens)", "minimum": 1, "maximum": 1000000, "default": 8192, "description": "Thoughts count too. At least 4,000 where commands are offered."},
    "temperature": {"type": "number", "minimum": 0, "maximum": 1, "description": "Newer models and models that think take none"},
    "top_p": {"type": "number", "minimum": 0, "maximum": 1},
    "thinking": {"type": "string", "title": "Thinking", "enum": ["adaptive", "off"], "description": "adaptive: the model decides how long it thinks. Left out: as the model is used to."},
    "thinking_budget": {"type": "integer", "title": "Thinking budget (tokens)", "minimum": 1024, "maximum": 1000000, "description": "For models that take a fixed budget instead. Part of max_tokens."},
    "reasoning_effort": {"type": "string", "title": "Effort", "enum": ["low", "medium", "high", "xhigh", "max"]},
    "service_tier": {"type": "string", "title": "Service tier", "enum": ["auto", "standard_only"]},` + providers.TimeoutsSchema + `,` + providers.WindowSchema + `
  }
}`
