package connectors

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/domain/outside"
)

// Kind implements one kind of connector.
type Kind struct {
	Name outside.ConnectorKind
	// Schema is the JSON Schema of a config as entered by a person.
	Schema json.RawMessage
	// Secrets are the secret members of a config: strings, or objects with string values.
	Secrets []string
	// Made are the secrets that the server generates if none is given. They are shown once.
	Made map[string]func() string
	// Written is true if a person enters the commands, and false if the remote server lists them.
	Written bool
	// Origin returns the origin that a config's requests go to ("https://host:443"). Its secrets
	// are never sent elsewhere. Its error is shown to people.
	Origin func(config json.RawMessage) (string, error)
	// Check rejects a command that cannot be sent; error pointers start at the command. Nil if the
	// server lists the commands.
	Check func(config json.RawMessage, command *outside.ConnectorCommand) error
	Open  func(ctx context.Context, o Opening) (Connection, error)
	// SignIn returns the sign-in for a config. Without one, it is nil or returns nil.
	SignIn func(o Opening) (SignIner, error)
}

// Opening holds what a connection is opened with.
type Opening struct {
	// Connector has its secrets in its Config.
	Connector *outside.Connector
	// Client makes every request. It enforces the allowed destinations and identifies the
	// workspace.
	Client *http.Client
	// Grants stores the OAuth sign-in. Nil: sign-ins are not stored.
	Grants *GrantStore
}

// Pinger is implemented by connections that can check for a responsive server with a request that
// changes nothing.
type Pinger interface {
	Ping(ctx context.Context) error
}
