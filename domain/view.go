package domain

import "time"

// View is what a decision about one session needs to know, read in one transaction
// under the locks of the workspace's row and of the session's row (in this order).
type View struct {
	Workspace *Workspace
	Session   *Session
	// Holder is the session that holds the slot, nil when it is free. It is the same
	// pointer as Session when that one holds it. What follows is of a holder other than
	// Session, so that it can be suspended or evicted in the same transaction.
	Holder              *Session
	HolderOpen          []*Approval
	HolderPlanned       []*Execution
	HolderCancelMessage *Message
	HolderInbox         []*InboxItem
	HolderAgents        []*AgentView
	// Queue of the workspace, next first. The rows of CHATs have their session.
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
	// InboxBrief: the messages of Inbox come without what they say. Who needs it returns
	// ErrInboxBrief and is asked again with all of it.
	InboxBrief bool

	// Grants are those of the automation whose run the session is, with their uses in
	// this run.
	Grants []*Grant

	// Tasks are those of the session that its services have not ended, oldest first.
	Tasks []*Task

	// BehindOwnRun: the session is a run, and an earlier run of its automation has not
	// ended.
	BehindOwnRun bool

	// Spent is what the workspace spent and reserved, where anybody set a limit to it.
	Spent Spent
}

// Waiters are those who want the slot of a workspace, as of one instant.
type Waiters struct {
	// At is when it was read, and as of when it is decided: a row whose time comes between
	// the two has no session here, and nobody would look at it again.
	At        time.Time
	Workspace *Workspace
	Holder    *Session // nil: the slot is free
	// ActionRuns: the holder has started an action whose outcome is not stored.
	ActionRuns bool
	Queue      []QueueRow // next first, each with its session
	// Aside are the sessions that have something to do and do not queue (suspended, at
	// work, a chat with a message that waits), oldest request first.
	Aside []*Session
	// DueSince is since when an occurrence of an automation is due; zero: none is.
	DueSince time.Time
}

// Figures are all workspaces in numbers, as of now. A time is zero where there is nobody
// whose time it could be.
type Figures struct {
	Held, Queued int64
	HeldSince    time.Time // of the slot that is held longest
	Oldest       time.Time // since when the longest waits in a queue
	Approvals    int64     // open ones
	AskedSince   time.Time // of the oldest open one
	Bytes        int64     // of the database
}
