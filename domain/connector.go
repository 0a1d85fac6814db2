package domain

import (
	"encoding/json"
	"time"
)

// ConnectorKind is how the commands of a connector are carried out.
type ConnectorKind string

const (
	ConnectorMCP         ConnectorKind = "mcp"
	ConnectorHTTP        ConnectorKind = "http"
	ConnectorLongRunning ConnectorKind = "long_running"
)

// ConnectorStatus says whether a connector can be used now.
type ConnectorStatus string

const (
	ConnectorReady       ConnectorStatus = "ready"
	ConnectorUnreachable ConnectorStatus = "unreachable"
	ConnectorNeedsSignIn ConnectorStatus = "needs_sign_in"
	ConnectorDisabled    ConnectorStatus = "disabled"
)

// Connector is a server outside whose commands join the catalogue of its workspace.
type Connector struct {
	ID          string
	WorkspaceID string
	Name        string
	Kind        ConnectorKind
	// Prefix stands before each of its commands (GITHUB.CREATE_ISSUE). It is unique in its
	// workspace, so that two connectors never collide.
	Prefix  string
	Enabled bool
	// Config is what a person entered, with a mask in the place of each secret. The secrets
	// are sealed, and bound to the origin that they were entered for; empty: there are none.
	Config       json.RawMessage
	SecretSealed string
	Commands     []ConnectorCommand
	Status       ConnectorStatus
	StatusDetail string
	// PausedUntil is when the next call may be made, where calls of it failed in a row. It is
	// what this process knows, and is not stored.
	PausedUntil  *time.Time
	LastListedAt *time.Time
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Command finds one by its name.
func (c *Connector) Command(name string) *ConnectorCommand {
	for i := range c.Commands {
		if c.Commands[i].Name == name {
			return &c.Commands[i]
		}
	}
	return nil
}

// NewConnector asks for a connector.
type NewConnector struct {
	Name     string
	Kind     ConnectorKind
	Prefix   string
	Disabled bool
	Config   json.RawMessage
	Commands []ConnectorCommand
}

// ConnectorPatch changes a connector. Nil: unchanged. Config is a merge patch; Commands are
// given whole.
type ConnectorPatch struct {
	Name     *string
	Prefix   *string
	Enabled  *bool
	Config   json.RawMessage
	Commands *[]ConnectorCommand
}

// ConnectorCommandPatch changes what a person says of a command. Nil: unchanged.
type ConnectorCommandPatch struct {
	Effect            *CommandEffect
	RequireValidation *bool
	Timeout           *time.Duration // 0: the default
	Trusted           *bool
	Sensitive         *bool
	State             *CommandState
}

// ConnectorTest is what trying a connector found. Error is empty when it answers.
type ConnectorTest struct {
	OK       bool
	Latency  time.Duration
	Commands int // that it has now
	Status   ConnectorStatus
	Error    string
}

// ConnectorPreview is the connector that a description of an API leads to, for a person to
// pick from. Skipped operations cannot be commands, or are too many.
type ConnectorPreview struct {
	Name     string
	Kind     ConnectorKind
	Prefix   string
	Config   json.RawMessage
	Commands []ConnectorCommand
	Skipped  int
}

// CommandState says whether a connector's command is offered to the AI.
type CommandState string

const (
	CommandOffered CommandState = "offered"
	CommandOff     CommandState = "off"
	// CommandChanged: its definition is no longer the one that a person looked at. It is
	// not offered until somebody has looked again.
	CommandChanged CommandState = "changed"
	// CommandGone: its server does not list it now. What a person said of it is kept, for when
	// it is listed again.
	CommandGone CommandState = "gone"
)

// ConnectorCommand is one command of a connector. What the server says of it (texts,
// schema) has a hash; the rest is a person's.
type ConnectorCommand struct {
	Name        string          `json:"name"` // without the prefix, upper case
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Params      json.RawMessage `json:"params_schema"`
	Effect      CommandEffect   `json:"effect"`
	// RequireValidation: a person says yes to each call.
	RequireValidation bool          `json:"require_validation"`
	Timeout           time.Duration `json:"timeout,omitempty"` // 0: the default
	// Trusted: it may run without a person although the round has read words from outside.
	Trusted bool `json:"trusted,omitempty"`
	// Sensitive: a person says yes to each call, signed with a passkey.
	Sensitive bool `json:"sensitive,omitempty"`
	// Reviewed says whether a person has looked at what its server says of it: false where it was
	// offered as it was listed. Nil: it was stored before this was noted.
	Reviewed       *bool        `json:"reviewed,omitempty"`
	DefinitionHash string       `json:"definition_hash"`
	State          CommandState `json:"state"`
	// Before is the state of one that is gone, which it comes back with.
	Before CommandState `json:"before,omitempty"`
	// Decided: a person said something of it.
	Decided bool `json:"decided,omitempty"`
	// LookedAt is what a changed one was when somebody looked at it; nil where that is not known.
	LookedAt *CommandTexts `json:"looked_at,omitempty"`
	// Remote is the name at the server outside, where it is not Name.
	Remote string `json:"remote,omitempty"`
	// Request says how an http or long_running command is sent.
	Request *CommandRequest `json:"request,omitempty"`
	// Result is a JSON pointer to what counts of the answer; empty: all of it.
	Result     string        `json:"result,omitempty"`
	Probe      *CommandProbe `json:"probe,omitempty"`
	Deadline   time.Duration `json:"deadline,omitempty"`    // long_running
	CancelPath string        `json:"cancel_path,omitempty"` // long_running
	// Documents are the keys of those whose published texts go along with each order (long_running).
	Documents []string `json:"documents,omitempty"`
}

// Reviewed says whether a person answers for what a command says of itself: who wrote it, or
// looked at what the server outside says. Of one that was stored before this was noted, it is not
// known where the connector offers commands as they are listed.
func (c *Connector) Reviewed(command *ConnectorCommand) bool {
	switch {
	case c.Kind != ConnectorMCP:
		return true
	case command.Reviewed != nil:
		return *command.Reviewed
	}
	return command.Effect != EffectRead || !c.OffersReadOnly()
}

// OffersReadOnly says whether a person has commands that only read offered as they are listed.
func (c *Connector) OffersReadOnly() bool {
	var rule struct {
		OfferReadOnly bool `json:"offer_read_only"`
	}
	return json.Unmarshal(c.Config, &rule) == nil && rule.OfferReadOnly
}

// CommandTexts is what the server outside said of a command.
type CommandTexts struct {
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Params      json.RawMessage `json:"params_schema"`
}

// CommandRequest is the request that carries a command out. Path and Body are templates of
// the params; params that stand in neither, nor in Query, go into the body as JSON.
type CommandRequest struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]string `json:"query,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`
}

// CommandProbe finds out whether a call of unknown outcome was carried out: a GET of Path
// that answers what Expect describes says yes.
type CommandProbe struct {
	Path   string          `json:"path"`
	Expect json.RawMessage `json:"expect"`
}
