package domain

import "time"

// SessionState is what the machine counts and remembers of a session. It is kept
// as one text column, so no retry, resumption or restart gives a session more than
// its due. The embedded structs are parts of one flat object: their fields are stored in this order.
type SessionState struct {
	Waiting *WaitingContext `json:"waiting,omitempty"`
	RoundState
	AnswerState
	NextRound
	Counters
	// Taint is what the prompt holds from outside; nil: nothing.
	Taint *Taint `json:"taint,omitempty"`
	CallState
	// Suspicion: its step may be what brought the process down. Poisoned: it is set apart
	// for that, and a person decides.
	Suspicion Suspicion `json:"suspicion,omitzero"`
	Poisoned  bool      `json:"poisoned,omitempty"`
	RunTerms
	// Suspended: pre-empted; comes back by itself. SuspendedAt is since when.
	Suspended   bool      `json:"suspended,omitempty"`
	SuspendedAt time.Time `json:"suspended_at,omitzero"`
	// BegunAt is when a run had the slot for the first time.
	BegunAt time.Time `json:"begun_at,omitzero"`
	// KeepsSlotUntil is the count of roundtrips up to which an automation that waited too
	// long keeps the slot.
	KeepsSlotUntil int `json:"keeps_slot_until,omitempty"`
	// WorkedMicros is the working time in total (AUTOMATION watchdog), in microseconds.
	WorkedMicros int64 `json:"worked_us,omitempty"`
	// Raises are what a person granted beyond budgets. The machine replaces the list and
	// never changes it in place.
	Raises        []Raise  `json:"raises,omitempty"`
	AddedCommands []string `json:"added_commands,omitempty"` // offered by name, whose definitions the AI asked for
	// Agent is set for a session of type AGENT. The machine replaces it and never changes it
	// in place.
	Agent *AgentRun `json:"agent,omitempty"`
	// AgentAnswered: a person has answered an agent of the current answer, which continues as soon as this
	// session does.
	AgentAnswered bool `json:"agent_answered,omitempty"`
	// ReservedCost is what the call under way may cost at most, in US dollars. It counts
	// against the workspace's budgets until the call is settled.
	ReservedCost float64 `json:"reserved_cost,omitempty"`
}

// RoundState is the present round: its cause, and whose rights it has.
type RoundState struct {
	RoundID    string `json:"round_id,omitempty"`
	RoundCause Cause  `json:"round_cause,omitempty"`
	// RoundBy and RoundByName are who began the round, and RoundRole the role with whose rights it
	// acts, as it was then; see ActsAs.
	RoundBy     string `json:"round_by,omitempty"`
	RoundByName string `json:"round_by_name,omitempty"`
	RoundRole   Role   `json:"round_role,omitempty"`
	RoundPayer  string `json:"round_payer,omitempty"` // who pays for it
	// RoundTrace is the id of the trace that the round is a part of; "": it follows from RoundID.
	RoundTrace string          `json:"round_trace,omitempty"`
	NextReason RoundtripReason `json:"next_reason,omitempty"` // of the call that comes
	// RoundMessageID is the user message that began the round, whose enrichments run.
	RoundMessageID string `json:"round_message_id,omitempty"`
	// RoundTools is the user message whose Tools hold for the round; "": none.
	RoundTools string `json:"round_tools,omitempty"`
}

// AnswerState is the answer that is being carried out.
type AnswerState struct {
	// AnswerID is the AI message that is being carried out: its executions are the
	// ones that EXECUTING_… and WAITING_VALIDATION are about.
	AnswerID string `json:"answer_id,omitempty"`
	// PendingActions: the answer had actions beside its queries (native calls); they
	// follow once the queries have run.
	PendingActions bool `json:"pending_actions,omitempty"`
	// ResultsGood: the call that comes brings results, none of which is a failure. With
	// relaunch=on_error_only it offers no commands.
	ResultsGood bool `json:"results_good,omitempty"`
	// PendingCompleted: the answer said completed beside its actions.
	PendingCompleted bool `json:"pending_completed,omitempty"`
	// Pending is what else is owed for that answer. The machine replaces it and never
	// changes it in place.
	Pending *PendingAnswer `json:"pending,omitempty"`
}

