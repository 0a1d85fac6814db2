package domain

import "slices"

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

// AnyReads says whether one of the queries reads. CANCEL_TASK runs among them and may stand beside
// actions in every protocol: no action of the same answer can depend on what it tells.
func AnyReads(queries []*Execution) bool {
	return slices.ContainsFunc(queries, func(x *Execution) bool { return x.Command != "CANCEL_TASK" })
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
	// AIAsked: the AI itself asked for an approval, and is heard.
	AIAsked bool
}
