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
	LogTaskChanged       LogType = "task.changed"
	LogAnswersChanged    LogType = "answers.changed"
)

// OfSession reports whether events of this type belong to a session's own stream and carry a session_seq.
// The others belong to the workspace alone.
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
	Lane        string // of a change of a queue
	Type        LogType
	At          time.Time
	Data        []byte

	Session   *Session
	Message   *Message
	Execution *Execution
	Approval  *Approval
	Phase     *Transition
	Change    *DataChange
	// Row is an automation as it is now, or an occurrence as it was recorded.
	Row         Row
	Notice      *Notice
	Task        *Task
	Slot        *SlotState
	Queue       []QueueRow // its first rows; filled by the commit
	QueueLength int
	Usage       *Roundtrip
	Answers     *AnswersChanged
}

// AnswersChanged lists the messages of a session that left the prompt, and those that returned to it.
type AnswersChanged struct {
	SessionID  string   `json:"session_id"`
	Superseded []string `json:"superseded"`
	Current    []string `json:"current"`
}

// Notice is a short text for people (the toast).
type Notice struct {
	Level string `json:"level"` // info, warning, error
	Code  string `json:"code"`
	Text  string `json:"text"`
	// Translations are the text for people who read another language.
	Translations Translations `json:"translations,omitempty"`
}

// NoticeOf is a notice in a workspace's language.
func NoticeOf(level, code string, text Text, language string) *Notice {
	return &Notice{Level: level, Code: code, Text: text.In(language), Translations: text.Beside(language)}
}

// LogTypes are all types of events in the log.
var LogTypes = []LogType{
	LogSessionPhase, LogSessionCreated, LogSessionStatus, LogSessionEnded, LogMessageCreated, LogMessageUpdated, LogMessageDeleted,
	LogCommandPlanned, LogCommandStarted, LogCommandEnded, LogApprovalRequested, LogApprovalSettled, LogUsageUpdated,
	LogContextCompacted, LogTaskChanged, LogAnswersChanged, LogSlotChanged, LogQueueChanged, LogDataChanged, LogAutomationChanged,
	LogOccurrence, LogNotice,
}
