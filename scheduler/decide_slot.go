package scheduler

import (
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// grantSlot gives the session the slot, unless it has it, and then applies the event.
func (p rules) grantSlot(d decision) (decision, error) {
	if d.verdict.Reason == slot.HoldsItAlready {
		return p.proceed(d, d.view.Session)
	}
	d, err := p.displace(d)
	if err != nil {
		return decision{}, err
	}
	s := p.holding(d)
	view := *d.view
	view.Session, view.Holder = s, s
	d.view = &view
	if d, err = p.proceed(d, s); err != nil {
		return decision{}, err
	}
	dequeue(d.view.Queue, d.change, s.ID)
	d.showHolder()
	now := p.now
	d.change.Emit(domain.LogEvent{Type: domain.LogSlotChanged, Slot: d.slotNow(now)})
	return d, nil
}

// slotNow is the slot of the lane as the decision leaves it. Other seats are read where they are shown.
func (d *decision) slotNow(now time.Time) *domain.SlotState {
	s := d.step.Session
	return &domain.SlotState{
		Lane: s.Lane, Seats: d.view.Workspace.Settings.Seats(s.Lane), Holder: s, Holders: []*domain.Session{s}, Since: &now,
	}
}

// displace takes the slot from its holder, whose write comes first.
func (p rules) displace(d decision) (decision, error) {
	if d.verdict.Displaced == nil {
		return d, nil
	}
	var event domain.Event = domain.SessionSuspended{}
	if d.verdict.Evict {
		event = domain.SessionEvicted{}
	}
	v := d.view
	step, err := p.machine.Run(v.Holder, event, p.policy(ofHolder(v)))
	if err != nil {
		return decision{}, fmt.Errorf("take the slot from %s: %w", v.Holder.ID, err)
	}
	keepsCall := step.Session.State.CallAside
	for i := range step.Change.Sessions {
		step.Change.Sessions[i].Claim = !keepsCall // its driver, wherever it is, is fenced, unless its call continues
	}
	d.change = step.Change
	if step.AsksSlot { // a message waits for it
		queueBehindAll(v.Queue, d.change, step.Session, domain.QueueRow{
			WorkspaceID: v.Workspace.ID, SessionID: step.Session.ID, Lane: v.Lane, Trigger: slot.ByMessage, Since: d.change.At,
		})
		d.change.Emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: v.Lane})
	}
	if keepsCall {
		return p.limitCallsAside(d)
	}
	view := *v
	view.Spent.Reserved = max(0, view.Spent.Reserved-v.Holder.State.ReservedCost) // its call is cut
	d.view = &view
	return d, nil
}

// limitCallsAside cuts the oldest call that continues without the slot, if one more would be too many.
func (p rules) limitCallsAside(d decision) (decision, error) {
	v := d.view
	if len(v.CallsAside) < v.Workspace.Settings.MaxCallsAside {
		return d, nil
	}
	oldest := *v
	oldest.Session, oldest.Open, oldest.Inbox = v.CallsAside[0], nil, nil
	oldest.Planned, oldest.CancelMessage, oldest.Agents, oldest.Tasks = nil, nil, nil, nil
	step, err := p.machine.Run(oldest.Session, domain.SessionSuspended{}, p.policy(&oldest))
	if err != nil {
		return decision{}, fmt.Errorf("cut the call of %s: %w", oldest.Session.ID, err)
	}
	for i := range step.Change.Sessions {
		step.Change.Sessions[i].Claim = true
	}
	d.change.Merge(step.Change)
	d.cut = step.Session
	return d, nil
}

// ofHolder is the view of the session that holds the slot.
func ofHolder(v *domain.View) *domain.View {
	holder := *v
	holder.Session, holder.Open, holder.Inbox = v.Holder, v.HolderOpen, v.HolderInbox
	holder.Planned, holder.CancelMessage, holder.Agents = v.HolderPlanned, v.HolderCancelMessage, v.HolderAgents
	holder.Tasks = nil // what takes the slot from a session ends nothing outside
	return &holder
}

// holding is the session as it is with the slot.
func (p rules) holding(d decision) *domain.Session {
	s := d.view.Session.Clone()
	s.HoldsSlot, s.Seat, s.QueuedAt = true, d.view.Seat, nil
	if s.Type != domain.Chat {
		s.LastEventTime = p.now // the time in the queue was no work
	}
	s.State.Suspended = s.State.Suspended && (s.Phase.Working() || resumes(d.event))
	if d.verdict.Keeps {
		s.State.KeepsSlotUntil = s.State.TotalRoundtrips + 1
	}
	return s
}

// proceed takes the event to the session that holds the slot. One that comes back into the
// middle of its work, or to an answer that it could not carry out, is re-entered first, and the event joins it there.
func (p rules) proceed(d decision, s *domain.Session) (decision, error) {
	reenters := s.State.Suspended || s.Phase.Working() || s.State.Waiting != nil && s.State.Waiting.Answer != nil
	if reenters && d.verdict.Reason != slot.HoldsItAlready && !activates(d.event) && !resumes(d.event) {
		d, err := p.apply(d, s, domain.SessionActivationRequested{})
		if err != nil {
			return decision{}, err
		}
		return p.apply(d, d.step.Session, d.event)
	}
	d, err := p.apply(d, s, d.event)
	if err == nil && resumes(d.event) && d.step.Session.State.Suspended { // the way is free
		return p.apply(d, d.step.Session, domain.SessionActivationRequested{})
	}
	return d, err
}

func activates(e domain.Event) bool {
	_, ok := e.(domain.SessionActivationRequested)
	return ok
}

func resumes(e domain.Event) bool {
	_, ok := e.(domain.SessionResumed)
	return ok
}

// showHolder shows on the session's own stream that it has the slot, where nothing else
// of it changed: it was granted at rest.
func (d *decision) showHolder() {
	s := d.step.Session
	shown := slices.ContainsFunc(d.change.Events, func(e *domain.LogEvent) bool {
		return e.Type == domain.LogSessionStatus && e.SessionID == s.ID
	})
	if !shown && s.HoldsSlot {
		d.change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	}
}
