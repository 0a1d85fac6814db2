package domain

import "time"

// SlotState is who holds the slot of a lane.
type SlotState struct {
	Lane       string
	Seats      int
	Holders    []*Session // by seat
	Holder     *Session   // the first; nil: none
	Since      *time.Time // when the first got it
	Preempting string     // the session that waits for a running action to end
}

// QueueRow is a session that requested the slot. Position 1 is next.
type QueueRow struct {
	WorkspaceID string
	SessionID   string
	Lane        string
	Number      int64 // order in the queue; first in first out. 0: at the end of its part
	Position    int
	Trigger     string
	Reason      string
	Since       time.Time
	NotBefore   *time.Time
	Preempting  bool
	// BeforeRuns: a new row goes behind the chats that have their answer or begin a call, and before all others.
	BeforeRuns bool
	// Blocked: an earlier run of the same automation has not ended. Filled by readers.
	Blocked bool
	Session *Session // filled by readers
}

// Reasons of rows that are behind all others, whenever those came: no person waits for them, and they get
// the slot when it is free.
const (
	QueuedSuspect = "suspect" // set aside: its step may have crashed the process
	QueuedInTurn  = "in_turn" // another chat has taken its place, or it was taken out with work left to do
)

// The parts of a queue are ranges of numbers. Before the first are chats that have their answer or begin a call.
const (
	QueueInOrder   = 1 << 39 // in the order of their requests
	QueueBehindAll = 1 << 40 // behind all others, even later ones
)

// TriggerResume is the trigger of a session that continues: its wait is over, or its answer waits for the slot.
const TriggerResume = "RESUME"

// HasAnswer reports whether the session has its answer, or knows that there is none, and needs the slot to act on it.
func (r *QueueRow) HasAnswer() bool {
	return r.Trigger == TriggerResume && r.Session != nil && r.Session.State.Suspended && r.Session.Phase.Working()
}

// InTurn reports whether the row is behind all others.
func (r *QueueRow) InTurn() bool { return r.Reason == QueuedSuspect || r.Reason == QueuedInTurn }
