package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// turn is one Run under way: the session as it becomes, what was collected for the
// change, and copies of what the policy brought, so that nothing given is changed.
type turn struct {
	before domain.Status
	s      *domain.Session
	p      *domain.Policy
	c      *domain.Change

	event domain.Event // that is being applied
	first string       // name of the one that came from outside
	why   string       // reason noted on the next transition
	next  []domain.Event

	inbox   []*domain.InboxItem
	open    []*domain.Approval
	planned []*domain.Execution
	spent   domain.Spent    // as it was read, without what this step adds
	cancel  *domain.Message // of the present wait

	effect   domain.Effect
	hadSlot  bool
	asksSlot bool
	ended    bool
	touched  bool
	expired  bool // a no that nobody said: the approval ran out
}

func begin(s *domain.Session, e domain.Event, p *domain.Policy) *turn {
	t := &turn{
		before: s.Status(), s: s.Clone(), p: p, spent: p.Spent, event: e, first: e.Name(), hadSlot: s.HoldsSlot,
		inbox: append([]*domain.InboxItem(nil), p.Inbox...), cancel: p.CancelMessage,
		c: &domain.Change{WorkspaceID: s.WorkspaceID, At: p.Now},
	}
	for _, a := range p.Open {
		own := *a
		t.open = append(t.open, &own)
	}
	for _, x := range p.Planned {
		if slices.Contains(t.pending().Replaced, x.ID) {
			continue
		}
		own := *x
		t.planned = append(t.planned, &own)
	}
	return t
}

// apply carries out the first rule that fits the event, or refuses it.
func (t *turn) apply(e domain.Event) error {
	t.event, t.why = t.withinLimits(e), ""
	if err := t.refusal(); err != nil {
		return err
	}
	r, err := t.rule()
	if err != nil {
		return err
	}
	if !t.touched {
		t.touched = true
		t.touch(e)
	}
	t.carryOut(r)
	return nil
}

// carryOut does what a rule says. A rule that leads to the AI passes the gates
// first: a limit, a budget or a prompt too long sends it elsewhere.
func (t *turn) carryOut(r *rule) {
	if r.To != stay {
		t.recordCutCall()
	}
	for _, do := range r.Do {
		do(t)
	}
	to := r.To
	switch to {
	case stay:
		return
	case same:
		to = t.s.Phase
	}
	if to == domain.CallingAI {
		if gate := t.gate(); gate != nil {
			t.divert(gate)
			return
		}
		t.approachAI()
	}
	t.enter(to, t.event.Name())
}

// divert applies the rule of an event that is noticed on the way to the AI.
func (t *turn) divert(gate domain.Event) {
	after := t.event.Name()
	t.event = gate
	for i := range table {
		if r := &table[i]; r.From.onTheWay && r.On == gate.Name() && r.fits(t) {
			for _, do := range r.Do {
				do(t)
			}
			t.because("after " + after)
			t.enter(r.To, gate.Name())
			return
		}
	}
}

// enter records the transition and begins what the phase does.
func (t *turn) enter(to domain.Phase, event string) {
	from := t.s.Phase
	t.s.Phase, t.s.LastEventTime = to, t.p.Now
	if !keepsSuspicion(event) {
		t.s.State.Suspicion = domain.Suspicion{}
	}
	if !to.Waiting() && to.Due() == nil {
		t.s.State.Waiting = nil
		t.cancel = nil
	}
	t.effect = domain.DoNothing
	t.arrive()
	t.noteCall()
	t.reserve()
	tr := &domain.Transition{
		WorkspaceID: t.s.WorkspaceID, SessionID: t.s.ID, From: from, To: to, Event: event, Reason: t.why,
		Status: t.s.Status(), RoundID: t.s.State.RoundID, Epoch: t.s.RunEpoch, At: t.p.Now,
	}
	t.c.Transitions = append(t.c.Transitions, tr)
	t.emit(domain.LogEvent{Type: domain.LogSessionPhase, Phase: tr})
}

// arrive begins the phase's own work: its effect, or at once the event that follows
// when there is nothing to do outside.
func (t *turn) arrive() {
	if t.s.Parks() && len(t.next) == 0 {
		t.s.HoldsSlot = false // unless an answer that came meanwhile leads on at once
	}
	if t.s.Phase.Working() && !t.hasSlot() {
		t.asksSlot = t.asksSlot || !t.s.State.Suspended && !t.s.State.Poisoned
		return
	}
	if e := t.s.Phase.Next(); e != nil {
		t.follow(e)
		return
	}
	t.effect = EffectOf(t.s)
}

func (t *turn) follow(e domain.Event) { t.next = append(t.next, e) }

// takeNext gives the next inner event: one that a rule asked for, or a message that
// waits its turn when the session has come to rest with the slot.
func (t *turn) takeNext() domain.Event {
	if len(t.next) > 0 {
		e := t.next[0]
		t.next = t.next[1:]
		return e
	}
	if t.s.Phase == domain.Idle && len(t.inbox) > 0 {
		if t.hasSlot() {
			return domain.UserMessageSent{Message: t.inbox[0].Message}
		}
		t.asksSlot = true
	}
	return nil
}

// touch notes the times that an event from outside leaves on the session.
func (t *turn) touch(e domain.Event) {
	now := t.p.Now
	t.s.UpdatedAt = now
	if e.Name() == "SchedulerHeartbeat" {
		return
	}
	t.countWork()
	t.s.LastEventTime = now
	if e.Source() == domain.FromPerson {
		t.s.LastUserInteractionTime = &now
	}
}

func (t *turn) finish() *domain.Step {
	t.setTimer()
	if t.s.Status() != t.before || t.hadSlot && !t.s.HoldsSlot { // who keeps the session by its events sees the slot go
		t.emit(domain.LogEvent{Type: domain.LogSessionStatus, Session: t.s})
	}
	if t.ended {
		t.emit(domain.LogEvent{Type: domain.LogSessionEnded, Session: t.s})
	}
	t.c.Sessions = []domain.SessionWrite{{Session: t.s}}
	return &domain.Step{
		Session: t.s, Change: t.c, Effect: t.effect,
		Uncommitted:  t.mayRunFirst(),
		ReleasesSlot: t.hadSlot && !t.s.HoldsSlot,
		AsksSlot:     t.asksSlot && !t.s.HoldsSlot,
	}
}

// mayRunFirst: parsing and reading again after a crash cost nothing, so their commit
// can wait for their outcome. Not so when the session is only re-entered: what is
// held against it must be stored before it may bring the process down again.
func (t *turn) mayRunFirst() bool {
	if t.first == "SessionActivationRequested" {
		return false
	}
	return t.effect.Repeatable()
}

func (t *turn) emit(e domain.LogEvent) {
	if e.Type.OfSession() {
		e.SessionID = t.s.ID
	}
	t.c.Emit(e)
}

// because adds a reason to the transition that follows.
func (t *turn) because(reason string) {
	if t.why != "" {
		reason = t.why + ", " + reason
	}
	t.why = reason
}

func (t *turn) newID(prefix string) string { return t.p.NewID(prefix) }

// say is for what people read: cards and notices are in the workspace's language.
func (t *turn) say(english, french string, args ...any) string {
	return t.p.Settings.Say(english, french, args...)
}

func (t *turn) notice(level, code, text string) {
	t.emit(domain.LogEvent{Type: domain.LogNotice, Notice: &domain.Notice{Level: level, Code: code, Text: text}})
}
