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
}
