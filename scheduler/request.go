package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// Request is one thing that comes from outside. Each kind is a struct of plain data, so that it can be logged, compared
// and written down in a test: a message, an answer, a stop. All but PlanRequest come to a session.
type Request interface {
	// target is where the request goes.
	target() Target
	// event says, under the locks, what happens to the session. An error refuses the request; a nil event means that
	// nothing happens to the machine, and only also writes.
	event(v *domain.View, m moment) (domain.Event, error)
	// also adds to the change of that event what the machine knows nothing of.
	also(v *domain.View, m moment, e domain.Event, change *domain.Change) error
}

// Target is where a request goes. It is a part of every request, and adds nothing to its change.
type Target struct {
	Workspace string
	// Session is the session that the request comes to; with New a session is made, and it is the first request that
	// comes to it.
	Session string
	New     *domain.Session
	// Unattended: no person waits (a recovery, the next one in the queue). It never queues: without the
	// slot it is refused.
	Unattended bool
	// Since is when the wait for the slot began, where no row of the queue says it.
	Since time.Time
}

func (t Target) target() Target { return t }

func (Target) also(*domain.View, moment, domain.Event, *domain.Change) error { return nil }

// moment is what a request can use beside the view: the time, ids, and what this process knows of the session.
type moment struct {
	now   time.Time
	newID domain.IDSource
	// partial is the text of the session's answer that was streamed so far, with the id of its message.
	partial func(session string) (message, text string)
	// drives reports whether this process performs the session's step.
	drives  func(session string) bool
	caution domain.Caution
}

// EventRequest is a request whose event does not depend on the session. Without an event nothing happens to it.
type EventRequest struct {
	Target
	Event domain.Event
}

func (r EventRequest) event(*domain.View, moment) (domain.Event, error) { return r.Event, nil }

// Planner decides, under the workspace's lock, about an automation, and about the run that begins.
type Planner interface {
	Plan(v *automation.View) (Plan, error)
}

// PlanRequest is a request to an automation. Without an automation one is made.
type PlanRequest struct {
	Target
	Automation string
	Planner    Planner
}

func (PlanRequest) event(*domain.View, moment) (domain.Event, error) { return nil, nil }

// delivery is a request on its way through the door.
type delivery struct {
	request    Request
	to         Target
	direct     bool // the session is decided about by itself, though it is an agent's
	modelKnown bool // the model of the session was looked up already
}

func deliveryOf(r Request) delivery { return delivery{request: r, to: r.target()} }

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
