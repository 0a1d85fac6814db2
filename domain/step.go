package domain

import (
	"encoding/json"
	"time"
)

// Event is something that happens to a session: what the machine takes. The closed
// set of variants stands in this file; Name is the spec's name for it.
type Event interface{ Name() string }

// Step is what the machine decides: the session as it is afterwards, all that must
// be stored for it (Change, whose Sessions holds exactly this session), and the
// effect to perform once that is stored.
type Step struct {
	Session *Session
	Change  *Change
	Effect  Effect
	// Uncommitted says that the effect may run before Change is stored, and that Change
	// is stored together with what follows: reading again after a crash costs nothing.
	// True for DoParse and DoRunQueries; a commit comes before every other effect.
	Uncommitted bool
	// ReleasesSlot: the session held the slot and gives it up; the scheduler looks who
	// is next.
	ReleasesSlot bool
	// AsksSlot: the session wants the slot again (a resumption).
	AsksSlot bool
}

// Effect is the outside work that a phase does. The zero value is none: the session
// rests, waits or has ended.
type Effect string

const (
	DoNothing    Effect = ""
	DoEnrich     Effect = "enrich"      // run the queries of the round's user message -> EnrichmentsExecuted
	DoCallAI     Effect = "call_ai"     // -> AIResponseReceived, NetworkErrorOccurred, SystemErrorOccurred, ContextBudgetExceeded
	DoParse      Effect = "parse"       // parse and resolve the raw answer -> AIResponseParsed, ParseErrorOccurred
	DoRunQueries Effect = "run_queries" // -> DataQueriesExecuted
	DoRunActions Effect = "run_actions" // -> ActionsExecuted, ActionFailureOccurred, ApprovalStale
	DoCompact    Effect = "compact"     // -> ContextCompacted, NetworkErrorOccurred, SystemErrorOccurred
)

// Policy is what the machine must know beyond the state and the event: the clock,
// a source of ids, the settings in force, and what waits in the inbox.
type Policy struct {
	Now      time.Time
	NewID    IDSource
	Settings Settings
	// Inbox holds the accepted messages that wait, oldest first: steer ones join at the
	// next call of the AI, enqueue ones start the next round when the session rests.
	Inbox []*InboxItem
	// Open are the open approvals of the session: what settles them finds them here.
	Open []*Approval
	// CancelMessage is the stored cancel message of the present wait, if any.
	CancelMessage *Message
	// Planned are ALL executions of the answer that is being carried out, by position,
	// those with a result already too (a query with wrong params, an action that was
	// not approved): every call is reported in one SYSTEM message.
	Planned []*Execution
	// Spent is what counts against the money budgets of the workspace.
	Spent Spent
	// Estimate is what is known of the model that the next call goes to: a budget must
	// have room for what that call may use at most.
	Estimate CallEstimate
	// Retry picks the delay of the n-th network retry (1 = first), jitter included.
	Retry func(attempt int) time.Duration
	// Caution towards what may bring the process down; zero: the usual.
	Caution Caution
}

// PlannedCommands is an answer's commands, resolved and checked against the
// catalogue: what AIResponseParsed brings.
type PlannedCommands struct {
	// Queries and Actions are in order. One that was refused before it could run
	// (unknown, wrong params, repeated) is Final already, with its error.
	Queries []*Execution
	Actions []*Execution
	// Refused are calls that are neither: a control call beside others, a call too
	// many. Each is Final and gets its result with the rest.
	Refused []*Execution
	// OverLimit names the limit for which the machine kept some of them from running.
	OverLimit string
	// Reasons why a person must say yes first; empty: none needed. Cards show them.
	Reasons []ApprovalReason
	Cards   []ApprovalAction
}

