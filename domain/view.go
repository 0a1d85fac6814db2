package domain

import "time"

// View is the data for a decision about one session, read in one transaction under the locks of the
// workspace's row and of the session's row (in this order).
type View struct {
	Workspace *Workspace
	Session   *Session
	// Holder is the session that holds the slot of the lane, nil when a seat is free. It is the same
	// pointer as Session when that one holds it. Of several holders it is one that waits for the network,
	// or the first. What follows is of a holder other than Session, so that it can be suspended or evicted
	// in the same transaction.
	Holder              *Session
	HolderOpen          []*Approval
	HolderPlanned       []*Execution
	HolderCancelMessage *Message
	HolderInbox         []*InboxItem
	HolderAgents        []*AgentView
	LaneView
	// Queue of the lane, next first. The rows of CHATs have their session.
	Queue []QueueRow

	Open          []*Approval // open approvals of the session
	CancelMessage *Message    // of its present wait
	// Planned are ALL executions of the answer being carried out (State.AnswerID), by
	// position: those that have a result already too, since every call of an answer is
	// reported in one SYSTEM message.
	Planned []*Execution
	// Agents carry out calls of that answer.
	Agents []*AgentView
	Inbox  []*InboxItem // accepted and not folded in, oldest first, Message filled
	// InboxBrief: the messages of Inbox have no text. A decision that needs it returns ErrInboxBrief and is
	// repeated with the full messages.
	InboxBrief bool

	// Grants are those of the run's automation, with their uses in this run.
	Grants []*Grant

	// Tasks are those of the session that its services have not ended, oldest first.
	Tasks []*Task

	// BehindOwnRun: the session is a run, and an earlier run of its automation has not
	// ended.
	BehindOwnRun bool

	// Spent is what the workspace spent and reserved, where anybody set a limit to it.
	Spent Spent
}

// Waiters are those who want the slot of a lane, as of one instant.
type Waiters struct {
	// At is the time of reading and of the decision: a row that becomes due between two such times would
	// have no session here and be missed.
	At        time.Time
	Workspace *Workspace
	Lane      string
	Holder    *Session // nil: a seat is free
	// ActionRuns: the holder has started an action whose outcome is not stored.
	ActionRuns bool
	Queue      []QueueRow // next first, each with its session
	// Aside are the sessions that have something to do and do not queue (suspended, at
	// work, a chat with a message that waits), oldest request first.
	Aside []*Session
	// DueSince is since when an occurrence of an automation is due; zero: none is.
	DueSince time.Time
}
