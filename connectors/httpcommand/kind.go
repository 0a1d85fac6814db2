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
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/schema"
)

// DefaultResultBytes is how much of an answer is taken where nobody said otherwise.
const DefaultResultBytes = 256 << 10

// config is what a person enters for an API.
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

// Kind is the kind "http".
func Kind() connectors.Kind {
	return connectors.Kind{
		Name: domain.ConnectorHTTP, Schema: configSchema, Secrets: []string{"headers"}, Written: true,
		Origin: Origin, Check: Check, Open: open,
	}
}

// Origin is where a config's requests go.
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

// BaseURL reads the address of an API: its error is a sentence for people.
func BaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || base.Hostname() == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, addressError("The base URL begins with https:// or http:// and names a host: https://api.example.com/v1.")
	case base.User != nil:
		return nil, addressError("The base URL holds no user or password: put them into a header.")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, addressError("The base URL ends before any ? or #.")
	}
	return base, nil
}

// ours are headers that the server sets itself, or that decide how a request is read.
var ours = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Expect": true, "Keep-Alive": true, "Proxy-Connection": true, "Idempotency-Key": true, "Traceparent": true, "User-Agent": true,
	"Accept-Encoding": true,
}

// CheckHeaderName refuses a header that the server sets itself; its error is a sentence for
// people.
func CheckHeaderName(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isToken(r) }) {
		return fmt.Errorf("%q is no name of a header", name)
	}
	if ours[http.CanonicalHeaderKey(name)] {
		return fmt.Errorf("the header %s is set by the server itself", http.CanonicalHeaderKey(name))
	}
	return nil
}

// isToken: RFC 9110, 5.6.2.
func isToken(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// api is a connection to one API. HTTP keeps its own connections: there is nothing to close.
type api struct {
	name   string
	config config
	base   *url.URL
	client *http.Client
	all    []domain.ConnectorCommand
}

func open(_ context.Context, o connectors.Opening) (connectors.Connection, error) {
	own, base, err := readConfig(o.Connector.Config)
	if err != nil {
		return nil, err
	}
	return &api{name: o.Connector.Name, config: own, base: base, client: o.Client, all: o.Connector.Commands}, nil
}

// List gives the commands as they were written.
func (a *api) List(context.Context) (connectors.Listing, error) {
	return connectors.Listing{Commands: a.all}, nil
}

func (a *api) Close() error { return nil }