type (
	// SessionActivationRequested re-enters the present phase: the slot is granted, or a
	// crash is recovered from (Recovery). Died: its process did not stop in good order.
	SessionActivationRequested struct{ Recovery, Died bool }

	// UserMessageSent brings a person's message. Its ids and content are filled; the
	// machine places it. OfInbox: it waited its turn and is taken now.
	UserMessageSent struct {
		Message *Message
		IfBusy  IfBusy
		// Explicit: the client said if_busy itself (an implied enqueue ends a wait, an
		// explicit one waits for it).
		Explicit  bool
		DedupeKey string
	}

	// EnrichmentsExecuted brings the results of the user message's queries; nil
	// Executions when it had none.
	EnrichmentsExecuted struct {
		Executions []*Execution
		Formatted  string
	}

	// ContextBudgetExceeded: the provider said "too long" (the machine itself notices
	// an estimate above the budget).
	ContextBudgetExceeded struct{ Roundtrip *Roundtrip }

	// ContextCompacted brings the summary that replaces the older messages.
	ContextCompacted struct {
		Summary   string
		Tokens    int // estimate of the prompt now
		Roundtrip *Roundtrip
	}

	// AIResponseReceived brings the raw answer. MessageID is the id under which its
	// text was streamed.
	AIResponseReceived struct {
		MessageID string
		Raw       *RawAnswer
		Hash      string // of the raw answer, for going in circles
		Roundtrip *Roundtrip
	}

	// AIResponseParsed brings the answer in its parsed form.
	AIResponseParsed struct {
		MessageID string
		Raw       *RawAnswer
		Answer    *AIMessage
		Commands  PlannedCommands
		// Guidance is told to the AI beside the results (unknown module dropped …).
		Guidance string
		// ResponseSchema checks the answer to the module, if there is one.
		ResponseSchema json.RawMessage
	}

	// ParseErrorOccurred: the answer could not be read; nothing of it was run.
	ParseErrorOccurred struct {
		MessageID string
		Raw       *RawAnswer
		Problem   string       // what was wrong, for the AI
		Refused   []*Execution // a final result for each native call of the answer
	}

	// RetryScheduled ends a RETRYING_… phase.
	RetryScheduled struct{}

	// DataQueriesExecuted brings the finished queries (all of the answer). If the answer
	// has actions too (native calls), Actions brings them planned afresh, with the
	// reasons and cards as the data is now.
	DataQueriesExecuted struct {
		Executions []*Execution
		Formatted  string
		Actions    PlannedCommands
	}

	// ActionsExecuted: all that was approved is done.
	ActionsExecuted struct {
		Executions []*Execution // every action of the answer, each with its result
		Formatted  string
		Changes    []DataChange
	}

	// ActionFailureOccurred: one failed, the later ones are CANCELLED.
	ActionFailureOccurred struct {
		Executions []*Execution
		Formatted  string
		Changes    []DataChange
	}

	// ValidationReceived is a person's answer to WAITING_VALIDATION. Edited holds the
	// executions whose params the person changed (checked, digests renewed); the
	// machine approves what was approved and cancels the rest of Policy.Planned.
	ValidationReceived struct {
		Decision Decision
		Recorded []byte // canonical form of the decision
		Edited   []*Execution
	}

	// ApprovalStale: a record changed since it was shown; Commands has the cards
	// with the present values.
	ApprovalStale struct {
		Commands PlannedCommands
	}

	// ApprovalExpired is due at an approval's expiry.
	ApprovalExpired struct{ ApprovalID string }

	// CommunicationResponseReceived answers a module; Text is the answer in words.
	CommunicationResponseReceived struct {
		Decision Decision
		Recorded []byte
		Text     string
	}

	// CommunicationCancelled: the person does not want to answer.
	CommunicationCancelled struct {
		Decision Decision
		Recorded []byte
	}

	// BudgetRaised and BudgetRefused answer WAITING_BUDGET.
	BudgetRaised struct {
		Decision Decision
		Recorded []byte
	}
	BudgetRefused struct {
		Decision Decision
		Recorded []byte
	}

	// ExternalTasksStarted: all that can finish now has finished; tasks go on outside.
	ExternalTasksStarted struct {
		Executions []*Execution
		Formatted  string
		Tasks      []string
	}

	// ExternalResultReceived brings the late result of a task.
	ExternalResultReceived struct {
		TaskID string
		Result CommandResult
	}

	// CompletionConfirmed and CompletionRejected answer WAITING_COMPLETION_CONFIRMATION.
	CompletionConfirmed struct {
		Decision Decision
		Recorded []byte
	}
	CompletionRejected struct {
		Decision Decision
		Recorded []byte
	}

	// NetworkErrorOccurred: the provider could not be reached, or broke off.
	NetworkErrorOccurred struct {
		Problem    string
		RetryAfter time.Duration
		Roundtrip  *Roundtrip
	}

	// NetworkRetryScheduled is the timer of WAITING_NETWORK_RETRY; NetworkAvailable the
	// news that the provider is back; NetworkGivenUp the end of requeue_after_3.
	NetworkRetryScheduled struct{}
	NetworkAvailable      struct{}
	NetworkGivenUp        struct{}

	// SystemErrorOccurred: no retry would help (wrong key, refused, too large).
	SystemErrorOccurred struct {
		Code      string
		Problem   string
		Roundtrip *Roundtrip
	}

	// WatchdogExpired: an AUTOMATION stalled or ran too long.
	WatchdogExpired struct{ Reason string }

	// RoundRequested runs the round again (/retry).
	RoundRequested struct{ By Author }

	// InterruptRequested cuts the round (CHAT). PartialText is what was received.
	InterruptRequested struct {
		By          string
		MessageID   string
		PartialText string
		// Then, if set, is the message of if_busy=interrupt that follows.
		Then *UserMessageSent
	}

	// StopRequested ends the session with CANCELLED.
	StopRequested struct{ By string }

	// SessionResumed brings a stopped CHAT, a suspended AUTOMATION or a poisoned
	// session back (/resume).
	SessionResumed struct{}

	// SessionSuspended takes the slot away at a safe point.
	SessionSuspended struct{}

	// SessionEvicted takes the slot from a CHAT that is inactive.
	SessionEvicted struct{}

	// SessionCompleted ends AWAITING_SESSION_CLOSURE.
	SessionCompleted struct{}

	// SchedulerHeartbeat says the time: what is due happens. Driven: this very process
	// performs the session's step, and is alive to say so.
	SchedulerHeartbeat struct{ Driven bool }
)

