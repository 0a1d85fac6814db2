package domain

import "time"

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

// EndsRound reports whether a round ended: its session rests or is over.
func (t *Transition) EndsRound() bool {
	return t.RoundID != "" && t.From != t.To && (t.To == Idle || t.To == Completed && t.From != Idle)
}
