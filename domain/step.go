package domain

import "time"

// Step is what the machine decides: the session as it is afterwards, all that must
// be stored for it (Change, whose Sessions holds exactly this session), and the
// effect to perform once that is stored.
type Step struct {
	Session *Session
	Change  *Change
	Effect  Effect
	// Uncommitted says that the effect may run before Change is stored, and that Change
	// is stored together with what follows: reading again after a crash costs nothing.
	// A commit comes before every effect that is not Repeatable.
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

// CallsAI says whether the effect is a call of the AI, which costs money.
func (e Effect) CallsAI() bool { return e == DoCallAI || e == DoCompact }

// Repeatable says whether doing it again after a crash costs and changes nothing, so that
// it may run before what led to it is stored.
func (e Effect) Repeatable() bool { return e == DoParse || e == DoRunQueries }

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
