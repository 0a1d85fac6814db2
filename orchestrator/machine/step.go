package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// step is one Run in progress: the new session, the collected change, and copies of the policy's values,
// so that the input is not modified.
type step struct {
	was     *domain.Session // as it was given
	session *domain.Session
	policy  *domain.Policy
	change  *domain.Change

	event      domain.Event // that is being applied
	first      string       // name of the one that came from outside
	fromEffect bool         // the outcome of an effect
	why        string       // reason noted on the next transition
	next       []domain.Event

	inbox   []*domain.InboxItem
	open    []*domain.Approval
	planned []*domain.Execution
	tasks   []*domain.Task  // running at other services
	spent   domain.Spent    // as it was read, without what this step adds
	cancel  *domain.Message // of the present wait

	// run decides about an agent of the session, in the same step.
	run func(*domain.Session, domain.Event, *domain.Policy) (*domain.Step, error)

	effect   domain.Effect
	asksSlot bool
	ended    bool
	touched  bool
	expired  bool // a refusal without a person: the approval expired
}

func begin(session *domain.Session, e domain.Event, p *domain.Policy) *step {
	s := &step{
		was: session, session: session.Clone(), policy: p, spent: p.Spent,
		event: e, first: e.Name(), fromEffect: e.Source() == domain.FromEffect,
		inbox: append([]*domain.InboxItem(nil), p.Inbox...), cancel: p.CancelMessage,
		tasks:  slices.Clone(p.Tasks),
		change: &domain.Change{WorkspaceID: session.WorkspaceID, At: p.Now},
	}
	for _, a := range p.Open {
		own := *a
		s.open = append(s.open, &own)
	}
	for _, x := range p.Planned {
		if slices.Contains(s.pending().Replaced, x.ID) {
			continue
		}
		own := *x
		s.planned = append(s.planned, &own)
	}
	return s
}

// apply carries out the first rule that fits the event, or refuses it.
func (s *step) apply(e domain.Event) error {
	s.event, s.why = withinLimits(s, e), ""
	if err := s.refusal(); err != nil {
		return err
	}
	r, err := s.rule()
	if err != nil {
		return err
	}
	if !s.touched {
		s.touched = true
		touch(s, e)
	}
	s.carryOut(r)
	return nil
}

// carryOut applies a rule. A rule that leads to the AI passes the gates first: a limit, a budget or a
// prompt too long redirects it.
func (s *step) carryOut(r *rule) {
	if r.To != stay {
		recordCutCall(s)
	}
	for _, do := range r.Do {
		do(s)
	}
	to := r.To
	switch to {
	case stay:
		return
	case same:
		to = s.session.Phase
	}
	if to == domain.CallingAI {
		if gate := beforeCall(s); gate != nil {
			s.divert(gate)
			return
		}
		approachAI(s)
	}
	s.enter(to, s.event.Name())
}

// divert applies the rule of an event that is noticed on the way to the AI.
func (s *step) divert(gate domain.Event) {
	after := s.event.Name()
	s.event = gate
	for i := range table {
		if r := &table[i]; r.From.onTheWay && r.On == gate.Name() && r.fits(s) {
			for _, do := range r.Do {
				do(s)
			}
			s.because("after " + after)
			s.enter(r.To, gate.Name())
			return
		}
	}
}

// enter records the transition and begins what the phase does.
func (s *step) enter(to domain.Phase, event string) {
	from := s.session.Phase
	s.session.Phase, s.session.LastEventTime = to, s.policy.Now
	if !keepsSuspicion(event) {
		s.session.State.Suspicion = domain.Suspicion{}
	}
	if !to.Waiting() && to.Due() == nil {
		s.session.State.Waiting = nil
		s.cancel = nil
	}
	s.effect = domain.DoNothing
	if to == domain.Idle && cutShort(event) {
		s.session.State.PendingCause = ""
	}
	if to == domain.AwaitingSessionClosure || to == domain.Completed {
		endTasks(s)
	}
	if to != domain.ParsingAIResponse {
		releaseAnswer(s)
		if !to.Working() {
			s.session.State.CallAside = false
		}
	}
	s.arrive()
	noteCallBegun(s)
	reserve(s)
	tr := &domain.Transition{
		WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, From: from, To: to, Event: event, Reason: s.why,
		Status: s.session.Status(), RoundID: s.session.State.RoundID, Epoch: s.session.RunEpoch, At: s.policy.Now,
	}
	s.change.Transitions = append(s.change.Transitions, tr)
	s.emit(domain.LogEvent{Type: domain.LogSessionPhase, Phase: tr})
}

