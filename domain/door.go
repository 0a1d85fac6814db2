package domain

import "time"

// NewSession asks for a session.
type NewSession struct {
	ID                string // made by who asks, to listen before anything happens; empty: a new one
	Type              SessionType
	Name              string
	ProviderID        string
	RequireValidation bool
	ExternalID        string
	Message           *NewMessage // sent at once
	// Earlier is the history from elsewhere, as reported by the creator of the session: the record begins
	// with it.
	Earlier []EarlierMessage
	// Taint is what the record has read that Earlier departs from; nil: nothing, or there is none.
	Taint *Taint
	By    string
	// Owner is the id of the person who creates it; "" for a session of the workspace.
	Owner string
	// Visibility is "" where the workspace's setting applies.
	Visibility Visibility
}

// EarlierMessage is one message of a client's history: a person's or an answer.
type EarlierMessage struct {
	Sender Sender
	Text   string
	// Rich is what a person said who sent files with it; nil: Text is all.
	Rich *RichContent
	// From is where an answer comes from that is in no record here; nil: a model gave it here.
	From *Provenance
}

// NewMessage is what a person sends: segments already checked, enrichments resolved
// to commands.
type NewMessage struct {
	Rich      RichContent
	IfBusy    IfBusy // "" if the client did not choose
	By        Author
	Payer     string // who pays for its round, in the words of the client
	Tools     *ClientTools
	DedupeKey string // unique in its session; empty: none
	Trace     string // the id of the trace that it came with; "": none
	// History, if set, identifies the client's own history from now on: the record of the session up to
	// this message. It is a conflict if another message claimed it first.
	History *HistoryKey
}

// Receipt is the response of the door: the state after the request, and the number of the event that shows
// it.
type Receipt struct {
	Session  *Session
	Message  *Message
	Approval *Approval
	Seq      int64
	Created  bool          // CreateSession: false when the external_id was known
	Calls    []StoppedCall // StopSession
	Result   string        // Activate: ACTIVATED, ALREADY_ACTIVE, QUEUED; a run that an event starts: SKIPPED too, without a Session
	Position int           // Activate: 1 is next; 0 when not queued
}

// Results of asking for the slot.
const (
	Activated     = "ACTIVATED"
	AlreadyActive = "ALREADY_ACTIVE"
	Queued        = "QUEUED"
	// Skipped: no run was made, because the last one has not ended.
	Skipped = "SKIPPED"
)

// StoppedCall is the state of a call when its session was stopped: not_started, stopped, finished_before
// or unknown.
type StoppedCall struct {
	ExecutionID string
	Command     string
	Outcome     string
}

// SessionFilter selects sessions, newest first. Empty fields do not filter.
type SessionFilter struct {
	Type         SessionType
	Status       Status
	AutomationID string
	Owner        string    // the id of the person whose they are
	Query        string    // part of the name
	InMessages   bool      // or of what was said
	Trigger      string    // what started a run
	EndReason    EndReason // why it ended
	Since        time.Time
	Until        time.Time // not included
	Limit        int
	Cursor       string
}
