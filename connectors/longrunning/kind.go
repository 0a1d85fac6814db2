package longrunning

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/connectors/httpcommand"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/schema"
)

// LongestDeadline bounds the deadline of a task.
const LongestDeadline = 24 * time.Hour

// config is a service's config as entered by a person; the server generates the secret.
type config struct {
	BaseURL       string            `json:"base_url"`
	Headers       map[string]string `json:"headers"`
	SigningSecret string            `json:"signing_secret"`
}

var configSchema = schema.Object(`
	"base_url": {"type": "string", "minLength": 1, "maxLength": 2000},
	"headers": {"type": "object", "maxProperties": 50, "propertyNames": {"maxLength": 200},
		"additionalProperties": {"type": "string", "maxLength": 8192}},
	"signing_secret": {"type": "string", "maxLength": 200}`, "base_url")

// Documents reads a workspace's document by its key.
type Documents func(ctx context.Context, workspace, key string) (*userdata.Document, error)

// Kind returns the kind "long_running". callback returns the base URL for callbacks, to which the
// task's ID is appended; its error is for people.
func Kind(callback func() (string, error), documents Documents, now clock.Clock) connectors.Kind {
	return connectors.Kind{
		Name: outside.ConnectorLongRunning, Schema: configSchema, Secrets: []string{"headers", connectors.SigningSecret}, Written: true,
		Made:   map[string]func() string{connectors.SigningSecret: auth.NewWebhookSecret},
		Origin: origin, Check: check,
		Open: func(_ context.Context, o connectors.Opening) (connectors.Connection, error) {
			own, base, err := readConfig(o.Connector.Config)
			if err != nil {
				return nil, err
			}
			return &service{
				name: o.Connector.Name, config: own, base: base, client: o.Client, all: o.Connector.Commands, callback: callback,
				documents: documents, now: now,
			}, nil
		},
	}
}

func origin(raw json.RawMessage) (string, error) {
	_, base, err := readConfig(raw)
	if err != nil {
		return "", err
	}
	return egress.Origin(base), nil
}

func readConfig(raw json.RawMessage) (config, *url.URL, error) {
	var own config
	if err := exactjson.Unmarshal(raw, &own); err != nil {
		return own, nil, fmt.Errorf("read the config: %w", err)
	}
	base, err := httpcommand.BaseURL(own.BaseURL)
	if err != nil {
		return own, nil, domain.Invalid("/config/base_url", "base_url", "%s", err.Error())
	}
	for name := range own.Headers {
		if err := httpcommand.CheckHeaderName(name); err != nil {
			return own, nil, domain.Invalid("/config/headers", "header", "%s", err.Error())
		}
	}
	if s := own.SigningSecret; s != "" && s != connectors.Mask {
		if err := auth.SignWebhook(http.Header{}, "check", time.Time{}, nil, s); err != nil {
			return own, nil, domain.Invalid("/config/signing_secret", "format",
				"A signing secret is whsec_ followed by the base64 of 24 to 64 bytes. If omitted, one is generated.")
		}
	}
	return own, base, nil
}

// check rejects a command that cannot be sent.
func check(_ json.RawMessage, c *outside.ConnectorCommand) error {
	if c.Effect == domain.EffectRead {
		return domain.Invalid("/effect", "not_allowed", "A long-running command must be idempotent or non_idempotent.")
	}
	if c.Deadline < 0 || c.Deadline > LongestDeadline || c.Deadline > 0 && c.Deadline < time.Second {
		return domain.Invalid("/deadline", "range", "The deadline must be between 1s and 24h.")
	}
	for i, key := range c.Documents {
		if slices.Contains(c.Documents[:i], key) {
			return domain.Invalid(fmt.Sprintf("/documents/%d", i), "duplicate", "The document %s is listed twice.", key)
		}
	}
	if r := c.Request; r != nil {
		if r.Method != http.MethodPost || len(r.Query)+len(r.Headers)+len(r.Body) > 0 {
			return domain.Invalid("/request", "not_allowed",
				"A long-running command is sent as a POST of the task; only its path can be set.")
		}
		if err := checkPath("/request/path", r.Path); err != nil {
			return err
		}
	}
	if c.CancelPath == "" {
		return nil
	}
	return checkPath("/cancel_path", c.CancelPath)
}

// checkPath rejects paths outside the base URL, which the secrets belong to.
func checkPath(pointer, path string) error {
	parsed, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || parsed.Host != "" ||
		parsed.RawQuery != "" || parsed.Fragment != "" || strings.Contains(parsed.Path, "..") || strings.Contains(path, "\\") {
		return domain.Invalid(pointer, "format", "A path must begin with a single / and not contain .., ? or #, for example /v1/renders.")
	}
	return nil
}
