package outside

import (
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// ConnectorKind is how the commands of a connector are carried out.
type ConnectorKind string

const (
	ConnectorMCP         ConnectorKind = "mcp"
	ConnectorHTTP        ConnectorKind = "http"
	ConnectorLongRunning ConnectorKind = "long_running"
)

// ConnectorStatus is whether a connector can be used now.
type ConnectorStatus string

const (
	ConnectorReady       ConnectorStatus = "ready"
	ConnectorUnreachable ConnectorStatus = "unreachable"
	ConnectorNeedsSignIn ConnectorStatus = "needs_sign_in"
	ConnectorDisabled    ConnectorStatus = "disabled"
)

// Connector is another server whose commands join the catalogue of its workspace.
type Connector struct {
	ID          string
	WorkspaceID string
	Name        string
	Kind        ConnectorKind
	// Prefix precedes the name of each of its commands (GITHUB.CREATE_ISSUE). It is unique in its
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
	// PausedUntil is when the next call may be made after calls failed in a row. It is known to this
	// process only, not stored.
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

// ConnectorCommandPatch changes a person's settings of a command; nil: unchanged.
type ConnectorCommandPatch struct {
	Effect            *domain.CommandEffect
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

// CommandState is whether a connector's command is offered to the AI.
type CommandState string

const (
	CommandOffered CommandState = "offered"
	CommandOff     CommandState = "off"
	// CommandChanged: its definition differs from the reviewed one. It is not offered until it is reviewed
	// again.
	CommandChanged CommandState = "changed"
	// CommandGone: its server does not list it now. What a person said of it is kept, for when
	// it is listed again.
	CommandGone CommandState = "gone"
)

// ConnectorCommand is one command of a connector. The server's part (texts, schema) has a hash; the rest
// is set by people.
type ConnectorCommand struct {
	Name        string               `json:"name"` // without the prefix, upper case
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Params      json.RawMessage      `json:"params_schema"`
	Effect      domain.CommandEffect `json:"effect"`
	// RequireValidation: each call requires an approval.
	RequireValidation bool          `json:"require_validation"`
	Timeout           time.Duration `json:"timeout,omitempty"` // 0: the default
	// Trusted: it may run without an approval after the round has read external content.
	Trusted bool `json:"trusted,omitempty"`
	// Sensitive: each call is approved with a passkey.
	Sensitive bool `json:"sensitive,omitempty"`
	// Reviewed reports whether a person has reviewed the server's texts: false if it was offered as listed.
	// Nil: stored before this was recorded.
	Reviewed       *bool        `json:"reviewed,omitempty"`
	DefinitionHash string       `json:"definition_hash"`
	State          CommandState `json:"state"`
	// Before is the state of one that is gone, which it comes back with.
	Before CommandState `json:"before,omitempty"`
	// Decided: a person said something of it.
	Decided bool `json:"decided,omitempty"`
	// LookedAt is the reviewed version of a changed command; nil if it is not known.
	LookedAt *CommandTexts `json:"looked_at,omitempty"`
	// Remote is the name at the server outside, where it is not Name.
	Remote string `json:"remote,omitempty"`
	// Request is the HTTP request of an http or long_running command.
	Request *CommandRequest `json:"request,omitempty"`
	// Result is a JSON pointer to what counts of the answer; empty: all of it.
	Result     string        `json:"result,omitempty"`
	Probe      *CommandProbe `json:"probe,omitempty"`
	Deadline   time.Duration `json:"deadline,omitempty"`    // long_running
	CancelPath string        `json:"cancel_path,omitempty"` // long_running
	// Documents are the keys of the documents whose published texts are sent with each request
	// (long_running).
	Documents []string `json:"documents,omitempty"`
}

// Reviewed reports whether a person answers for a command's texts: they wrote them or reviewed those of
// the server. It is unknown for commands stored before this was recorded, if the connector offers commands
// as listed.
func (c *Connector) Reviewed(command *ConnectorCommand) bool {
	switch {
	case c.Kind != ConnectorMCP:
		return true
	case command.Reviewed != nil:
		return *command.Reviewed
	}
	return command.Effect != domain.EffectRead || !c.OffersReadOnly()
}

// OffersReadOnly reports whether read-only commands are offered as listed.
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

// CommandRequest is the request that carries out a command. Path and Body are templates of the parameters;
// parameters used neither there nor in Query are sent in the body as JSON.
type CommandRequest struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]string `json:"query,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`
}

// CommandProbe finds out whether a call with an unknown outcome was carried out: a GET of Path whose
// response matches Expect confirms it.
type CommandProbe struct {
	Path   string          `json:"path"`
	Expect json.RawMessage `json:"expect"`
}
