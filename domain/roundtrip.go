package domain

import "time"

// Roundtrip is one call of the AI as it is recorded.
type Roundtrip struct {
	ID, WorkspaceID, SessionID      string
	SessionType                     SessionType
	AutomationID                    string // of the run that made it, "" outside of one
	RoundID                         string
	Payer                           string // who pays for it, in the words of a client
	MessageID                       string
	Number                          int // TotalRoundtrips after it
	Reason                          RoundtripReason
	ProviderID, ProviderKind, Model string
	Purpose                         string // answer, compaction
	Outcome                         string // answered, cut, lost, network, provider_error …
	Error                           string
	Usage                           Usage
	PromptHash                      string
	PromptSize
	Streamed     bool
	StartedAt    time.Time
	FirstTokenAt *time.Time
	EndedAt      time.Time
	// Before are the calls that failed on the way to this one: of providers earlier in the chain, or too long.
	Before []*Roundtrip
	// Offered and Answered are for the process log, not stored; nil where it was not sent, or not answered.
	Offered  *OfferedTools
	Answered *AnswerFigures
}

// PromptSize is that of a prompt and its parts, in tokens as they are estimated before the call; the parts are 0 where
// they were not measured. With the JSON protocol the commands are among the rules.
type PromptSize struct {
	PromptTokens, Rules, Commands, Data, History int
	Reused                                       int // the beginning of the session's prompt before
}

// Values of Roundtrip.Outcome.
const (
	// OutcomeAnswered and OutcomeCut are the ends of a call that are no errors.
	OutcomeAnswered = "answered"
	OutcomeCut      = "cut"
	// OutcomeTooLong: the provider rejected the prompt as too long.
	OutcomeTooLong = "context_too_long"
)

// MaxOfferedNames bounds OfferedTools.Names.
const MaxOfferedNames = 50

// OfferedTools are the commands and client tools that an AI call offered to the model.
type OfferedTools struct {
	Tools int
	// Names are those of the commands, in their order, at most MaxOfferedNames. Client tools are
	// only counted: their names are text of an API client.
	Names []string
}

// AnswerFigures are the sizes of an answer.
type AnswerFigures struct {
	ContentChars int
	// ToolCalls counts the native calls. With the JSON protocol (Native is false) they are part of the content.
	ToolCalls int
	Native    bool
}
