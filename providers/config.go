package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// MinToolTokens is the minimum max_tokens with commands: a lower limit would truncate the arguments
// of a batch.
const MinToolTokens = 4000

// Config has the fields common to all kinds with HTTP APIs. It never contains the key.
type Config struct {
	BaseURL         string   `json:"base_url"`
	Model           string   `json:"model"`
	SmallModel      string   `json:"small_model"`
	MaxTokens       int      `json:"max_tokens"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	ReasoningEffort string   `json:"reasoning_effort"`
	ServiceTier     string   `json:"service_tier"`
	Protocol        string   `json:"protocol"`
	APIKeyEnv       string   `json:"api_key_env"` // read by the caller
	Reading
	Timeouts
}

// Reading describes what a model can read.
type Reading struct {
	ContextWindow int   `json:"context_window"` // tokens; 0: unknown
	Images        *bool `json:"images"`         // nil: derived from the model's name
}

// KeySchema has the key's properties of a config's JSON Schema.
const KeySchema = `
    "api_key": {"type": "string", "title": "API key", "writeOnly": true, "maxLength": 4096},
    "api_key_env": {"type": "string", "title": "Environment variable with the API key", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},`

// WindowSchema has the Reading properties of a config's JSON Schema.
const WindowSchema = `
    "context_window": {"type": "integer", "title": "Context window (tokens)", "minimum": 1},
    "images": {"type": "boolean", "title": "The model can see pictures", "description": "Left out: by the model's name."}`

// ReadConfig decodes a config into the struct of its kind.
func ReadConfig(raw json.RawMessage, config any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(config); err != nil {
		return fmt.Errorf("read the provider's config: %w", err)
	}
	return nil
}

// Base returns the base URL, without the version that the vendor's client library appends, so that
// a URL copied with it works too. example is used in error messages.
func (c *Config) Base(version, example string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), version))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, domain.Invalid("/config/base_url", "format", "The base URL must be like %s.", example)
	}
	if port := base.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, domain.Invalid("/config/base_url", "format", "The base URL's port must be from 1 to 65535.")
		}
	}
	// A password or a key in the URL would be stored and shown in plain text.
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, domain.Invalid(
			"/config/base_url",
			"format",
			"The base URL must not contain a user, query or fragment; the key has its own field.",
		)
	}
	return base, nil
}

// Origin returns the origin of a base URL, or err.
func Origin(base *url.URL, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return egress.Origin(base), nil
}

// NeedsModel rejects a config without a model, which can only list models.
func (c *Config) NeedsModel() error {
	if c.Model == "" {
		return domain.Invalid("/config/model", "required", "A model is needed.")
	}
	return nil
}

// AsksSmall reports whether a request goes to the small model.
func (c *Config) AsksSmall(request *Request) bool { return request.Small && c.SmallModel != "" }

// ModelFor returns the model that a request goes to.
func (c *Config) ModelFor(request *Request) string {
	if c.AsksSmall(request) {
		return c.SmallModel
	}
	return c.Model
}

// MaxTokensFor returns the max_tokens of a request.
func (c *Config) MaxTokensFor(request *Request) int {
	if request.MaxTokens > 0 {
		return request.MaxTokens
	}
	if len(request.Prompt.Commands) > 0 {
		return max(c.MaxTokens, MinToolTokens)
	}
	return c.MaxTokens
}

// Abilities returns the abilities that depend only on the config.
func (c *Config) Abilities() Abilities {
	return Abilities{
		NativeCalls:   c.Protocol != string(domain.ProtocolJSON),
		Streaming:     true,
		ContextWindow: c.ContextWindow,
		MaxTokens:     c.MaxTokens,
		Model:         c.Model,
		SmallModel:    c.SmallModel,
	}
}

// SeesBy reports whether a model accepts images: by the config, or else by its name.
func (c *Config) SeesBy(byName func(model string) bool) bool {
	if c.Images != nil {
		return *c.Images
	}
	return byName(strings.ToLower(c.Model))
}

// AppendSampling appends the sampling parameters to a request.
func (c *Config) AppendSampling(b []byte) []byte {
	if c.Temperature != nil {
		b = strconv.AppendFloat(append(b, `,"temperature":`...), *c.Temperature, 'g', -1, 64)
	}
	if c.TopP != nil {
		b = strconv.AppendFloat(append(b, `,"top_p":`...), *c.TopP, 'g', -1, 64)
	}
	return b
}