// RoundtripOf is the call of the AI that an event reports; nil for one that reports none.
func RoundtripOf(e Event) *Roundtrip {
	switch e := e.(type) {
	case AIResponseReceived:
		return e.Roundtrip
	case ContextCompacted:
		return e.Roundtrip
	case ContextBudgetExceeded:
		return e.Roundtrip
	case NetworkErrorOccurred:
		return e.Roundtrip
	case SystemErrorOccurred:
		return e.Roundtrip
	}
	return nil
}

func (SessionActivationRequested) Name() string    { return "SessionActivationRequested" }
func (UserMessageSent) Name() string               { return "UserMessageSent" }
func (EnrichmentsExecuted) Name() string           { return "EnrichmentsExecuted" }
func (ContextBudgetExceeded) Name() string         { return "ContextBudgetExceeded" }
func (ContextCompacted) Name() string              { return "ContextCompacted" }
func (AIResponseReceived) Name() string            { return "AIResponseReceived" }
func (AIResponseParsed) Name() string              { return "AIResponseParsed" }
func (ParseErrorOccurred) Name() string            { return "ParseErrorOccurred" }
func (RetryScheduled) Name() string                { return "RetryScheduled" }
func (DataQueriesExecuted) Name() string           { return "DataQueriesExecuted" }
func (ActionsExecuted) Name() string               { return "ActionsExecuted" }
func (ActionFailureOccurred) Name() string         { return "ActionFailureOccurred" }
func (ValidationReceived) Name() string            { return "ValidationReceived" }
func (ApprovalStale) Name() string                 { return "ApprovalStale" }
func (ApprovalExpired) Name() string               { return "ApprovalExpired" }
func (CommunicationResponseReceived) Name() string { return "CommunicationResponseReceived" }
func (CommunicationCancelled) Name() string        { return "CommunicationCancelled" }
func (BudgetRaised) Name() string                  { return "BudgetRaised" }
func (BudgetRefused) Name() string                 { return "BudgetRefused" }
func (ExternalTasksStarted) Name() string          { return "ExternalTasksStarted" }
func (ExternalResultReceived) Name() string        { return "ExternalResultReceived" }
func (CompletionConfirmed) Name() string           { return "CompletionConfirmed" }
func (CompletionRejected) Name() string            { return "CompletionRejected" }
func (NetworkErrorOccurred) Name() string          { return "NetworkErrorOccurred" }
func (NetworkRetryScheduled) Name() string         { return "NetworkRetryScheduled" }
func (NetworkAvailable) Name() string              { return "NetworkAvailable" }
func (NetworkGivenUp) Name() string                { return "NetworkGivenUp" }
func (SystemErrorOccurred) Name() string           { return "SystemErrorOccurred" }
func (WatchdogExpired) Name() string               { return "WatchdogExpired" }
func (RoundRequested) Name() string                { return "RoundRequested" }
func (InterruptRequested) Name() string            { return "InterruptRequested" }
func (StopRequested) Name() string                 { return "StopRequested" }
func (SessionResumed) Name() string                { return "SessionResumed" }
func (SessionSuspended) Name() string              { return "SessionSuspended" }
func (SessionEvicted) Name() string                { return "SessionEvicted" }
func (SessionCompleted) Name() string              { return "SessionCompleted" }
func (SchedulerHeartbeat) Name() string            { return "SchedulerHeartbeat" }
