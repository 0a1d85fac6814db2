package domain

import (
	"encoding/json"
	"time"
)

// What effects report.

// EnrichmentsExecuted has the results of the user message's queries; nil Executions if it had none.
type EnrichmentsExecuted struct {
	fromEffect
	Executions []*Execution
	Formatted  string
}

func (EnrichmentsExecuted) Name() string { return "EnrichmentsExecuted" }

// AIResponseReceived has the raw answer. MessageID is the id under which its text was streamed.
type AIResponseReceived struct {
	fromEffect
	MessageID string
	Raw       *RawAnswer
	Hash      string // of the raw answer, for going in circles
	LeftOut   int    // tokens of the history that had no room in its prompt
	Roundtrip *Roundtrip
	// Described is where words come from that stood in the prompt beside the messages.
	Described []Provenance
}

func (AIResponseReceived) Name() string { return "AIResponseReceived" }

// PartialAnswer is what had come of an answer when its call failed.
type PartialAnswer struct {
	MessageID  string // under which it was streamed
	Text       string
	StopReason string
}

// NetworkErrorOccurred: the provider could not be reached, or broke off.
type NetworkErrorOccurred struct {
	fromEffect
	Partial    *PartialAnswer // of a chat; nil: nothing had come
	Code       FailureCode    // "": it could not be reached
	Problem    string
	RetryAfter time.Duration
	ProviderID string // that failed
	Roundtrip  *Roundtrip
}

func (NetworkErrorOccurred) Name() string { return "NetworkErrorOccurred" }

// SystemErrorOccurred: no retry would help (wrong key, refused, too large).
type SystemErrorOccurred struct {
	fromEffect
	Partial    *PartialAnswer // of a chat; nil: nothing had come
	Code       FailureCode
	Words      Text // for people, if more is known than the code
	Problem    string
	ProviderID string // that failed; "": it was no provider's failure
	Roundtrip  *Roundtrip
}

func (SystemErrorOccurred) Name() string { return "SystemErrorOccurred" }

// ContextBudgetExceeded: the provider said "too long" (the machine itself notices
// an estimate above the budget).
type ContextBudgetExceeded struct {
	fromEffect
	Roundtrip *Roundtrip
}

func (ContextBudgetExceeded) Name() string { return "ContextBudgetExceeded" }

// ContextCompacted has the summary that replaces the older messages.
type ContextCompacted struct {
	fromEffect
	Summary   string
	Tokens    int // estimate of the prompt now
	Roundtrip *Roundtrip
}

func (ContextCompacted) Name() string { return "ContextCompacted" }

// AIResponseParsed has the parsed answer.
type AIResponseParsed struct {
	fromEffect
	MessageID string
	Raw       *RawAnswer
	Answer    *AIMessage
	Commands  PlannedCommands
	// Guidance is sent to the AI with the results (unknown module dropped …).
	Guidance string
	// ResponseSchema checks the answer to the module, if there is one.
	ResponseSchema json.RawMessage
	// End is the report of an agent that ends with this answer.
	End *AgentEnd
}

func (AIResponseParsed) Name() string { return "AIResponseParsed" }

// ParseErrorOccurred: the answer could not be read; nothing of it was run.
type ParseErrorOccurred struct {
	fromEffect
	MessageID string
	Raw       *RawAnswer
	Problem   string       // what was wrong, for the AI
	Refused   []*Execution // a final result for each native call of the answer
	Misfit    bool         // it was read, and is not in the format that the round's message asks for
}

func (ParseErrorOccurred) Name() string { return "ParseErrorOccurred" }

// RetryScheduled ends a RETRYING_… phase.
type RetryScheduled struct{ fromEffect }

func (RetryScheduled) Name() string { return "RetryScheduled" }

// DataQueriesExecuted has the finished queries (all of the answer). If the answer has actions too (native
// calls), Actions has them planned again, with the reasons and cards for the current data.
type DataQueriesExecuted struct {
	fromEffect
	Executions []*Execution
	Formatted  string
	Actions    PlannedCommands
	// CancelTasks are the ids of tasks that the AI wants to end.
	CancelTasks   []string
	AddedCommands []string // whose definitions the session is offered from now on
}

func (DataQueriesExecuted) Name() string { return "DataQueriesExecuted" }

// ActionStarted: the next action is carried out by another server. Its start is stored, together with what
// ended before it, before it is sent. If none of the Executions is STARTED, the series pauses before it.
type ActionStarted struct {
	fromEffect
	Executions []*Execution // every action of the answer
	Changes    []DataChange
}

func (ActionStarted) Name() string { return "ActionStarted" }

// OutsideAsked: an external call needs a person first: a sign-in, or an answer to the server's question.
type OutsideAsked struct {
	fromEffect
	Executions []*Execution // every action of the answer; none of queries, which run again
	Changes    []DataChange
	Ask        OutsideAsk
}

func (OutsideAsked) Name() string { return "OutsideAsked" }

// ActionsExecuted: all that was approved is done.
type ActionsExecuted struct {
	fromEffect
	Executions []*Execution // every action of the answer, each with its result
	Changes    []DataChange
}

func (ActionsExecuted) Name() string { return "ActionsExecuted" }

// ActionFailureOccurred: one failed, the later ones are CANCELLED.
type ActionFailureOccurred struct {
	fromEffect
	Executions []*Execution
	Changes    []DataChange
}

func (ActionFailureOccurred) Name() string { return "ActionFailureOccurred" }

// ExternalTasksStarted: everything else has finished; tasks are running outside.
type ExternalTasksStarted struct {
	fromEffect
	Executions []*Execution
	Tasks      []string
	Changes    []DataChange
}

func (ExternalTasksStarted) Name() string { return "ExternalTasksStarted" }
