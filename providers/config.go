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

// MinToolTokens is the least an answer may have where commands are offered: less would
// cut the arguments of a batch in the middle.
const MinToolTokens = 4000

// Config is what the configs of all kinds that call over HTTP have. The key is never in
// it.
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
	APIKeyEnv       string   `json:"api_key_env"` // the caller reads it
	Reading
	Timeouts
}

// Reading is what a model can read.
type Reading struct {
	ContextWindow int   `json:"context_window"` // tokens; 0: not known
	Images        *bool `json:"images"`         // nil: by the model's name
}

// KeySchema are the properties of the key in a config's schema.
const KeySchema = `
    "api_key": {"type": "string", "title": "API key", "writeOnly": true, "maxLength": 4096},
    "api_key_env": {"type": "string", "title": "Environment variable with the API key", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},`

// WindowSchema are the properties of what a model can read in a config's schema.
const WindowSchema = `
    "context_window": {"type": "integer", "title": "Context window (tokens)", "minimum": 1},
    "images": {"type": "boolean", "title": "The model can see pictures", "description": "Left out: by the model's name."}`

// ReadConfig reads a config into the struct of its kind.
func ReadConfig(raw json.RawMessage, config any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(config); err != nil {
		return fmt.Errorf("read the provider's config: %w", err)
	}
	return nil
}

// Base is where the provider is, without the version that the vendor's library adds by
// itself: an address that was copied with it works too. example is in the words of a
// refusal.
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
	// A password or a key in the URL would be stored and shown in the clear.
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, domain.Invalid(
			"/config/base_url",
			"format",
			"The base URL must hold no user, query or fragment; the key has its own field.",
		)
	}
	return base, nil
}

// Origin is where requests to a base URL go: what a parse gave is handed through.
func Origin(base *url.URL, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return egress.Origin(base), nil
}

// NeedsModel refuses a config that can list models only.
func (c *Config) NeedsModel() error {
	if c.Model == "" {
		return domain.Invalid("/config/model", "required", "A model is needed.")
	}
	return nil
}

// AsksSmall says whether a request goes to the small model.
func (c *Config) AsksSmall(request *Request) bool { return request.Small && c.SmallModel != "" }

// ModelFor is the model that a request goes to.
func (c *Config) ModelFor(request *Request) string {
	if c.AsksSmall(request) {
		return c.SmallModel
	}
	return c.Model
}

// MaxTokensFor is the most that the answer to a request may have.
func (c *Config) MaxTokensFor(request *Request) int {
	if request.MaxTokens > 0 {
		return request.MaxTokens
	}
	if len(request.Prompt.Commands) > 0 {
		return max(c.MaxTokens, MinToolTokens)
	}
	return c.MaxTokens
}

// Abilities are those that the config alone decides.
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

// SeesBy says whether a model takes pictures: as the config says, else by its name.
func (c *Config) SeesBy(byName func(model string) bool) bool {
	if c.Images != nil {
		return *c.Images
	}
	return byName(strings.ToLower(c.Model))
}

// AppendSampling writes how the model picks its words, behind other members of a request.
func (c *Config) AppendSampling(b []byte) []byte {
	if c.Temperature != nil {
		b = strconv.AppendFloat(append(b, `,"temperature":`...), *c.Temperature, 'g', -1, 64)
	}
	if c.TopP != nil {
		b = strconv.AppendFloat(append(b, `,"top_p":`...), *c.TopP, 'g', -1, 64)
	}
	return b
}
