package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is what a Door is made of; every field is needed.
type Config struct {
	Store   Store
	Agenda  Agenda
	Orders  Orders
	Events  Events
	Machine Machine
	Runner  Runner
	// Models are optional: without them a call reserves nothing.
	Models  Models
	Streams Streams
	Answers Answers
	// Conditions of triggers.
	Conditions Conditions
	// Providers are looked up when a session names one.
	Providers Providers
	// SealHook encrypts the secret of a webhook for storing.
	SealHook func(workspace, automation, token string) (string, error)
	Clock    clock.Clock
	NewID    domain.IDSource
	Log      zerolog.Logger
	// Retry gives the delays of a workspace's network retry.
	Retry    Retry
	Observer Observer
	// Gather, if set, fetches what another node has streamed of a session's answer, for
	// Streams to give; release lets go of it.
	Gather func(ctx context.Context, s *domain.Session) (release func())
	// Caution towards what may bring the process down; zero: the usual.
	Caution domain.Caution
	// Causes are what the runner's contexts carry when a session is cut.
	Causes Causes
}

// Causes of a cut, as the run loop names them.
type Causes struct{ Preempted, Interrupted, Stopped error }

// Door is the one door: every event from outside, for any session, passes Deliver.
type Door struct {
	cfg       Config
	agenda    *agenda
	probation probation
}

// NewDoor makes a door.
func NewDoor(cfg Config) *Door {
	d := &Door{cfg: cfg, probation: probation{caution: cfg.Caution, until: map[string]time.Time{}}}
	d.agenda = newAgenda(d)
	return d
}

// request is one passage through the door.
type request struct {
	workspace string
	session   string // "" makes a new one: event gets it from fresh
	fresh     *domain.Session
	// event says, under the locks, what happens; an error refuses it.
	event func(v *domain.View) (domain.Event, error)
	// byItself: nobody asks just now (a recovery, a turn in the queue).
	byItself bool
	// since is when what asks began to wait, where no row of the queue says it.
	since time.Time
	// learnt: the model of the session was looked up already.
	learnt bool
	// then adds to the change, still in the transaction.
	then func(v *domain.View, change *domain.Change) error
}

// outcome is what a passage decided.
type outcome struct {
	view    *domain.View
	step    *domain.Step
	change  *domain.Change
	verdict Verdict
	queued  bool // the session stands in the queue since this passage
}

// Deliver takes an event to a session: decides it, stores what was decided, and lets
// the run loop go on. It is the only way in.
func (d *Door) Deliver(ctx context.Context, workspace, session string, e domain.Event) (*domain.Receipt, error) {
	o, err := d.pass(ctx, request{workspace: workspace, session: session, event: always(e)})
	if err != nil {
		return nil, err
	}
	return o.receipt(), nil
}

func always(e domain.Event) func(*domain.View) (domain.Event, error) {
	return func(*domain.View) (domain.Event, error) { return e, nil }
}

// pass decides in one transaction and then sets the effects going. A model that was
// not called before is looked up first, outside the transaction: its next call must be
// paid for out of the budgets.
func (d *Door) pass(ctx context.Context, r request) (*outcome, error) {
	o, err := d.passOnce(ctx, r)
	if unknown, ok := errors.AsType[*unknownModelError](err); ok {
		d.cfg.Models.Learn(ctx, r.workspace, unknown.provider)
		r.learnt = true
		return d.passOnce(ctx, r)
	}
	return o, err
}

// unknownModelError ends a passage that needs to know a model first.
type unknownModelError struct{ provider string }

func (*unknownModelError) Error() string { return "the model of the session is not known yet" }

func (d *Door) passOnce(ctx context.Context, r request) (*outcome, error) {
	var o *outcome
	change, err := d.cfg.Store.Decide(ctx, r.workspace, r.session,
		func(_ context.Context, v *domain.View) (*domain.Change, error) {
			if r.fresh != nil {
				fresh := *r.fresh
				v.Session = &fresh
			}
			var err error
			if o, err = d.decide(v, r); err != nil {
				return nil, withSession(err, v.Session)
			}
			if r.then != nil {
				if err := r.then(v, o.change); err != nil {
					return nil, err
				}
			}
			if v.InboxBrief && o.usesInbox() {
				return nil, domain.ErrInboxBrief
			}
			return o.change, withSession(roomToWait(v, o.change), v.Session)
		})
	if err != nil {
		return nil, fmt.Errorf("deliver: %w", err)
	}
	if change == nil {
		change = &domain.Change{WorkspaceID: r.workspace}
	}
	o.change = change
	d.after(o)
	return o, nil
}

