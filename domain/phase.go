package domain

// Phase is the state of a session's state machine (spec chapter 2).
type Phase string

const (
	Idle                          Phase = "IDLE"
	ExecutingEnrichments          Phase = "EXECUTING_ENRICHMENTS"
	CompactingContext             Phase = "COMPACTING_CONTEXT"
	CallingAI                     Phase = "CALLING_AI"
	ParsingAIResponse             Phase = "PARSING_AI_RESPONSE"
	ExecutingDataQueries          Phase = "EXECUTING_DATA_QUERIES"
	ExecutingActions              Phase = "EXECUTING_ACTIONS"
	WaitingValidation             Phase = "WAITING_VALIDATION"
	WaitingCommunicationResponse  Phase = "WAITING_COMMUNICATION_RESPONSE"
	WaitingBudget                 Phase = "WAITING_BUDGET"
	WaitingExternalResult         Phase = "WAITING_EXTERNAL_RESULT"
	WaitingCompletionConfirmation Phase = "WAITING_COMPLETION_CONFIRMATION"
	WaitingNetworkRetry           Phase = "WAITING_NETWORK_RETRY"
	RetryingAfterFormatError      Phase = "RETRYING_AFTER_FORMAT_ERROR"
	RetryingAfterActionFailure    Phase = "RETRYING_AFTER_ACTION_FAILURE"
	AwaitingSessionClosure        Phase = "AWAITING_SESSION_CLOSURE"
	Completed                     Phase = "COMPLETED"
)

// phaseRow is what is true of a phase by itself. A new phase is a row of the table below
// and its rules in the machine's.
type phaseRow struct {
	phase    Phase
	works    bool      // the server itself is at work
	waits    bool      // a WAITING_… one
	status   Status    // unless something else blocks it; a question without a person is only a wait
	effect   Effect    // its outside work, once the session has the slot
	next     Event     // follows at once: there is nothing to do outside
	due      Event     // follows when the time of its wait has come
	asks     *Question // to a person
	parks    bool      // a session that works by itself releases the slot
	waitsFor WaitFor   // what explains its wait
}

// The phases, in the order of the spec's table.
var phases = []phaseRow{
	{phase: Idle, status: StatusIdle},

	{phase: ExecutingEnrichments, works: true, status: StatusRunning, effect: DoEnrich},
	{phase: CompactingContext, works: true, status: StatusRunning, effect: DoCompact},
	{phase: CallingAI, works: true, status: StatusRunning, effect: DoCallAI},
	{phase: ParsingAIResponse, works: true, status: StatusRunning, effect: DoParse},
	{phase: ExecutingDataQueries, works: true, status: StatusRunning, effect: DoRunQueries},
	{phase: ExecutingActions, works: true, status: StatusRunning, effect: DoRunActions},

	{phase: WaitingValidation, waits: true, status: StatusRequiresAction, asks: askActions, parks: true, waitsFor: ForApproval},
	{phase: WaitingCommunicationResponse, waits: true, status: StatusRequiresAction, asks: askQuestion, waitsFor: ForQuestion},
	{phase: WaitingBudget, waits: true, status: StatusRequiresAction, asks: askBudget, parks: true, waitsFor: ForBudget},
	{phase: WaitingExternalResult, waits: true, status: StatusWaiting, parks: true, waitsFor: ForTask},
	{phase: WaitingCompletionConfirmation, waits: true, status: StatusRequiresAction, asks: askCompletion, parks: true,
		due: CompletionConfirmed{}, waitsFor: ForCompletion},
	{phase: WaitingNetworkRetry, waits: true, status: StatusWaiting, due: NetworkRetryScheduled{}, waitsFor: ForProvider},

	{phase: RetryingAfterFormatError, works: true, status: StatusRunning, next: RetryScheduled{}},
	{phase: RetryingAfterActionFailure, works: true, status: StatusRunning, next: RetryScheduled{}},

	{phase: AwaitingSessionClosure, status: StatusRunning, due: SessionCompleted{}, waitsFor: ForItself},
	{phase: Completed, status: StatusEnded},
}

// Phases lists every phase once, in the order of the spec's table.
var Phases = func() (list []Phase) {
	for _, r := range phases {
		list = append(list, r.phase)
	}
	return list
}()

// row is the phase's row. An unknown one (stored by a newer server) is shown as running, and nothing is
// done about it.
func (p Phase) row() phaseRow {
	for i := range phases {
		if phases[i].phase == p {
			return phases[i]
		}
	}
	return phaseRow{status: StatusRunning}
}

// Working reports whether the server itself is at work in this phase.
func (p Phase) Working() bool { return p.row().works }

// Waiting reports whether the phase is a WAITING_… one.
func (p Phase) Waiting() bool { return p.row().waits }

// Effect is the outside work of the phase.
func (p Phase) Effect() Effect { return p.row().effect }

// Next is the event that passes a phase at once, since it has no outside work.
func (p Phase) Next() Event { return p.row().next }

// Due is the event that ends the phase's wait when its time has come; nil for one that
// no time ends.
func (p Phase) Due() Event { return p.row().due }

// Question is the phase's question for a person; nil if it has none.
func (p Phase) Question() *Question { return p.row().asks }

// WaitsFor is what a session in this phase waits for; "" if it does not wait.
func (p Phase) WaitsFor() WaitFor { return p.row().waitsFor }

// AsksPerson reports whether a session in this phase always waits for a person.
func (p Phase) AsksPerson() bool {
	q := p.Question()
	return q != nil && !q.Optional
}

// EndsFromOutside reports whether the phase waits for something that neither a person nor a timer ends.
func (p Phase) EndsFromOutside() bool {
	r := p.row()
	return r.waits && r.asks == nil && r.due == nil
}

// WaitKind names the variants of a WaitingContext.
type WaitKind string

const (
	WaitValidation             WaitKind = "validation"
	WaitCommunication          WaitKind = "communication"
	WaitBudget                 WaitKind = "budget"
	WaitCompletionConfirmation WaitKind = "completion_confirmation"
	WaitNetworkRetry           WaitKind = "network_retry"
	WaitExternalResult         WaitKind = "external_result"
	WaitClosure                WaitKind = "closure"
	WaitAgents                 WaitKind = "agents"  // an agent of the session asks a person
	WaitOutside                WaitKind = "outside" // a server outside does
	WaitClient                 WaitKind = "client"  // the program that sent the message runs its own tools
)

// WaitFor is what a session waits for.
type WaitFor string

const (
	ForSlot       WaitFor = "slot"
	ForApproval   WaitFor = "approval"
	ForQuestion   WaitFor = "question"
	ForClient     WaitFor = "client" // the program that sent the message
	ForBudget     WaitFor = "budget"
	ForSignIn     WaitFor = "sign_in" // a person's sign-in to a connector
	ForCompletion WaitFor = "completion"
	ForProvider   WaitFor = "provider"
	ForTask       WaitFor = "task"
	ForSchedule   WaitFor = "schedule"
	ForPerson     WaitFor = "person"
	ForNothing    WaitFor = "nothing"
	ForItself     WaitFor = "itself"
)
