package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

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
	ParallelCalls   *bool         `json:"parallel_tool_calls"`
	Structured      string        `json:"structured_output"`
	Protocol        string        `json:"protocol"`
	ContextWindow   int           `json:"context_window"`
	Prices          *domain.Price `json:"prices"`
	APIKeyEnv       string        `json:"api_key_env"` // the caller reads it
	providers.Timeouts
}

const (
	defaultMaxTokens = 4096
	// minToolTokens is the least an answer may have where commands are offered: less
	// would cut the arguments of a batch in the middle.
	minToolTokens = 4000
)

// parse reads a config. base_url may be left out where the preset knows it.
func (k *kind) parse(raw json.RawMessage) (*config, *url.URL, preset, error) {
	c := &config{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, nil, preset{}, fmt.Errorf("read the provider's config: %w", err)
	}
	known := k.preset(c.Preset, &url.URL{})
	if c.BaseURL == "" {
		c.BaseURL = known.BaseURL
	}
	if c.BaseURL == "" {
		return nil, nil, preset{}, domain.Invalid("/config/base_url", "required", "A base URL is needed, or a preset that has one.")
	}
	base, err := url.Parse(strings.TrimRight(c.BaseURL, "/"))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, nil, preset{}, domain.Invalid("/config/base_url", "format", "The base URL must be like https://host/v1.")
	}
	// A password or a key in the URL would be stored and shown in the clear.
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, nil, preset{}, domain.Invalid("/config/base_url", "format", "The base URL must hold no user, query or fragment; the key has its own field.")
	}
	return c, base, k.preset(c.Preset, base), nil
}

// jsonMode is the preset's, unless the config says another.
func (c *config) jsonMode(known jsonMode) jsonMode {
	switch c.Structured {
	case "schema":
		return jsonSchema
	case "object":
		return jsonObject
	case "none":
		return jsonNone
	}
	return known
}
