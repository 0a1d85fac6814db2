package scheduler

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// rules are what a decision depends on beside the view and the request. With the same
// three, the decision is the same: nothing here reads a clock, a database or the network.
type rules struct {
	moment
	machine Machine
	retry   Retry
	// estimate returns the cached cost of the session's next call; nil: calls reserve nothing.
	estimate func(*domain.View) (domain.CallEstimate, bool)
	// callOut reports whether a call's request is known to be on its way.
	callOut slot.CallOut
	// suspectRuns reports whether another suspect that must be alone is being performed.
	suspectRuns func(session string, now time.Time) bool
}

// decision is what a request comes to: run now, queue, or pre-empt. (A refusal is an
// error.) Nothing of it is stored yet.
type decision struct {
	event   domain.Event // nil: nothing happens to the machine
	view    *domain.View // as it was read; of a session that gets the slot, with it
	verdict slot.Verdict // zero: the slot was not requested
	step    *domain.Step // the latest of the session; nil: about an automation only
	change  *domain.Change
	cut     *domain.Session // its call continued without the slot, and was one too many
	queued  bool            // the session is in the queue since this decision
}

// decide is the decision about a request to a session.
func (p rules) decide(v *domain.View, r delivery) (decision, error) {
	if r.to.New != nil {
		view, made := *v, *r.to.New
		made.Lane = v.Lane
		view.Session = &made
		v = &view
	}
	d, err := p.route(v, r)
	if err != nil {
		return decision{}, withSession(err, v.Session)
	}
	if err := r.request.also(v, p.moment, d.event, d.change); err != nil {
		return decision{}, err
	}
	if v.InboxBrief && d.usesInbox() {
		return decision{}, domain.ErrInboxBrief
	}
	if err := roomToWait(v, d.change); err != nil {
		return decision{}, withSession(err, v.Session)
	}
	return d, nil
}

// route asks the machine whether it takes the event, and, if the session must work
// afterwards, the slot's policy whether it may.
func (p rules) route(v *domain.View, r delivery) (decision, error) {
	event, err := r.request.event(v, p.moment)
	if err != nil {
		return decision{}, err
	}
	if !r.direct && r.to.New == nil && ofAgent(v.Session, event) {
		return decision{}, &agentError{v.Session}
	}
	d := decision{event: event, view: v}
	switch {
	case event == nil:
		d = p.withoutEvent(d)
	case !slot.Needed(event):
		d, err = p.withoutSlot(d)
	default:
		d, err = p.withSlot(d, r)
	}
	if err != nil {
		return decision{}, err
	}
	if r.to.New != nil {
		d.insert(d.step.Session.ID)
	}
	return d, nil
}

// withoutEvent writes the session as it is.
func (p rules) withoutEvent(d decision) decision {
	d.change = &domain.Change{WorkspaceID: d.view.Workspace.ID, At: p.now}
	d.step = &domain.Step{Session: d.view.Session.Clone(), Change: d.change}
	d.change.Sessions = []domain.SessionWrite{{Session: d.step.Session}}
	return d
}

// withoutSlot takes an event for which the session need not work.
func (p rules) withoutSlot(d decision) (decision, error) {
	d, err := p.apply(d, d.view.Session, d.event)
	if err != nil {
		return decision{}, err
	}
	return p.keepPlace(d), nil
}

// withSlot handles an event that needs the slot.
func (p rules) withSlot(d decision, r delivery) (decision, error) {
	if err := p.machine.Accepts(d.view.Session, d.event); err != nil {
		return decision{}, err
	}
	if p.estimate != nil && !r.modelKnown {
		asked := asking(d.view, d.event)
		if _, known := p.estimate(asked); !known {
			return decision{}, &unknownModelError{asked.Session.Calls()}
		}
	}
	asks := slot.FromView(d.view, p.now, r.to.Unattended, r.to.Since, p.callOut)
	asks.Barred = p.barred(d.view.Session, d.event, r.to.Unattended)
	d.verdict = slot.Decide(asks)
	switch {
	case d.verdict.Grant:
		return p.grantSlot(d)
	case r.to.Unattended:
		return decision{}, ErrSlotTaken
	default:
		return p.waitForSlot(d)
	}
}

// apply passes one event to the machine, and adds its decision.
func (p rules) apply(d decision, s *domain.Session, event domain.Event) (decision, error) {
	step, err := p.machine.Run(s, event, p.policy(asking(d.present(), event)))
	if err != nil {
		return decision{}, err
	}
	d.change = d.change.Then(step.Change, step.Session)
	if d.step != nil && step.Effect == domain.DoNothing && step.Session.Phase == d.step.Session.Phase {
		step.Effect = d.step.Effect // a message that waits its turn does not end the work it waits for
	}
	d.step = step
	for i := range d.change.Sessions {
		write := &d.change.Sessions[i]
		if write.Session.ID == s.ID {
			// Who moves the phase, or sets its work going, drives the session from now on.
			write.Claim = write.Claim || len(step.Change.Transitions) > 0 || step.Effect != domain.DoNothing
		}
	}
	return d, nil
}

// asking is the view of a session that calls another model in the round that an event begins.
func asking(v *domain.View, event domain.Event) *domain.View {
	e, ok := event.(domain.RoundRequested)
	if !ok || e.Plan == nil || e.Plan.ProviderID == "" && e.Plan.Model == "" {
		return v
	}
	view, s := *v, v.Session.Clone()
	s.Phase, s.State.RoundProvider, s.State.RoundModel = domain.CallingAI, e.Plan.ProviderID, e.Plan.Model
	view.Session = s
	return &view
}

// present is the view as what was decided so far leaves it: a message that the session's
// return took is not there for the event that joins it.
func (d *decision) present() *domain.View {
	if d.step == nil {
		return d.view
	}
	return viewAfter(d.view, d.change, d.step.Session)
}

// policy is the machine's input.
func (p rules) policy(v *domain.View) *domain.Policy {
	var estimate domain.CallEstimate
	if p.estimate != nil {
		estimate, _ = p.estimate(v)
	}
	policy := v.Policy(p.now, p.newID, estimate, p.retry(v.Workspace.Settings.NetworkRetry))
	policy.Caution = p.caution
	return policy
}

// insert marks the write of a session that is made.
func (d *decision) insert(id string) {
	for i := range d.change.Sessions {
		if d.change.Sessions[i].Session.ID == id {
			d.change.Sessions[i].Insert = true
		}
	}
}

// usesInbox reports whether the decision depends on the text of waiting messages: one is placed, or the
// session continues with the view. Adding another one does not.
func (d *decision) usesInbox() bool {
	return d.step.Effect != domain.DoNothing || len(d.change.PlacedMessages)+len(d.change.InboxDone) > 0
}

// outcome is what the caller learns of it.
func (d *decision) outcome() *Outcome {
	o := &Outcome{Event: d.event, View: d.view, Change: d.change, Queued: d.queued}
	if d.step != nil {
		o.Session = d.step.Session
	}
	return o
}

// insertCreationEvents puts a session's creation events after those of the session whose slot it takes,
// and before its own others: in the log, too, the slot is released before it is taken.
func insertCreationEvents(change *domain.Change, session string, made []*domain.LogEvent) {
	first := max(0, slices.IndexFunc(change.Events, func(e *domain.LogEvent) bool { return e.SessionID == session }))
	change.Events = slices.Insert(change.Events, first, made...)
}
