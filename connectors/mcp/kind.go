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
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/schema"
)

// KindOptions is shared by all connectors of the kind.
type KindOptions struct {
	Version string
	// AllowStdio reports whether programs may be started now.
	AllowStdio func(ctx context.Context) bool
	// Changed, if set, is called when a connector's server announces a changed list.
	Changed func(c *outside.Connector)
	// Failed, if set, receives failures for the operator's log.
	Failed func(c *outside.Connector, message string, cause error)

	legacyServers *legacyServers
}

// entered is the config as a person enters it.
type entered struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Auth    string            `json:"auth"`
	Token   string            `json:"token"` // with bearer
	// With oauth: a manually registered client, for servers without client registration.
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	// Issuer is the authorization server of the client: its secret is sent nowhere else.
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

// Kind returns the kind "mcp".
func Kind(o KindOptions) connectors.Kind {
	o.legacyServers = &legacyServers{}
	return connectors.Kind{
		Name: outside.ConnectorMCP, Schema: configSchema, Secrets: []string{"headers", "token", "client_secret", "env"},
		Origin: Origin, Open: o.open, SignIn: o.signIn,
	}
}

// Origin returns the destination of a config's secrets: a server, or a program.
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
			"A connector of kind mcp needs the url of its server, or the command that starts it.")
	case own.URL != "" && own.Command != "":
		return own, "", domain.Invalid("/config", "ambiguous", "A connector of kind mcp can have a url or a command, not both.")
	case own.Command != "":
		return own.program()
	}
	return own.server()
}

// program validates the config of a program. Its origin includes the whole command, so that secrets
// of one program are not passed to another.
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
			"The URL must begin with https:// or http:// and have a host, for example https://mcp.example.com/mcp.")
	case u.User != nil:
		return e, "", domain.Invalid("/config/url", "url", "The URL must not contain a user or password: use a header instead.")
	case u.Fragment != "":
		return e, "", domain.Invalid("/config/url", "url", "The URL must not have a fragment (#…).")
	case len(e.Args) > 0 || len(e.Env) > 0:
		return e, "", domain.Invalid("/config", "ambiguous", "Only a program can have args and env.")
	case e.Auth == "bearer" && e.Token == "":
		return e, "", domain.Invalid("/config/token", "missing", "With bearer the config needs a token.")
	case e.Auth != "bearer" && e.Token != "":
		return e, "", domain.Invalid("/config/token", "ambiguous", `A token requires "auth": "bearer".`)
	case e.Auth != "oauth" && (e.ClientID != "" || e.ClientSecret != ""):
		return e, "", domain.Invalid("/config/client_id", "ambiguous", `A client requires "auth": "oauth".`)
	case e.ClientSecret != "" && e.ClientID == "":
		return e, "", domain.Invalid("/config/client_id", "missing", "A client_secret requires a client_id.")
	case e.Issuer != "" && e.ClientID == "":
		return e, "", domain.Invalid("/config/issuer", "ambiguous", "An issuer requires a client_id.")
	case e.Auth == "oauth" && authorizes(e.Headers):
		return e, "", domain.Invalid("/config/headers", "ambiguous", `Where "auth" is "oauth", the header Authorization is the server's own.`)
	}
	for name := range e.Headers {
		if !isToken(name) || ours[http.CanonicalHeaderKey(name)] {
			return e, "", domain.Invalid("/config/headers", "header",
				"This header cannot be set: its name is invalid or reserved.")
		}
	}
	e.URL = u.String()
	return e.withIssuer(egress.Origin(u))
}

// withIssuer adds the authorization server, which receives the client's secret, to the origin.
func (e entered) withIssuer(place string) (entered, string, error) {
	if e.Issuer == "" {
		return e, place, nil
	}
	issuer, err := url.Parse(e.Issuer)
	if err != nil || issuer.Hostname() == "" || issuer.Scheme != "http" && issuer.Scheme != "https" || issuer.User != nil || issuer.Fragment != "" {
		return e, "", domain.Invalid("/config/issuer", "url", "The issuer must be a URL, for example https://login.example.com.")
	}
	// The secrets belong to both: none of them is sent to a new server or issuer.
	return e, place + " " + egress.Origin(issuer), nil
}

// ours are headers set by the protocol or by Fermata.
var ours = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Expect": true, "Keep-Alive": true, "Proxy-Connection": true, "Idempotency-Key": true, "Traceparent": true, "User-Agent": true,
	"Accept-Encoding": true, "Accept": true, "Content-Type": true, "Last-Event-Id": true, "Mcp-Session-Id": true,
	"Mcp-Protocol-Version": true, "Mcp-Method": true, "Mcp-Name": true,
}

// authorizes reports whether the config has a header with credentials.
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
		options.AsBefore = o.legacyServers.asBefore(c)
		options.Learned = func(before bool) { o.legacyServers.learn(c, before) }
	}
	switch own.Auth {
	case "bearer":
		options.Tokens = fixedToken(own.Token)
	case "oauth":
		options.Tokens = oauthOf(own, opening)
	}
	return Open(config, options), nil
}

// fixedToken is a token entered by a person.
type fixedToken string

// Token returns the token.
func (t fixedToken) Token(context.Context) (string, error) { return string(t), nil }

// Rejected does nothing: a person has to enter another token.
func (t fixedToken) Rejected(context.Context, string, string) {}
