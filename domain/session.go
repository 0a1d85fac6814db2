package domain

import (
	"cmp"
	"time"
)

// SessionType is the kind of session.
type SessionType string

const (
	Chat  SessionType = "CHAT"       // a person talks; never ends by itself
	Seed  SessionType = "SEED"       // an automation's template; edited, never run
	Run   SessionType = "AUTOMATION" // one autonomous run
	Agent SessionType = "AGENT"      // a sub-agent's own session
)

// Status is the coarse, stable form of the phase for clients (spec chapter 1).
type Status string

const (
	StatusIdle           Status = "idle"
	StatusQueued         Status = "queued"
	StatusRunning        Status = "running"
	StatusRequiresAction Status = "requires_action"
	StatusWaiting        Status = "waiting"
	StatusSuspended      Status = "suspended"
	StatusEnded          Status = "ended"
)

// EndReason is why a session ended, or why it pauses without having ended.
type EndReason string

const (
	EndCompleted    EndReason = "COMPLETED"
	EndLimitReached EndReason = "LIMIT_REACHED"
	EndError        EndReason = "ERROR"
	EndTimeout      EndReason = "TIMEOUT"
	EndCancelled    EndReason = "CANCELLED"
	EndSuspended    EndReason = "SUSPENDED"     // not ended: the scheduler resumes it
	EndNetworkError EndReason = "NETWORK_ERROR" // not ended: the scheduler resumes it
)

// Cause says what began a round.
type Cause string

const (
	CauseUserMessage    Cause = "USER_MESSAGE"
	CauseManualTrigger  Cause = "MANUAL_TRIGGER"
	CauseExternalResult Cause = "EXTERNAL_RESULT"
	CauseResume         Cause = "RESUME"
	CauseSchedule       Cause = "SCHEDULE"
)

// RoundtripReason says why the AI is called: the round's cause for its first call,
// then one of the reasons below.
type RoundtripReason string

const (
	ReasonDataResponse          RoundtripReason = "DATA_RESPONSE"
	ReasonActionResult          RoundtripReason = "ACTION_RESULT"
	ReasonFormatErrorCorrection RoundtripReason = "FORMAT_ERROR_CORRECTION"
	ReasonLimitNotification     RoundtripReason = "LIMIT_NOTIFICATION"
)

// What started a run (Session.Trigger).
const (
	ByHand     = "MANUAL"
	BySchedule = "SCHEDULED"
	ByEvent    = "EVENT"
)

// Visibility says who else in the workspace sees a session of a person.
type Visibility string

const (
	VisiblePrivate   Visibility = "private"   // its owner alone
	VisibleWorkspace Visibility = "workspace" // everyone in the workspace
)

// Ownership is whose a session or an automation is.
type Ownership struct {
	Owner      string // the id of the person; "": the workspace
	Visibility Visibility
}

// LeaseOwner is the process that drives a session; empty without one.
type LeaseOwner struct{ OwnerNode, OwnerIncarnation string }

// Session is a conversation with an AI and all its state.
type Session struct {
	ID          string
	WorkspaceID string
	Type        SessionType
	Name        string
	Phase       Phase
	State       SessionState
	EndReason   EndReason

	Place
	HoldsSlot bool
	// QueuedAt is set while the session is in the queue of its lane.
	QueuedAt *time.Time

	// Ownership of a run is that of its automation, and of an agent's session that of the session that called it.
	Ownership

	ExternalID             string
	ParentSessionID        string
	Origin                 *ForkOrigin // of a fork; nil: its record is its own
	AutomationID           string
	Trigger                string
	ScheduledExecutionTime *time.Time
	ProviderID             string
	Model                  string // of the last answer
	RequireValidation      bool
	Pinned                 bool
	Budgets                Budgets
	Usage                  Usage

	CreatedAt               time.Time
	UpdatedAt               time.Time
	LastEventTime           time.Time
	LastUserInteractionTime *time.Time
	// WakeAt is the next timer; a SchedulerHeartbeat comes then.
	WakeAt *time.Time

	// Version is bumped by every write; RunEpoch by every claim. A write is
	// conditional on both. LastSeq is the workspace's number of the latest event of
	// this session, SessionSeq the session's own count of events (no gaps).
	Version          int64
	RunEpoch         int64
	LastSeq          int64
	SessionSeq       int64
	LastTransitionID string
	LeaseOwner
}

