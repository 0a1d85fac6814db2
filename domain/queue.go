package domain

import "time"

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
