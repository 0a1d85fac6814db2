package openai

import (
	"encoding/json"
	"net/url"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// config is a provider's configuration.
type config struct {
	providers.Config
	Preset        string        `json:"preset"`
	ParallelCalls *bool         `json:"parallel_tool_calls"`
	Structured    string        `json:"structured_output"`
	Prices        *domain.Price `json:"prices"`
}

const defaultMaxTokens = 4096

// parse reads a config. base_url may be left out where the preset knows it.
func (k *kind) parse(raw json.RawMessage) (*config, *url.URL, preset, error) {
	c := &config{}
	if err := providers.ReadConfig(raw, c); err != nil {
		return nil, nil, preset{}, err
	}
	known := k.preset(c.Preset, &url.URL{})
	if c.BaseURL == "" {
		c.BaseURL = known.BaseURL
	}
	if c.BaseURL == "" {
		return nil, nil, preset{}, domain.Invalid("/config/base_url", "required", "A base URL is needed, or a preset that has one.")
	}
	base, err := c.Base("", "https://host/v1")
	if err != nil {
		return nil, nil, preset{}, err
	}
	if c.MaxTokens <= 0 {
		c.MaxTokens = defaultMaxTokens
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
