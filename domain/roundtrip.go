package domain

import "time"

// Roundtrip is one call of the AI as it is recorded.
type Roundtrip struct {
	ID           string
	WorkspaceID  string
	SessionID    string
	SessionType  SessionType
	AutomationID string // of the run that made it, "" outside of one
	RoundID      string
	Payer        string // who pays for it, in the words of a client
	MessageID    string
	Number       int // TotalRoundtrips after it
	Reason       RoundtripReason
	ProviderID   string
	ProviderKind string
	Model        string
	Purpose      string // answer, compaction
	Outcome      string // answered, cut, lost, network, provider_error …
	Error        string
	Usage        Usage
	PromptHash   string
	PromptTokens int // estimated before the call
	Streamed     bool
	StartedAt    time.Time
	FirstTokenAt *time.Time
	EndedAt      time.Time
	// Before are the calls that failed on the way to this one: of providers that come
	// earlier in the chain, or with a prompt that was too long. They are kept beside it.
	Before []*Roundtrip
	// Offered and Answered are for the process log, and are not stored. They are nil where the
	// request was not sent, or not answered.
	Offered  *OfferedTools
	Answered *AnswerFigures
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
	// ToolCalls counts the native tool calls. With the JSON protocol (Native is false) the calls are
	// part of the content.
	ToolCalls int
	Native    bool
}
