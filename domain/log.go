package domain

import "time"

// LogType is the name of an event in the log (and on streams and webhooks).
type LogType string

const (
	LogSessionPhase      LogType = "session.phase"
	LogSessionCreated    LogType = "session.created"
	LogSessionStatus     LogType = "session.status"
	LogSessionEnded      LogType = "session.ended"
	LogMessageCreated    LogType = "message.created"
	LogMessageUpdated    LogType = "message.updated"
	LogMessageDeleted    LogType = "message.deleted"
	LogCommandPlanned    LogType = "command.planned"
	LogCommandStarted    LogType = "command.started"
	LogCommandEnded      LogType = "command.ended"
	LogApprovalRequested LogType = "approval.requested"
	LogApprovalSettled   LogType = "approval.settled"
	LogUsageUpdated      LogType = "usage.updated"
	LogContextCompacted  LogType = "context.compacted"
	LogSlotChanged       LogType = "slot.changed"
	LogQueueChanged      LogType = "queue.changed"
	LogDataChanged       LogType = "data.changed"
	LogAutomationChanged LogType = "automation.changed"
	LogOccurrence        LogType = "occurrence.recorded"
	LogNotice            LogType = "notice"
)

// OfSession says whether events of this type belong to a session's own stream and
// carry a session_seq. The others belong to the workspace alone.
func (t LogType) OfSession() bool {
	switch t {
	case LogSlotChanged, LogQueueChanged, LogDataChanged, LogAutomationChanged, LogOccurrence:
		return false
	}
	return true
}

// LogEvent is one committed event. Exactly one of the bodies is set. Seq (the
// workspace's number) and SessionSeq are given by the commit, which then encodes
// the event once: Data is what streams, history and webhooks send, byte for byte.
type LogEvent struct {
	Seq         int64
	SessionSeq  int64 // 0 for the workspace's own
	WorkspaceID string
	SessionID   string // "" for the workspace's own
	Type        LogType
	At          time.Time
	Data        []byte

	Session   *Session
	Message   *Message
	Execution *Execution
	Approval  *Approval
	Phase     *Transition
	Change    *DataChange
	// Automation is as it is now; Occurrence as it was recorded.
	Automation  *Automation
	Occurrence  *Occurrence
	Notice      *Notice
	Slot        *SlotState
	Queue       []QueueRow // its first rows; filled by the commit
	QueueLength int
	Usage       *Roundtrip
}

// Notice is a short text for people (the toast).
type Notice struct {
	Level string `json:"level"` // info, warning, error
	Code  string `json:"code"`
	Text  string `json:"text"`
}

// SlotState says who holds a workspace's slot. Since is when the holder got it.
type SlotState struct {
	Holder     *Session
	Since      *time.Time
	Preempting string // the session that waits for a running action to end
}

// QueueRow is a session that asked for the slot. Position 1 is next.
type QueueRow struct {
	WorkspaceID string
	SessionID   string
	Number      int64 // order in the queue; first in first out
	Position    int
	Trigger     string
	Reason      string
	Since       time.Time
	NotBefore   *time.Time
	Preempting  bool
	// Blocked: an earlier run of the same automation has not ended. Filled by readers.
	Blocked bool
	Session *Session // filled by readers
}

// Reasons of rows that stand behind all others, whenever those came: nobody asks just
// now, and they get the slot when it is in nobody's way.
const (
	QueuedSuspect = "suspect" // it stands aside: its step may have brought the process down
	QueuedInTurn  = "in_turn" // another chat has taken its place, or it was taken out with work left to do
)

// InTurn says whether the row stands behind all others.
func (r *QueueRow) InTurn() bool { return r.Reason == QueuedSuspect || r.Reason == QueuedInTurn }

// Transition is one application of a rule of the machine. All of them are kept.
type Transition struct {
	WorkspaceID string
	SessionID   string
	Number      int64 // the session's count of transitions: its session_seq of the event
	From        Phase
	To          Phase
	Event       string
	Reason      string
	Status      Status
	RoundID     string
	Epoch       int64
	At          time.Time
}

// Roundtrip is one call of the AI as it is recorded.
type Roundtrip struct {
	ID           string
	WorkspaceID  string
	SessionID    string
	SessionType  SessionType
	AutomationID string // of the run that made it, "" outside of one
	RoundID      string
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

// InboxItem is something that came from outside while the session could not take it
// at once: a message that waits its turn, an answer to a parked session. It is
// accepted (2xx) and never lost; the driver folds it in.
type InboxItem struct {
	ID          string
	WorkspaceID string
	SessionID   string
	DedupeKey   string // unique in its session
	Kind        string // message
	IfBusy      IfBusy // enqueue or steer
	MessageID   string
	CreatedAt   time.Time
	// Message is filled when it is read; Bytes is about how long it is.
	Message *Message
	Bytes   int
}

// What may wait its turn in one session at a time: so many messages, and so many bytes
// of them together. What comes beyond is refused with queue_full.
const (
	MaxWaiting      = 100
	MaxWaitingBytes = 8 << 20
)