// arrive begins the phase's own work: its effect, or at once the event that follows
// when there is nothing to do outside.
func (s *step) arrive() {
	if s.session.Parks() && len(s.next) == 0 {
		s.session.HoldsSlot = false // unless an answer that came meanwhile leads on at once
	}
	if s.session.Phase.Working() && !withSlot(s) && !readsAnswer(s) {
		if callAside(s) {
			waitToContinue(s)
		}
		s.asksSlot = s.asksSlot || !s.session.State.Suspended && !s.session.State.Poisoned
		return
	}
	endAside(s)
	if e := s.session.Phase.Next(); e != nil {
		s.follow(e)
		return
	}
	s.effect = EffectOf(s.session)
}

func (s *step) follow(e domain.Event) { s.next = append(s.next, e) }

// takeNext returns the next inner event: one that a rule raised or, when the session rests with the slot,
// a waiting message, or the round of a late result.
func (s *step) takeNext() domain.Event {
	if len(s.next) > 0 {
		e := s.next[0]
		s.next = s.next[1:]
		return e
	}
	if s.session.Phase == domain.Idle && len(s.inbox) > 0 {
		if withSlot(s) {
			return domain.UserMessageSent{Message: s.inbox[0].Message, Trace: s.inbox[0].Trace}
		}
		s.asksSlot = true
		return nil
	}
	if s.session.Phase == domain.Idle && s.event.Name() != "SessionActivationRequested" && roundRemembered(s) {
		if withSlot(s) {
			return domain.SessionActivationRequested{}
		}
		s.asksSlot = true
	}
	return nil
}

// touch notes the times that an event from outside leaves on the session.
func touch(s *step, e domain.Event) {
	now := s.policy.Now
	s.session.UpdatedAt = now
	if e.Name() == "SchedulerHeartbeat" {
		return
	}
	countWork(s)
	s.session.LastEventTime = now
	if e.Source() == domain.FromPerson {
		s.session.LastUserInteractionTime = &now
	}
}

func (s *step) finish() *domain.Step {
	mindAgents(s)
	setTimer(s)
	lost := s.was.HoldsSlot && !s.session.HoldsSlot // who keeps the session by its events sees the slot go
	if s.session.Status() != s.was.Status() || lost {
		s.emit(domain.LogEvent{Type: domain.LogSessionStatus, Session: s.session})
	}
	if s.ended {
		s.emit(domain.LogEvent{Type: domain.LogSessionEnded, Session: s.session})
	}
	s.change.Sessions = append([]domain.SessionWrite{{Session: s.session}}, s.change.Sessions...)
	return &domain.Step{
		Session: s.session, Change: s.change, Effect: s.effect,
		Uncommitted:  mayRunFirst(s),
		ReleasesSlot: lost,
		AsksSlot:     s.asksSlot && !s.session.HoldsSlot,
	}
}

// mayRunFirst: parsing and reading can be repeated after a crash, so their commit can wait for their
// outcome. Not so when the session is only re-entered: the suspicion must be stored before the step may
// crash the process again.
func mayRunFirst(s *step) bool {
	if s.first == "SessionActivationRequested" {
		return false
	}
	return s.effect.Repeatable()
}

func (s *step) emit(e domain.LogEvent) {
	if e.Type.OfSession() {
		e.SessionID = s.session.ID
	}
	s.change.Emit(e)
}

// because adds a reason to the transition that follows.
func (s *step) because(reason string) {
	if s.why != "" {
		reason = s.why + ", " + reason
	}
	s.why = reason
}

func (s *step) newID(prefix string) string { return s.policy.NewID(prefix) }

// language is the workspace's: what is stored is in it, with its translations beside it.
func (s *step) language() string { return s.policy.Settings.Language }

func (s *step) notice(level, code string, text domain.Text) {
	s.emit(domain.LogEvent{Type: domain.LogNotice, Notice: domain.NoticeOf(level, code, text, s.language())})
}
