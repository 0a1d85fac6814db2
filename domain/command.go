package domain

import (
	"encoding/json"
	"strings"
	"time"
)

// CommandKind classifies commands by what they do.
type CommandKind string

const (
	KindQuery   CommandKind = "query"   // reads
	KindAction  CommandKind = "action"  // changes
	KindControl CommandKind = "control" // steers the session: ASK_USER, COMPLETE
)

// CommandEffect is what repeating a command would do.
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
	Role        Role            `json:"role"` // the lowest role that may use it
	Effect      CommandEffect   `json:"effect"`
	Source      string          `json:"source"` // "builtin", "mcp", "http", "long_running", "agent"
	Description string          `json:"description"`
	Params      json.RawMessage `json:"params_schema"` // JSON Schema of the params
	Timeout     time.Duration   `json:"timeout"`

	// What follows is of commands from outside. Connector is the id of theirs.
	Connector     string `json:"connector,omitempty"`
	ConnectorName string `json:"-"` // the display name of its connector
	BuiltInAgent  bool   `json:"-"` // it calls an agent that every workspace has
	// RequireValidation: each call requires an approval.
	RequireValidation bool `json:"require_validation,omitempty"`
	// Trusted: it may run without an approval after the round has read external content.
	Trusted bool `json:"trusted,omitempty"`
	// Sensitive: each call is approved with a passkey.
	Sensitive bool `json:"sensitive,omitempty"`
	// Unreviewed: names that another server chose, and no person has reviewed, are long enough to
	// carry an instruction. Its other texts are withheld until a review.
	Unreviewed bool          `json:"-"`
	Deadline   time.Duration `json:"deadline,omitempty"` // limits external work; 0: the command is not long-running
	// Probed: its server can be asked whether an earlier call was carried out.
	Probed    bool     `json:"-"`
	Documents []string `json:"-"` // the keys of the documents sent with each call
}

// External reports whether the command is carried out by another server.
func (s *CommandSpec) External() bool { return s.Source != "" && s.Source != SourceBuiltin }

// MaxWireName is how long a name on the wire to a model may be.
const MaxWireName = 64

// WireName is the command's name on the wire to a model: none of them takes a dot.
func (s *CommandSpec) WireName() string { return strings.ReplaceAll(s.Name, ".", "_") }

// AllowsCommand reports whether a list of external commands contains one: by its name, by its prefix
// ("GITHUB.*"), or by "*".
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

// MayBeOffered reports whether a session may be offered an external command: the workspace allows it, and
// so does the list that the session began with.
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
	// CallID is the call in the raw answer (RawCall.ID); with the JSON protocol an id is generated for each
	// command.
	CallID string `json:"call_id,omitempty"`
	// Repeat: run it although the same one ran just before.
	Repeat bool `json:"repeat,omitempty"`
	// ValidationRequest: the AI itself requests an approval.
	ValidationRequest bool `json:"validation_request,omitempty"`
}

// Names of the control commands: they steer the session, and are never run.
const (
	AskUser      = "ASK_USER"
	Complete     = "COMPLETE"
	AskPrincipal = "ASK_PRINCIPAL" // of an agent, to its caller
	AddCommands  = "COMMANDS"      // adds the definitions of commands that are offered by name only
)

const (
	// RepeatWindow is how long a command that was run counts as just done: the same again is a repetition.
	RepeatWindow = 30 * time.Second
	// CallTimeout bounds an external call whose command or connector sets no timeout.
	CallTimeout = 15 * time.Second
)

// ExecutionStatus is the state of an execution. The first three are intermediate; the others are results,
// of which every call gets exactly one.
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

// Final reports whether the status is a result.
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
	MessageID   string // the AI message (or the user message, for enrichments) that contains it
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
	GrantID     string // the grant used instead of an approval
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

// Codes of errors of work that was started and returned no result.
const (
	// CodeTaskFailed: its service reported a failure.
	CodeTaskFailed = "task_failed"
	// CodeTaskExpired: its deadline passed.
	CodeTaskExpired = "task_expired"
	// CodeTaskCancelled: a person or the AI cancelled it.
	CodeTaskCancelled = "task_cancelled"
	// CodeTaskWithdrawn: its service cancelled it.
	CodeTaskWithdrawn = "task_cancelled_by_service"
	// CodeNotFinished: it was interrupted.
	CodeNotFinished = "not_finished"
)

// OwnWords reports whether an error about external work is the server's own text, not the service's.
func (e *CommandError) OwnWords() bool {
	return e != nil && (e.Code == CodeTaskExpired || e.Code == CodeTaskCancelled || e.Code == CodeNotFinished)
}

// Begun reports whether a CANCELLED command had been started: part of it may have been done.
func (r *CommandResult) Begun() bool {
	return r.Status == ExecCancelled && r.Error != nil &&
		(r.Error.Code == CodeTaskCancelled || r.Error.Code == CodeTaskWithdrawn || r.Error.Code == CodeNotFinished)
}

// PendingText is the text of a PENDING execution for clients. The AI reads the same in the text of the
// result.
const PendingText = "It goes on outside. Its result comes later, by itself; do not ask for it again."

// ResultOf is the result line of an execution that has ended, in the workspace's language.
func ResultOf(e *Execution, language string) CommandResult {
	return CommandResult{
		ExecutionID: e.ID, CallID: e.CallID, Command: e.Command, Status: e.Status,
		Summary: e.Summary.In(language), Translations: e.Summary.Beside(language),
		Text: e.Text, Error: e.Error, Note: e.Note, From: e.Provenance(),
	}
}
