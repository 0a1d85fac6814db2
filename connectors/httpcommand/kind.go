package httpcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/schema"
)

// DefaultResultBytes is the default limit of a response.
const DefaultResultBytes = 256 << 10

// config is an API's config as entered by a person.
type config struct {
	BaseURL        string            `json:"base_url"`
	Headers        map[string]string `json:"headers"`
	MaxResultBytes int64             `json:"max_result_bytes"`
}

var configSchema = schema.Object(`
	"base_url": {"type": "string", "minLength": 1, "maxLength": 2000},
	"headers": {"type": "object", "maxProperties": 50, "propertyNames": {"maxLength": 200},
		"additionalProperties": {"type": "string", "maxLength": 8192}},
	"max_result_bytes": {"type": "integer", "minimum": 1024, "maximum": 4194304}`, "base_url")

// Kind returns the kind "http".
func Kind() connectors.Kind {
	return connectors.Kind{
		Name: outside.ConnectorHTTP, Schema: configSchema, Secrets: []string{"headers"}, Written: true,
		Origin: Origin, Check: Check, Open: open,
	}
}

// Origin returns the origin of a config's requests.
func Origin(raw json.RawMessage) (string, error) {
	_, base, err := readConfig(raw)
	if err != nil {
		return "", err
	}
	return egress.Origin(base), nil
}

func readConfig(raw json.RawMessage) (config, *url.URL, error) {
	own := config{MaxResultBytes: DefaultResultBytes}
	if err := exactjson.Unmarshal(raw, &own); err != nil {
		return own, nil, fmt.Errorf("read the config: %w", err)
	}
	base, err := BaseURL(own.BaseURL)
	if err != nil {
		return own, nil, domain.Invalid("/config/base_url", "base_url", "%s", err.Error())
	}
	for name := range own.Headers {
		if err := CheckHeaderName(name); err != nil {
			return own, nil, domain.Invalid("/config/headers", "header", "%s", err.Error())
		}
	}
	return own, base, nil
}

// addressError is a sentence for people.
type addressError string

func (e addressError) Error() string { return string(e) }

// BaseURL parses the base URL of an API. Its error is a sentence for people.
func BaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || base.Hostname() == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, addressError("The base URL must begin with https:// or http:// and have a host, for example https://api.example.com/v1.")
	case base.User != nil:
		return nil, addressError("The base URL must not contain a user or password: use a header instead.")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, addressError("The base URL must not contain ? or #.")
	}
	return base, nil
}

// ours are headers that Fermata sets, or that change how a request is parsed.
var ours = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Expect": true, "Keep-Alive": true, "Proxy-Connection": true, "Idempotency-Key": true, "Traceparent": true, "User-Agent": true,
	"Accept-Encoding": true,
}

// CheckHeaderName rejects a header that Fermata sets. Its error is a sentence for people.
func CheckHeaderName(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isToken(r) }) {
		return fmt.Errorf("%q is not a valid header name", name)
	}
	if ours[http.CanonicalHeaderKey(name)] {
		return fmt.Errorf("the header %s is set by Fermata", http.CanonicalHeaderKey(name))
	}
	return nil
}

// isToken implements RFC 9110, 5.6.2.
func isToken(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// api is a connection to one API. The HTTP client pools connections: there is nothing to close.
type api struct {
	name   string
	config config
	base   *url.URL
	client *http.Client
	all    []outside.ConnectorCommand
}

func open(_ context.Context, o connectors.Opening) (connectors.Connection, error) {
	own, base, err := readConfig(o.Connector.Config)
	if err != nil {
		return nil, err
	}
	return &api{name: o.Connector.Name, config: own, base: base, client: o.Client, all: o.Connector.Commands}, nil
}

// List returns the commands as entered.
func (a *api) List(context.Context) (connectors.Listing, error) {
	return connectors.Listing{Commands: a.all}, nil
}

func (a *api) Close() error { return nil }
