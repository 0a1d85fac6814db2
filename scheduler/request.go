package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Request is one thing that comes to a session, or to an automation, from outside.
type Request struct {
	Workspace string
	// Session is whom it comes to; with New a session is made, and it is the first thing
	// that comes to it.
	Session string
	New     *domain.Session
	// Event says, under the locks, what happens to the session. An error refuses it; a nil
	// event means that nothing happens to the machine, and only Also writes.
	Event func(v *domain.View) (domain.Event, error)
	// Also adds to the change what the machine knows nothing of.
	Also func(v *domain.View, change *domain.Change) error
	// Unattended: no person waits (a recovery, the next one in the queue). It never queues: without the
	// slot it is refused.
	Unattended bool
	// Since is when what asks began to wait, where no row of the queue says it.
	Since time.Time

	// Automation is whom it comes to if Plan is set. With "" one is made.
	Automation string
	// Plan decides, under the workspace's lock, about the automation, and about the run that begins.
	Plan func(v *domain.AutomationView) (Plan, error)

	// direct: the session is decided about by itself, though it is an agent's.
	direct bool
	// modelKnown: the model of the session was looked up already.
	modelKnown bool
}

// Plan is what is decided about an automation. The zero Plan changes nothing.
type Plan struct {
	// Run begins, if it is set.
	Run *NewRun
	// Change is written too, behind what belongs to the run.
	Change *domain.Change
}

// NewRun is a run of an automation that begins.
type NewRun struct {
	Session  *domain.Session
	Messages []*domain.Message // the copies of the SEED's
	// OnTime: it begins only if it gets the slot at once; otherwise nothing is written.
	// Since is when it began to wait for it.
	OnTime bool
	Since  time.Time
}

// Outcome is the outcome of a request.
type Outcome struct {
	// Event is what happened to the session, View what was known then, and Session how it
	// is now; all nil where only an automation was decided about.
	Event   domain.Event
	View    *domain.View
	Session *domain.Session
	Change  *domain.Change // as it is stored
	// Queued: the session is in the queue since then.
	Queued bool
}

// Seq is the number of the last event about it.
func (o *Outcome) Seq() int64 {
	if n := len(o.Change.Events); n > 0 {
		return o.Change.Events[n-1].Seq
	}
	if o.Session == nil {
		return 0
	}
	return o.Session.LastSeq
}

// Receipt is the caller's response.
func (o *Outcome) Receipt() *domain.Receipt {
	return &domain.Receipt{Session: o.Session, Seq: o.Seq()}
}

// ActivationReceipt says beside it whether the session has the slot, or where it queues.
func (o *Outcome) ActivationReceipt() *domain.Receipt {
	r := o.Receipt()
	r.Result = domain.Activated
	if o.Queued {
		r.Result, r.Position = domain.Queued, o.Session.QueuePosition
	}
	return r
}

// Happens is the Event of a request that does not depend on the view.
func Happens(e domain.Event) func(*domain.View) (domain.Event, error) {
	return func(*domain.View) (domain.Event, error) { return e, nil }
}

// nothingHappens: the request only writes.
func nothingHappens(*domain.View) (domain.Event, error) { return nil, nil }
