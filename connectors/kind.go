package connectors

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
)

// Kind is one way to carry commands out.
type Kind struct {
	Name domain.ConnectorKind
	// Schema is the JSON Schema of a config as a person enters it.
	Schema json.RawMessage
	// Secrets are the members of a config that are secret: texts, or objects whose values
	// are texts.
	Secrets []string
	// Made are those secrets that the server makes where none is given. They are shown once.
	Made map[string]func() string
	// Written: a person writes the commands. Else the server outside lists them.
	Written bool
	// Origin is where the requests of a config go ("https://host:443"): its secrets go
	// nowhere else. Its error is for people.
	Origin func(config json.RawMessage) (string, error)
	// Check refuses a command that a person wrote and that cannot be sent; pointers begin
	// at the command. Nil where the server lists them.
	Check func(config json.RawMessage, command *domain.ConnectorCommand) error
	Open  func(ctx context.Context, o Opening) (Connection, error)
	// SignIn is how a person signs in; nil, or one that gives nil: nobody does.
	SignIn func(o Opening) (SignIner, error)
}

// Opening is what a connection is made of.
type Opening struct {
	// Connector has its secrets in its Config.
	Connector *domain.Connector
	// Client makes every request: it knows where requests may go, and who makes them.
	Client *http.Client
	// Grants keeps what comes of a person's sign-in; nil: nothing is kept here.
	Grants *GrantStore
}

// Pinger is a Connection that can find out whether its server answers, by a request that
// changes nothing.
type Pinger interface {
	Ping(ctx context.Context) error
}
