package mcp

import (
	"context"
	"encoding/json"
	"errors"
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

// KindOptions is what all connectors of the kind share.
type KindOptions struct {
	Version string
	// AllowStdio says whether programs may be started now.
	AllowStdio func(ctx context.Context) bool
	// Changed, if set, is called when a connector's server says that its list changed.
	Changed func(c *domain.Connector)
	// Failed, if set, is told what the operator's log gets of a failure.
	Failed func(c *domain.Connector, message string, cause error)

	habits *habits
}

// entered is what a person enters.
type entered struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Auth    string            `json:"auth"`
	Token   string            `json:"token"` // with bearer
	// With oauth: of a client that was registered by hand, where the server registers none.
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	// Issuer is the authorization server that the client is of: its secret goes to no other.
	Issuer string `json:"issuer"`

	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

var configSchema = schema.Object(`
	"url": {"type": "string", "minLength": 1, "maxLength": 2000},
	"headers": {"type": "object", "maxProperties": 50, "propertyNames": {"maxLength": 200},
		"additionalProperties": {"type": "string", "maxLength": 8192}},
	"auth": {"type": "string", "enum": ["none", "bearer", "oauth"]},
	"token": {"type": "string", "maxLength": 8192},
	"client_id": {"type": "string", "maxLength": 2000},
	"client_secret": {"type": "string", "maxLength": 8192},
	"issuer": {"type": "string", "minLength": 1, "maxLength": 2000},
	"command": {"type": "string", "minLength": 1, "maxLength": 1000},
	"args": {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 4000}},
	"env": {"type": "object", "maxProperties": 100, "propertyNames": {"maxLength": 200, "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
		"additionalProperties": {"type": "string", "maxLength": 8192}},
	"offer_read_only": {"type": "boolean"}`)

// Kind is the kind "mcp".
func Kind(o KindOptions) connectors.Kind {
	o.habits = &habits{before: map[string][32]byte{}}
	return connectors.Kind{
		Name: domain.ConnectorMCP, Schema: configSchema, Secrets: []string{"headers", "token", "client_secret", "env"},
		Origin: Origin, Open: o.open, SignIn: o.signIn,
	}
}

// Origin is where a config's secrets go: a server, or a program.
func Origin(raw json.RawMessage) (string, error) {
	_, origin, err := readConfig(raw)
	return origin, err
}

func readConfig(raw json.RawMessage) (own entered, origin string, err error) {
	if err := exactjson.Unmarshal(raw, &own); err != nil {
		return own, "", fmt.Errorf("read the config: %w", err)
	}
	switch {
	case own.URL == "" && own.Command == "":
		return own, "", domain.Invalid("/config", "missing",
			"A connector of kind mcp has the url of its server, or the command that starts it.")
	case own.URL != "" && own.Command != "":
		return own, "", domain.Invalid("/config", "ambiguous", "A connector of kind mcp has a url or a command, not both.")
	case own.Command != "":
		return own.program()
	}
	return own.server()
}

// program: secrets of one program are not another's.
func (e entered) program() (entered, string, error) {
	if e.Auth != "" || e.Token != "" || e.ClientID != "" || e.ClientSecret != "" || e.Issuer != "" || len(e.Headers) > 0 {
		return e, "", domain.Invalid("/config", "ambiguous", "A program gets its secrets in env: it has no headers and no auth.")
	}
	return e, "program:" + e.Command, nil
}

func (e entered) server() (entered, string, error) {
	u, err := url.Parse(strings.TrimSpace(e.URL))
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return e, "", domain.Invalid("/config/url", "url",
			"The address begins with https:// or http:// and names a host: https://mcp.example.com/mcp.")
	case u.User != nil:
		return e, "", domain.Invalid("/config/url", "url", "The address holds no user or password: put them into a header.")
	case u.Fragment != "":
		return e, "", domain.Invalid("/config/url", "url", "The address ends before any #.")
	case len(e.Args) > 0 || len(e.Env) > 0:
		return e, "", domain.Invalid("/config", "ambiguous", "Only a program has args and env.")
	case e.Auth == "bearer" && e.Token == "":
		return e, "", domain.Invalid("/config/token", "missing", "With bearer the config has a token.")
	case e.Auth != "bearer" && e.Token != "":
		return e, "", domain.Invalid("/config/token", "ambiguous", `A token is sent where "auth" is "bearer".`)
	case e.Auth != "oauth" && (e.ClientID != "" || e.ClientSecret != ""):
		return e, "", domain.Invalid("/config/client_id", "ambiguous", `A client signs in where "auth" is "oauth".`)
	case e.ClientSecret != "" && e.ClientID == "":
		return e, "", domain.Invalid("/config/client_id", "missing", "The client_secret is that of a client_id.")
	case e.Issuer != "" && e.ClientID == "":
		return e, "", domain.Invalid("/config/issuer", "ambiguous", "The issuer is that of a client_id.")
	case e.Auth == "oauth" && authorizes(e.Headers):
		return e, "", domain.Invalid("/config/headers", "ambiguous", `Where "auth" is "oauth", the header Authorization is the server's own.`)
	}
	for name := range e.Headers {
		if !isToken(name) || ours[http.CanonicalHeaderKey(name)] {
			return e, "", domain.Invalid("/config/headers", "header",
				"A header of that name cannot be set: the server itself does, or it is no name.")
		}
	}
	e.URL = u.String()
	return e.withIssuer(egress.Origin(u))
}