// Status derives the coarse status of chapter 1.
func (s *Session) Status() Status {
	switch {
	case s.Phase == Completed:
		return StatusEnded
	case s.State.Poisoned:
		return StatusRequiresAction
	case s.QueuedAt != nil:
		return StatusQueued
	case s.State.Suspended:
		return StatusSuspended
	}
	status := s.Phase.row().status
	if status == StatusRequiresAction && !s.AsksPerson() {
		return StatusWaiting
	}
	return status
}

// Calls names what the session calls: its provider ("" for the workspace's default) and, after a slash,
// the model if the round overrides it.
func (s *Session) Calls() string {
	if s.Phase == Idle {
		return s.ProviderID // its last round is over
	}
	calls := cmp.Or(s.State.RoundProvider, s.ProviderID)
	if s.State.RoundModel != "" {
		calls += "/" + s.State.RoundModel
	}
	return calls
}

// AsksPerson reports whether the session waits for a person, who may have answered already.
func (s *Session) AsksPerson() bool {
	q := s.Phase.Question()
	if q == nil || !q.Optional {
		return q != nil
	}
	return s.State.Waiting != nil && s.State.Waiting.ApprovalID != ""
}

// Parks reports whether a session that works by itself releases the slot in its phase: it waits for
// something external that may take long.
func (s *Session) Parks() bool {
	q := s.Phase.Question()
	return s.Type != Chat && s.Phase.row().parks && (q == nil || s.AsksPerson())
}

// Clone copies the session so deep that the machine may change the copy freely.
func (s *Session) Clone() *Session {
	c := *s
	if s.State.Waiting != nil {
		w := *s.State.Waiting
		c.State.Waiting = &w
	}
	c.State.AnswerHashes = append([]string(nil), s.State.AnswerHashes...)
	return &c
}

// WaitingContext is the data of a waiting phase. The fields depend on Kind: the first three have
// ApprovalID and CancelMessageID; completion_confirmation has MessageID and At (and ApprovalID if a person
// must answer); network_retry Attempt, At and LastError; external_result Tasks; closure Reason and At;
// outside ExecutionID, and Module for a question; client has ApprovalID and CancelMessageID, and its calls
// are in the approval.
type WaitingContext struct {
	Kind            WaitKind  `json:"kind"`
	ApprovalID      string    `json:"approval_id,omitempty"`
	CancelMessageID string    `json:"cancel_message_id,omitempty"`
	MessageID       string    `json:"message_id,omitempty"`
	Module          *Module   `json:"module,omitempty"`
	CallID          string    `json:"call_id,omitempty"` // of the native ASK_USER call
	Attempt         int       `json:"attempt,omitempty"`
	At              time.Time `json:"at,omitzero"` // when it began, or for a timer when it is due
	LastError       string    `json:"last_error,omitempty"`
	Tasks           []string  `json:"tasks,omitempty"`
	Reason          EndReason `json:"reason,omitempty"`
	Limit           string    `json:"limit,omitempty"`  // which budget
	Agents          []string  `json:"agents,omitempty"` // sessions of agents that ask a person
	// ExecutionID is the call that a server outside wants something of a person for.
	ExecutionID string `json:"execution_id,omitempty"`
	// Answer came while the session was parked.
	Answer *WaitAnswer `json:"answer,omitempty"`
}

// TraceOf is the id of the trace that a round belongs to; "" if none was given or it is no longer known.
// Works on nil.
func (s *Session) TraceOf(round string) string {
	if s != nil && (s.State.RoundID == round || s.Type == Agent) {
		return s.State.RoundTrace
	}
	return ""
}
