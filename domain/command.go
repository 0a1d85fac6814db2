package domain

import (
	"encoding/json"
	"strings"
	"time"
)

// CommandKind says what a command does to the world.
type CommandKind string

const (
	KindQuery   CommandKind = "query"   // reads
	KindAction  CommandKind = "action"  // changes
	KindControl CommandKind = "control" // steers the session: ASK_USER, COMPLETE
)

// CommandEffect says what a repetition would do.
type CommandEffect string

const (
	EffectRead          CommandEffect = "read"
	EffectIdempotent    CommandEffect = "idempotent"
	EffectNonIdempotent CommandEffect = "non_idempotent"
)

// CommandSpec is an entry of the catalogue, as providers, prompts, the API and the
// checks see it.
type CommandSpec struct {
	Name        string          `json:"name"`
	Kind        CommandKind     `json:"kind"`
	Role        Role            `json:"role"` // the least role on whose behalf it runs
	Effect      CommandEffect   `json:"effect"`
	Source      string          `json:"source"` // "builtin", "mcp", "http", "long_running", "agent"
	Description string          `json:"description"`
	Params      json.RawMessage `json:"params_schema"` // JSON Schema of the params
	Timeout     time.Duration   `json:"timeout"`

	// What follows is of commands from outside. Connector is the id of theirs.
	Connector string `json:"connector,omitempty"`
	// ConnectorName is how people know it.
	ConnectorName string `json:"-"`
	// RequireValidation: a person says yes to each call.
	RequireValidation bool `json:"require_validation,omitempty"`
	// Trusted: it may run without a person although the round has read words from outside.
	Trusted bool `json:"trusted,omitempty"`
	// Sensitive: a person says yes to each call, signed with a passkey.
	Sensitive bool `json:"sensitive,omitempty"`
	// Unreviewed: names that another server chose, and no person has reviewed, are long enough to
	// carry an instruction. Its other texts are withheld until a review.
	Unreviewed bool `json:"-"`
	// Deadline is how long the work may go on outside; 0: it is no long-running command.
	Deadline time.Duration `json:"deadline,omitempty"`
	// Probed: its server can be asked whether an earlier call was carried out.
	Probed bool `json:"-"`
	// Documents are the keys of those whose texts go along with each call.
	Documents []string `json:"-"`
}

// External says whether something else than the server itself carries the command out.
func (s *CommandSpec) External() bool { return s.Source != "" && s.Source != SourceBuiltin }

// MaxWireName is how long a name on the wire to a model may be.
const MaxWireName = 64

// WireName is the command's name on the wire to a model: none of them takes a dot.
func (s *CommandSpec) WireName() string { return strings.ReplaceAll(s.Name, ".", "_") }

// AllowsCommand says whether a list of commands from outside has one: by its name, by all of
// its prefix ("GITHUB.*"), or with all others ("*").
func AllowsCommand(list []string, name string) bool {
	prefix, _, _ := strings.Cut(name, ".")
	for _, allowed := range list {
		if allowed == name || allowed == "*" || allowed == prefix+".*" {
			return true
		}
	}
	return false
}

// AllCommands is the list of commands that has all.
const AllCommands = "*"

// MayBeOffered says whether a session may be offered a command from outside: the workspace
// allows it, and what the session began with.
func (s *Session) MayBeOffered(settings *Settings, name string) bool {
	return AllowsCommand(settings.Commands, name) && (s.State.Commands == nil || AllowsCommand(s.State.Commands, name))
}

// Command is a request of the AI or of an enrichment. ID is a hash of type and
// sorted params: the same request has the same id.
type Command struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Params     json.RawMessage `json:"params"`
	IsRelative bool            `json:"is_relative,omitempty"`
	// CallID is the call in the raw answer that asked for it (RawCall.ID); with the
	// JSON protocol one is made for each command.
	CallID string `json:"call_id,omitempty"`
	// Repeat: run it although the same one ran just before.
	Repeat bool `json:"repeat,omitempty"`
	// ValidationRequest: the AI itself asks for a person's yes.
	ValidationRequest bool `json:"validation_request,omitempty"`
}

// ExecutionStatus is where an execution stands. The first three are on the way; the
// others are results, of which every call gets exactly one.
type ExecutionStatus string

