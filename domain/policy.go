package domain

import "time"

// Policy is the machine's input beyond the state and the event: the clock, a source of ids, the settings,
// and the inbox.
type Policy struct {
	Now      time.Time
	NewID    IDSource
	Settings Settings
	// Inbox holds the accepted messages that wait, oldest first: steer ones join at the
	// next call of the AI, enqueue ones start the next round when the session rests.
	Inbox []*InboxItem
	// Open are the open approvals of the session: what settles them finds them here.
	Open []*Approval
	// CancelMessage is the stored cancel message of the present wait, if any.
	CancelMessage *Message
	// Planned are ALL executions of the answer that is being carried out, by position,
	// those with a result already too (a query with wrong params, an action that was
	// not approved): every call is reported in one SYSTEM message.
	Planned []*Execution
	// Agents carry out calls of that answer.
	Agents []*AgentView
	// Tasks are those of the session that are not over.
	Tasks []*Task
	// Spent is what counts against the money budgets of the workspace.
	Spent Spent
	// Estimate is what is known of the model that the next call goes to: a budget must
	// have room for what that call may use at most.
	Estimate CallEstimate
	// Retry picks the delay of the n-th network retry (1 = first), jitter included.
	Retry func(attempt int) time.Duration
	// Caution about steps that may crash the process; zero: the defaults.
	Caution Caution
}

// Policy returns the machine's input for the view's session, as of now.
func (v *View) Policy(now time.Time, newID IDSource, estimate CallEstimate, retry func(attempt int) time.Duration) *Policy {
	return &Policy{
		Now: now, NewID: newID, Settings: v.Workspace.Settings,
		Inbox: v.Inbox, Open: v.Open, CancelMessage: v.CancelMessage, Planned: v.Planned, Agents: v.Agents, Tasks: v.Tasks,
		Spent: v.Spent, Estimate: estimate, Retry: retry,
	}
}
