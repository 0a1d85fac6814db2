package domain

import "time"

// SlotState is the holder of a workspace's slot. Since is when it got it.
type SlotState struct {
	Holder     *Session
	Since      *time.Time
	Preempting string // the session that waits for a running action to end
}

// QueueRow is a session that requested the slot. Position 1 is next.
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

// Reasons of rows that are behind all others, whenever those came: no person waits for them, and they get
// the slot when it is free.
const (
	QueuedSuspect = "suspect" // set aside: its step may have crashed the process
	QueuedInTurn  = "in_turn" // another chat has taken its place, or it was taken out with work left to do
)

// InTurn reports whether the row is behind all others.
func (r *QueueRow) InTurn() bool { return r.Reason == QueuedSuspect || r.Reason == QueuedInTurn }