const (
	ExecPlanned   ExecutionStatus = "PLANNED"
	ExecApproved  ExecutionStatus = "APPROVED"
	ExecStarted   ExecutionStatus = "STARTED"
	ExecSuccess   ExecutionStatus = "SUCCESS"
	ExecFailed    ExecutionStatus = "FAILED"
	ExecCancelled ExecutionStatus = "CANCELLED"
	ExecCached    ExecutionStatus = "CACHED"
	ExecPending   ExecutionStatus = "PENDING"
	ExecUnknown   ExecutionStatus = "UNKNOWN"
)

// Final says whether the status is a result.
func (s ExecutionStatus) Final() bool {
	return s != ExecPlanned && s != ExecApproved && s != ExecStarted
}

// CommandError is a failure that the AI can act on.
type CommandError struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Fields  []FieldError `json:"fields,omitempty"`
	// Translations are the message for people who read another language.
	Translations Translations `json:"translations,omitempty"`
}

// Execution is one row of the journal: intent and outcome of one command.
type Execution struct {
	ID          string
	WorkspaceID string
	SessionID   string
	RoundID     string
	MessageID   string // the AI message (or the user message, for enrichments) that asked for it
	CallID      string
	Position    int // in its answer
	Command     string
	Params      json.RawMessage
	Repeat      bool
	CommandID   string // Command.ID
	Kind        CommandKind
	Effect      CommandEffect
	Status      ExecutionStatus
	Attempt     int
	ApprovalID  string
	Digest      string // of command, version and exact params, when approved
	GrantID     string // the grant that stood for a person's yes
	Result      json.RawMessage
	Text        string // the result as the AI reads it
	Note        string
	Summary     Text // in words, for people: what is planned, then what was done
	Error       *CommandError
	Foreign     *Foreign // of a command that is not built in
	CreatedAt   time.Time
	StartedAt   *time.Time
	EndedAt     *time.Time
}

// CommandResult is an execution as a SYSTEM message reports it.
type CommandResult struct {
	ExecutionID string          `json:"execution_id,omitempty"`
	CallID      string          `json:"call_id,omitempty"`
	Command     string          `json:"command"`
	Status      ExecutionStatus `json:"status"`
	Summary     string          `json:"summary,omitempty"` // in words, for people
	// Translations are the summary for people who read another language.
	Translations Translations  `json:"translations,omitempty"`
	Text         string        `json:"text,omitempty"` // what the AI reads
	Error        *CommandError `json:"error,omitempty"`
	Note         string        `json:"note,omitempty"`
	// From is where Text and Error come from; nil: the server's own data and words.
	From *Provenance `json:"from,omitempty"`
}

// Codes of the errors of work that was begun and brought no result.
const (
	// CodeTaskFailed: its service says that it failed.
	CodeTaskFailed = "task_failed"
	// CodeTaskExpired: its deadline passed.
	CodeTaskExpired = "task_expired"
	// CodeTaskCancelled: a person or the AI cancelled it.
	CodeTaskCancelled = "task_cancelled"
	// CodeTaskWithdrawn: its service cancelled it.
	CodeTaskWithdrawn = "task_cancelled_by_service"
	// CodeNotFinished: it was cut, by whatever.
	CodeNotFinished = "not_finished"
)

// OwnWords says whether an error about work outside is in the server's own words: the service
// has said nothing.
func (e *CommandError) OwnWords() bool {
	return e != nil && (e.Code == CodeTaskExpired || e.Code == CodeTaskCancelled || e.Code == CodeNotFinished)
}

// Begun says whether a command that was CANCELLED had been started before: part of it may have
// been done.
func (r *CommandResult) Begun() bool {
	return r.Status == ExecCancelled && r.Error != nil &&
		(r.Error.Code == CodeTaskCancelled || r.Error.Code == CodeTaskWithdrawn || r.Error.Code == CodeNotFinished)
}

// PendingText is what a PENDING execution says of itself, to clients. The AI reads the same in the
// words of the result.
const PendingText = "It goes on outside. Its result comes later, by itself; do not ask for it again."

// ResultOf is the result line of an execution that has ended, in the workspace's language.
func ResultOf(e *Execution, language string) CommandResult {
	return CommandResult{
		ExecutionID: e.ID, CallID: e.CallID, Command: e.Command, Status: e.Status,
		Summary: e.Summary.In(language), Translations: e.Summary.Beside(language),
		Text: e.Text, Error: e.Error, Note: e.Note, From: e.Provenance(),
	}
}
