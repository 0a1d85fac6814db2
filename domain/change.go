package domain

import (
	"slices"
	"time"
)

// Change is everything one transaction writes in one workspace. The machine and the scheduler build it;
// the repository writes it atomically, numbers its events in the order of Events, and returns them
// encoded.
//
// Pointers are shared between the lists and the events: a message's Seq, set while its event is numbered,
// is visible in both.
type Change struct {
	WorkspaceID string
	At          time.Time

	// Sessions in the order of writing: a session that releases the slot comes before the one that takes
	// it, because the unique index on the holder is checked at each statement.
	Sessions []SessionWrite

	Messages        []*Message   // new rows; Seq comes from their message.created event unless they are queued
	PlacedMessages  []*Message   // queued before, now in their place; Seq comes from their message.updated event
	EditedMessages  []*Message   // still queued, text changed
	MarkedMessages  []*Message   // in their place; Superseded is as it is to be
	DeletedMessages []*Message   // a wait's cancel message, or a withdrawn queued one
	Executions      []*Execution // written by id: inserted, or their outcome updated
	Approvals       []*Approval  // written by id
	Transitions     []*Transition
	Roundtrips      []*Roundtrip
	Inbox           []*InboxItem
	InboxDone       []string
	Enqueue         []QueueRow
	Dequeue         []string // session ids
	Grants          []*Grant // written by id
	Histories       []KnownHistory
	HeldAnswers     []HeldAnswer
	Tasks           []*Task // written by id, on the condition of their Version
	Passkeys        []PasskeyUse
	// Rows are of nouns that are no part of a session: automations, and the occurrences of their schedules.
	Rows   []Row
	Events []*LogEvent
	Unstored
	// Spent, if set, is what the decision took for spent in the workspace: the change is
	// written only if it is still so. Two sessions never use the same money.
	Spent *Spent
}

// Unstored is what a change reports to other nodes and to the metrics, besides what is stored.
type Unstored struct {
	// ConnectorChanges, if set, is how often the workspace's connectors were changed by now.
	ConnectorChanges int64
	// Limits ended a round or stopped it for a person's decision; Circles are the kinds of circles that a model was found in.
	Limits  []string
	Circles []string
	// Discarded are the reasons for which calls of the AI that were under way were cut.
	Discarded []string
}

// Reasons for which a call of the AI is cut while it is under way.
const (
	CutBySlot      = "slot" // one more than may continue without the slot, or its process died
	CutByStop      = "stop"
	CutByInterrupt = "interrupt"
	CutByWatchdog  = "watchdog"
	CutByOther     = "other"
)

// CutReasons are all of them.
var CutReasons = []string{CutBySlot, CutByStop, CutByInterrupt, CutByWatchdog, CutByOther}

// HeldAnswer is a complete answer of the AI that waits for the slot: it requests something that must run.
type HeldAnswer struct {
	WorkspaceID, SessionID string
	MessageID              string // of the message that it becomes
	// Answer is nil in a change that deletes the session's held answer: it was carried out, or is not needed any more.
	Answer *RawAnswer
}

// Row is a row of a noun in a family of its own. The repository writes each by its type, and rejects a type that it does
// not know.
type Row interface {
	// DueAt is when the scheduler must look at it next; nil: never.
	DueAt() *time.Time
}

// SessionWrite writes one session's row, on the condition that Version (and
// RunEpoch) are still what they were when it was read. The repository bumps
// Session.Version itself and sets LastSeq, SessionSeq and LastTransitionID.
type SessionWrite struct {
	Session *Session
	Insert  bool
	Delete  bool
	// Claim: the writer takes the session over: RunEpoch+1, owner is this node.
	Claim bool
}

// Session finds the write of a session in the change, or nil.
func (c *Change) Session(id string) *Session {
	for i := range c.Sessions {
		if c.Sessions[i].Session.ID == id {
			return c.Sessions[i].Session
		}
	}
	return nil
}

// Emit appends an event to the log of the change.
func (c *Change) Emit(e LogEvent) {
	e.WorkspaceID = c.WorkspaceID
	e.At = c.At
	c.Events = append(c.Events, &e)
}

// Merge appends another change of the same workspace and instant.
func (c *Change) Merge(o *Change) {
	if o == nil {
		return
	}
	c.Sessions = append(c.Sessions, o.Sessions...)
	c.Messages = append(c.Messages, o.Messages...)
	c.PlacedMessages = append(c.PlacedMessages, o.PlacedMessages...)
	c.EditedMessages = append(c.EditedMessages, o.EditedMessages...)
	c.MarkedMessages = append(c.MarkedMessages, o.MarkedMessages...)
	c.DeletedMessages = append(c.DeletedMessages, o.DeletedMessages...)
	c.Executions = append(c.Executions, o.Executions...)
	c.Approvals = append(c.Approvals, o.Approvals...)
	c.Transitions = append(c.Transitions, o.Transitions...)
	c.Roundtrips = append(c.Roundtrips, o.Roundtrips...)
	c.Inbox = append(c.Inbox, o.Inbox...)
	c.InboxDone = append(c.InboxDone, o.InboxDone...)
	c.Enqueue = append(c.Enqueue, o.Enqueue...)
	c.Dequeue = append(c.Dequeue, o.Dequeue...)
	c.Rows = append(c.Rows, o.Rows...)
	c.Grants = append(c.Grants, o.Grants...)
	c.Histories = append(c.Histories, o.Histories...)
	c.HeldAnswers = append(c.HeldAnswers, o.HeldAnswers...)
	c.Tasks = append(c.Tasks, o.Tasks...)
	c.Passkeys = append(c.Passkeys, o.Passkeys...)
	c.Events = append(c.Events, o.Events...)
	c.Limits = append(c.Limits, o.Limits...)
	c.Discarded = append(c.Discarded, o.Discarded...)
	c.Circles = append(c.Circles, o.Circles...)
	if c.Spent == nil {
		c.Spent = o.Spent // what the first of them saw was read; the later ones counted on
	}
}

// Then appends what a later step decided about the same session, so that both are
// written at once: one write of the session's row, in its latest state, and every
// event about it shows that state. c may be nil.
func (c *Change) Then(next *Change, session *Session) *Change {
	if c == nil {
		return next
	}
	c.Merge(next)
	c.At = next.At
	latest := SessionWrite{Session: session}
	c.Sessions = slices.DeleteFunc(c.Sessions, func(w SessionWrite) bool {
		mine := w.Session.ID == session.ID
		latest.Claim = latest.Claim || mine && w.Claim
		latest.Insert = latest.Insert || mine && w.Insert
		latest.Delete = latest.Delete || mine && w.Delete
		return mine
	})
	c.Sessions = append(c.Sessions, latest)
	for _, e := range c.Events {
		if e.Session != nil && e.Session.ID == session.ID {
			e.Session = session
		}
	}
	return c
}