// NextRound is the round that begins next, and what a round that is run again answers and calls.
type NextRound struct {
	// PendingCause is the cause of a round that begins once the chat is at rest with the slot:
	// a late result that no call has read yet, or a /retry.
	PendingCause Cause `json:"pending_cause,omitempty"`
	// Again is the round that was asked for again and has not begun. The machine replaces it
	// and never changes it in place.
	Again *Again `json:"again,omitempty"`
	// RetryOf is the round whose question this one answers once more. RoundProvider and
	// RoundModel are asked in it, where it is not the session's own.
	RetryOf       string `json:"retry_of,omitempty"`
	RoundProvider string `json:"round_provider,omitempty"`
	RoundModel    string `json:"round_model,omitempty"`
}

// Counters are what limits, and the search for circles, count. They end with the round, but for the totals.
type Counters struct {
	TotalRoundtrips          int      `json:"total_roundtrips,omitempty"` // never reset
	RoundRoundtrips          int      `json:"round_roundtrips,omitempty"`
	RoundTokens              int64    `json:"round_tokens,omitempty"`
	RoundCost                float64  `json:"round_cost,omitempty"`
	ConsecutiveDataQueries   int      `json:"consecutive_data_queries,omitempty"`
	ConsecutiveActionRetries int      `json:"consecutive_action_retries,omitempty"`
	ConsecutiveFormatErrors  int      `json:"consecutive_format_errors,omitempty"`
	NetworkAttempts          int      `json:"network_attempts,omitempty"`
	CommandsRun              int      `json:"commands_run,omitempty"`
	AnswerHashes             []string `json:"answer_hashes,omitempty"` // the latest, newest last
	// Circle detects whether the round goes in circles. The machine replaces it and never changes it in
	// place.
	Circle *Circle `json:"circle,omitempty"`
	// OverLimit names the limit beyond which the latest answer asked for commands: they did
	// not run, and the round ends.
	OverLimit string `json:"over_limit,omitempty"`

	// ContextTokens estimates the prompt: the last call's real usage and what was
	// added since. Before the first call it is the history alone.
	ContextTokens int `json:"context_tokens,omitempty"`
	// Compacted: this round's way to the AI was compacted already; it never loops.
	Compacted bool `json:"compacted,omitempty"`
}

// CallState is what is remembered between calls of the AI.
type CallState struct {
	// TooLong counts the calls since the last answer that the provider found too long, Cuts the
	// answers in a row that were cut at their length limit and could not be used. LeftOut: the
	// person knows that this round's prompts lack some of the history.
	TooLong int  `json:"too_long,omitempty"`
	Cuts    int  `json:"cuts,omitempty"`
	LeftOut bool `json:"left_out,omitempty"`
	// Misfits counts the round's final answers that were not in the format that its message asks for.
	Misfits int `json:"misfits,omitempty"`
	// FinalText is what the latest answer of a run or an agent says in the end, bounded.
	FinalText string `json:"final_text,omitempty"`
	// Unread are the ids of the late results that came while the AI was called: the answer or the
	// summary that it is at work on was made without them.
	Unread []string `json:"unread,omitempty"`
	// CallSince is since when the AI is called; zero while it is not.
	CallSince time.Time `json:"call_since,omitzero"`
	// CallAside: the call continues without the slot. AnswerHeld: its answer is stored, and waits for the slot to be acted on.
	CallAside  bool `json:"call_aside,omitempty"`
	AnswerHeld bool `json:"answer_held,omitempty"`
}