// decide asks the machine and the slot's policy. It writes nothing.
func (d *Door) decide(v *domain.View, r request) (*outcome, error) {
	event, err := r.event(v)
	if err != nil {
		return nil, err
	}
	o := &outcome{view: v}
	if event == nil { // nothing happens to the machine: then writes what there is
		o.step = &domain.Step{Session: v.Session.Clone(), Change: d.change(v)}
		o.change = o.step.Change
		o.change.Sessions = []domain.SessionWrite{{Session: o.step.Session, Insert: r.fresh != nil}}
		return o, nil
	}
	if err := d.cfg.Machine.Accepts(v.Session, event); err != nil {
		return nil, err
	}
	if NeedsSlot(event) {
		return d.withSlot(v, r, event, o)
	}
	if err := d.run(o, v.Session, event); err != nil {
		return nil, err
	}
	d.standIn(v, o, event)
	return o, nil
}

// run applies one event to the session and adds what it decided to the outcome.
func (d *Door) run(o *outcome, s *domain.Session, event domain.Event) error {
	step, err := d.cfg.Machine.Run(s, event, d.policy(o.view))
	if err != nil {
		return err
	}
	o.change = o.change.Then(step.Change, step.Session)
	if o.step != nil && step.Effect == domain.DoNothing && step.Session.Phase == o.step.Session.Phase {
		step.Effect = o.step.Effect // a message that waits its turn does not end the work it waits for
	}
	o.step = step
	for i := range o.change.Sessions {
		write := &o.change.Sessions[i]
		if write.Session.ID == s.ID {
			// Who moves the phase, or sets its work going, drives the session from now on.
			write.Claim = write.Claim || len(step.Change.Transitions) > 0 || step.Effect != domain.DoNothing
		}
	}
	return nil
}

// withSlot gives the session the slot, if the policy says so, before the event. If not,
// the event is stored without it and the session queues.
func (d *Door) withSlot(v *domain.View, r request, event domain.Event, o *outcome) (*outcome, error) {
	if d.cfg.Models != nil && !r.learnt {
		if _, known := d.cfg.Models.Estimate(v); !known {
			return nil, &unknownModelError{v.Session.ProviderID}
		}
	}
	asks := d.asks(v, r)
	asks.Apart = d.apart(v.Session, event, r.byItself)
	o.verdict = Ask(asks)
	if !o.verdict.Grant {
		if r.byItself {
			return nil, errSlotTaken
		}
		return o, d.withoutSlot(v, r, event, o)
	}
	now := d.cfg.Clock()
	s := v.Session
	_, resumed := event.(domain.SessionResumed)
	if o.verdict.Reason != HoldsItAlready {
		if err := d.displace(v, o); err != nil {
			return nil, err
		}
		s = s.Clone()
		s.HoldsSlot, s.QueuedAt = true, nil
		if s.Type != domain.Chat {
			s.LastEventTime = now // the time in the queue was no work
		}
		s.State.Suspended = s.State.Suspended && (s.Phase.Working() || resumed)
		if o.verdict.Keeps {
			s.State.KeepsSlotUntil = s.State.TotalRoundtrips + 1
		}
		o.view = withHolder(v, s)
	}
	if err := d.goOn(o, s, event); err != nil {
		return nil, err
	}
	if o.verdict.Reason != HoldsItAlready {
		d.dequeue(v, o.change, s.ID)
		o.tellHolder()
		o.change.Emit(domain.LogEvent{Type: domain.LogSlotChanged, Slot: &domain.SlotState{Holder: o.step.Session, Since: &now}})
	}
	o.insert(s.ID, r.fresh != nil)
	return o, nil
}

// goOn takes the event to the session that holds the slot. One that comes back into the
// middle of its work is re-entered first, and the event joins it there.
func (d *Door) goOn(o *outcome, s *domain.Session, event domain.Event) error {
	_, activation := event.(domain.SessionActivationRequested)
	_, resumed := event.(domain.SessionResumed)
	if s.State.Suspended || s.Phase.Working() {
		if o.verdict.Reason != HoldsItAlready && !activation && !resumed {
			if err := d.run(o, s, domain.SessionActivationRequested{}); err != nil {
				return err
			}
			return d.run(o, o.step.Session, event)
		}
	}
	if err := d.run(o, s, event); err != nil {
		return err
	}
	if resumed && o.step.Session.State.Suspended { // nothing stands in its way any more: it goes on
		return d.run(o, o.step.Session, domain.SessionActivationRequested{})
	}
	return nil
}

// tellHolder shows on the session's own stream that it has the slot, where nothing else
// of it changed: it was granted at rest.
func (o *outcome) tellHolder() {
	s := o.step.Session
	told := slices.ContainsFunc(o.change.Events, func(e *domain.LogEvent) bool {
		return e.Type == domain.LogSessionStatus && e.SessionID == s.ID
	})
	if !told && s.HoldsSlot {
		o.change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	}
}