// withIssuer adds the place of the authorization server that may have the client's secret.
func (e entered) withIssuer(place string) (entered, string, error) {
	if e.Issuer == "" {
		return e, place, nil
	}
	issuer, err := url.Parse(e.Issuer)
	if err != nil || issuer.Hostname() == "" || issuer.Scheme != "http" && issuer.Scheme != "https" || issuer.User != nil || issuer.Fragment != "" {
		return e, "", domain.Invalid("/config/issuer", "url", "The issuer is an address: https://login.example.com.")
	}
	// The secrets are for both: neither is led elsewhere with what was entered for the other.
	return e, place + " " + egress.Origin(issuer), nil
}

// ours are headers that the protocol or the server itself sets.
var ours = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Expect": true, "Keep-Alive": true, "Proxy-Connection": true, "Idempotency-Key": true, "Traceparent": true, "User-Agent": true,
	"Accept-Encoding": true, "Accept": true, "Content-Type": true, "Last-Event-Id": true, "Mcp-Session-Id": true,
	"Mcp-Protocol-Version": true, "Mcp-Method": true, "Mcp-Name": true,
}

// authorizes: a person entered a header that says who asks.
func authorizes(headers map[string]string) bool {
	for name := range headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return true
		}
	}
	return false
}

var errNoStdio = errors.New("programs are not allowed here")

func (o KindOptions) open(ctx context.Context, opening connectors.Opening) (connectors.Connection, error) {
	own, _, err := readConfig(opening.Connector.Config)
	if err != nil {
		return nil, err
	}
	options := Options{
		Client: opening.Client, Version: o.Version, AllowStdio: o.AllowStdio != nil && o.AllowStdio(ctx), Questions: true, Tasks: true,
	}
	c := opening.Connector
	if o.Changed != nil {
		options.Changed = func() { o.Changed(c) }
	}
	if o.Failed != nil {
		options.Failed = func(message string, cause error) { o.Failed(c, message, cause) }
	}
	config := Config{URL: own.URL, Headers: own.Headers, Command: own.Command, Args: own.Args, Env: own.Env}
	if config.Command != "" && !options.AllowStdio {
		return nil, notSent("Programs are not allowed on this server (FERMATA_ALLOW_STDIO=true allows them).", errNoStdio)
	}
	if config.Command != "" {
		options.AsBefore = o.habits.asBefore(c)
		options.Learned = func(before bool) { o.habits.learn(c, before) }
	}
	switch own.Auth {
	case "bearer":
		options.Tokens = fixedToken(own.Token)
	case "oauth":
		options.Tokens = oauthOf(own, opening)
	}
	return Open(config, options), nil
}

// fixedToken is one that a person entered.
type fixedToken string

// Token gives it.
func (t fixedToken) Token(context.Context) (string, error) { return string(t), nil }

// Rejected changes nothing: a person enters another.
func (t fixedToken) Rejected(context.Context, string, string) {}