// RunTerms are what a run has of its automation, as it was when the run began.
type RunTerms struct {
	// Validation is what a run's automation decided about approvals when the run began
	// (park, refuse, allow); empty: as the workspace has it. AskCompletion: a person
	// confirms its end.
	Validation    string `json:"validation,omitempty"`
	AskCompletion bool   `json:"ask_completion,omitempty"`
	// Commands are those from outside that a run may be offered, as its automation had them
	// when it began; nil: all that the workspace allows.
	Commands []string `json:"commands,omitzero"`
}

// MaxFinalText bounds what a session keeps of its final text, in bytes: the message has all of it.
const MaxFinalText = 4000

// Circle is what is remembered of a round to notice that its model goes in circles.
type Circle struct {
	// Calls are the latest different ones of the round, newest last.
	Calls []RepeatedCall `json:"calls,omitempty"`
	// Answers counts those since a call brought something else than the last time.
	Answers int `json:"answers,omitempty"`
	// Found is the kind of circle that the latest answer closed ("" for none), Command the repeated
	// command, and GoesOn reports that the AI had been warned before.
	Found   string `json:"found,omitempty"`
	Command string `json:"command,omitempty"`
	GoesOn  bool   `json:"goes_on,omitempty"`
	// Work are the hashes of the latest answers that began work outside, newest last. They are
	// all that a round begun by a late result keeps: what the AI said of other results does not count.
	Work []string `json:"work,omitempty"`
	// Warned counts the warnings to the AI in this round; Alternated: those about two alternating answers.
	Warned     int  `json:"told,omitempty"`
	Alternated bool `json:"alternated,omitempty"`
}

// RepeatedCall is a call by the hashes of its request and of its outcome, and how often it had that
// outcome in a row.
type RepeatedCall struct {
	Call    string `json:"c"`
	Outcome string `json:"o"`
	Times   int    `json:"n"`
}

// PendingAnswer is what is owed for the answer that is being carried out, until its
// commands have ended.
type PendingAnswer struct {
	// Results of its calls that never run (refused, not approved, control calls): they are stored in the
	// same SYSTEM message as the results of the series.
	Results []CommandResult `json:"results,omitempty"`
	// PostText is stored once the actions have succeeded.
	PostText string `json:"post_text,omitempty"`
	// BackToAI: the results go back to the AI (native calls, or keep_control).
	BackToAI bool `json:"back_to_ai,omitempty"`
	// MayRest: the answer had text beside its actions and nothing else, and did not set keep_control. With
	// after_actions=rest its results are not sent back if all succeeded.
	MayRest bool `json:"may_rest,omitempty"`
	// Actions wait until the answer's queries have run; these are their results if they never run.
	Actions []CommandResult `json:"actions,omitempty"`
	// Replaced are executions whose call another one took over: they were planned again after the queries.
	Replaced []string `json:"replaced,omitempty"`
	// Reported are the calls whose result is in a message already.
	Reported []string `json:"told,omitempty"`
	// Tasks that were started outside and have not reported yet.
	Tasks []string `json:"tasks,omitempty"`
	// Comment is what the person wrote with an approval; By its author.
	Comment string `json:"comment,omitempty"`
	By      string `json:"by,omitempty"`
	ByName  string `json:"by_name,omitempty"`
	ByRole  Role   `json:"by_role,omitempty"`
	// AIAsked: the AI itself requested an approval of the actions behind its queries.
	AIAsked bool `json:"ai_asked,omitempty"`
	// Guidance is given to the AI with the results.
	Guidance string `json:"guidance,omitempty"`
	// Outside are people's answers to questions of this answer's calls, by execution.
	Outside map[string]OutsideAnswer `json:"outside,omitempty"`
}

// WaitAnswer is a person's decision that came while the session was parked without
// the slot. Its approval is settled; it is carried out when the slot is granted.
type WaitAnswer struct {
	Event    string   `json:"event"` // name of its event
	Decision Decision `json:"decision"`
	By       string   `json:"by,omitempty"`
	ByName   string   `json:"by_name,omitempty"`
	ByRole   Role     `json:"by_role,omitempty"`
	Text     string   `json:"text,omitempty"` // a module's answer in words
}
