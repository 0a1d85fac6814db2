package gemini

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// kindName is the kind of these providers.
const kindName = "gemini"

// config is a provider's configuration.
type config struct {
	providers.Config
	ThinkingBudget  *int32 `json:"thinking_budget"`
	IncludeThoughts *bool  `json:"include_thoughts"`
}

const (
	defaultBaseURL = "https://generativelanguage.googleapis.com"
	// defaultMaxTokens is twice that of other kinds: here thoughts count in it too.
	defaultMaxTokens = 8192
)

// Kind is the registry's entry.
func Kind() providers.Kind {
	return providers.Kind{
		Name:        kindName,
		DisplayName: "Google Gemini",
		Schema:      json.RawMessage(schema),
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

// parse reads a config.
func parse(raw json.RawMessage) (*config, *url.URL, error) {
	c := &config{}
	if err := providers.ReadConfig(raw, c); err != nil {
		return nil, nil, err
	}
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	base, err := c.Base("/v1beta", defaultBaseURL)
	if err != nil {
		return nil, nil, err
	}
	if c.MaxTokens <= 0 {
		c.MaxTokens = defaultMaxTokens
	}
	for field, name := range map[string]string{"model": c.Model, "small_model": c.SmallModel} {
		if name != "" && (!modelName.MatchString(name) || strings.Contains(name, "..")) {
			return nil, nil, domain.Invalid("/config/"+field, "format", "%q is no name of a model; one is like gemini-3-flash.", name)
		}
	}
	return c, base, nil
}

// A model's name becomes a part of the URL's path.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@/-]*$`)

const schema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "required": ["model"],
  "properties": {
    "model": {"type": "string", "title": "Model", "minLength": 1, "maxLength": 200, "pattern": "^[A-Za-z0-9][A-Za-z0-9._@/-]*$", "examples": ["gemini-3-flash", "gemini-2.5-pro"]},` + providers.KeySchema + `
    "small_model": {"type": "string", "title": "Small model", "description": "For summaries", "maxLength": 200, "pattern": "^([A-Za-z0-9][A-Za-z0-9._@/-]*)?$"},
    "base_url": {"type": "string", "title": "Base URL", "format": "uri", "pattern": "^https?://", "description": "The bare host, without /v1beta", "default": "https://generativelanguage.googleapis.com"},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"], "description": "native: commands are offered as functions. json: the model answers with one JSON object."},
    "max_tokens": {"type": "integer", "title": "Longest answer (tokens)", "description": "Thoughts count too. At least 4000 are allowed where commands are offered.", "minimum": 1, "maximum": 1000000, "default": 8192},
    "temperature": {"type": "number", "minimum": 0, "maximum": 2},
    "top_p": {"type": "number", "minimum": 0, "maximum": 1},
    "reasoning_effort": {"type": "string", "title": "Reasoning effort", "enum": ["none", "minimal", "low", "medium", "high"], "description": "Left out: the model decides."},
    "thinking_budget": {"type": "integer", "title": "Thinking budget (tokens)", "description": "For models that count it, instead of the effort. -1: the model decides. 0: no thoughts.", "minimum": -1, "maximum": 100000},
    "include_thoughts": {"type": "boolean", "title": "Show thoughts", "description": "Left out: where the model is known to think."},
    "service_tier": {"type": "string", "title": "Service tier", "maxLength": 50},` + providers.TimeoutsSchema + `,` + providers.WindowSchema + `
  }
}`