// insert marks the write of a session that is made in this passage.
func (o *outcome) insert(id string, fresh bool) {
	for i := range o.change.Sessions {
		if o.change.Sessions[i].Session.ID == id {
			o.change.Sessions[i].Insert = fresh
		}
	}
}

// displace takes the slot from its holder, whose write stands first.
func (d *Door) displace(v *domain.View, o *outcome) error {
	if o.verdict.Displaced == nil {
		return nil
	}
	var event domain.Event = domain.SessionSuspended{}
	if o.verdict.Evict {
		event = domain.SessionEvicted{}
	}
	holder := *v
	holder.Session, holder.Open, holder.Inbox = v.Holder, v.HolderOpen, v.HolderInbox
	holder.Planned, holder.CancelMessage = v.HolderPlanned, v.HolderCancelMessage
	step, err := d.cfg.Machine.Run(v.Holder, event, d.policy(&holder))
	if err != nil {
		return fmt.Errorf("take the slot from %s: %w", v.Holder.ID, err)
	}
	for i := range step.Change.Sessions {
		step.Change.Sessions[i].Claim = true // its driver, wherever it is, is fenced
	}
	o.change = step.Change
	if step.AsksSlot { // a message waits for it
		d.standInTurn(v, o.change, step.Session, domain.QueueRow{
			WorkspaceID: v.Workspace.ID, SessionID: step.Session.ID, Trigger: askedByMessage, Since: o.change.At,
		})
		o.change.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
	}
	v.Spent.Reserved = max(0, v.Spent.Reserved-v.Holder.State.ReservedCost) // its call is cut
	return nil
}

func withHolder(v *domain.View, s *domain.Session) *domain.View {
	w := *v
	w.Session, w.Holder = s, s
	return &w
}

// after cuts who was displaced, sets the effect going and looks who may come next.
func (d *Door) after(o *outcome) {
	s := o.step.Session
	if o.verdict.Displaced != nil {
		displaced := o.change.Session(o.verdict.Displaced.ID)
		d.cfg.Runner.Cut(displaced.ID, displaced.RunEpoch, d.cfg.Causes.Preempted)
		if o.verdict.Displaced.Phase.Working() {
			d.agenda.look(s.WorkspaceID, d.cfg.Clock())
		}
	}
	d.afterAsking(o)
	view := *o.view
	view.Session = s
	view.Inbox = slices.DeleteFunc(slices.Clone(view.Inbox), func(i *domain.InboxItem) bool {
		return slices.Contains(o.change.InboxDone, i.ID)
	})
	moved := len(o.change.Transitions) > 0
	if o.step.Effect != domain.DoNothing {
		d.cfg.Runner.Drive(&view, o.step.Effect)
	} else if moved && o.view.Session.Phase.Working() {
		d.cfg.Runner.Cut(s.ID, s.RunEpoch, d.cfg.Causes.Interrupted)
	}
	if o.view.Session.HoldsSlot && !s.HoldsSlot || o.step.AsksSlot {
		d.agenda.look(s.WorkspaceID, d.cfg.Clock())
	}
	for i := range o.change.Sessions { // a run may end because another session takes the slot
		if run := o.change.Sessions[i].Session; run.Type == domain.Run && run.Phase == domain.Completed {
			d.agenda.ended(run)
		}
	}
}

// change begins an empty change of the view's workspace.
func (d *Door) change(v *domain.View) *domain.Change {
	return &domain.Change{WorkspaceID: v.Workspace.ID, At: d.cfg.Clock()}
}

// policy is what the machine must know, as of now.
func (d *Door) policy(v *domain.View) *domain.Policy {
	var estimate domain.CallEstimate
	if d.cfg.Models != nil {
		estimate, _ = d.cfg.Models.Estimate(v)
	}
	return &domain.Policy{
		Now: d.cfg.Clock(), NewID: d.cfg.NewID, Settings: v.Workspace.Settings,
		Inbox: v.Inbox, Open: v.Open, CancelMessage: v.CancelMessage, Planned: v.Planned,
		Spent: v.Spent, Estimate: estimate,
		Retry: d.cfg.Retry(v.Workspace.Settings.NetworkRetry), Caution: d.cfg.Caution,
	}
}

// withSession adds the session's state to a refusal, for the client's eyes.
func withSession(err error, s *domain.Session) error {
	var e *domain.Error
	if errors.As(err, &e) && e.Session == nil && s != nil {
		e.Session = s
	}
	return err
}

// receipt is what the caller is told.
func (o *outcome) receipt() *domain.Receipt {
	r := &domain.Receipt{Session: o.step.Session, Seq: o.step.Session.LastSeq}
	if n := len(o.change.Events); n > 0 {
		r.Seq = o.change.Events[n-1].Seq
	}
	return r
}
