package domain

import "slices"

// Step is the machine's decision: the new state of the session, everything that must be stored with it
// (Change, whose Sessions holds exactly this session), and the effect to perform afterwards.
type Step struct {
	Session *Session
	Change  *Change
	Effect  Effect
	// Uncommitted: the effect may run before Change is stored, and Change is stored together with the next
	// one, because repeating the effect after a crash is free. Every effect that is not Repeatable is
	// preceded by a commit.
	Uncommitted bool
	// ReleasesSlot: the session releases the slot; the scheduler looks for the next one.
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

// CallsAI reports whether the effect is a call of the AI, which costs money.
func (e Effect) CallsAI() bool { return e == DoCallAI || e == DoCompact }

// Repeatable reports whether repeating it after a crash is free and changes nothing, so that it may run
// before the step that led to it is stored.
func (e Effect) Repeatable() bool { return e == DoParse || e == DoRunQueries }

// AnyReads reports whether one of the queries reads data, as no action beside it may depend on its result.
func AnyReads(queries []*Execution) bool {
	return slices.ContainsFunc(queries, func(x *Execution) bool { return x.Command != "CANCEL_TASK" && x.Command != AddCommands })
}

// PlannedCommands are an answer's commands, resolved and validated against the catalogue, as
// AIResponseParsed carries them.
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
	// Reasons for requiring an approval; empty: none is required. Cards show them.
	Reasons []ApprovalReason
	Cards   []ApprovalAction
	// AIAsked: the AI itself requested an approval, and its request counts.
	AIAsked bool
}
