package scheduler

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Events for an agent are delivered to the session at the top of its callers: it has the slot, or requests
// it, and drives the agent.

// agentError never leaves the package: the request is for an agent that another session has
// called.
type agentError struct{ session *domain.Session }

func (e *agentError) Error() string { return "the session is an agent's: " + e.session.ID }

// ofAgent reports whether an event is for an agent that another session drives.
func ofAgent(s *domain.Session, e domain.Event) bool {
	return e != nil && s != nil && s.Type == domain.Agent && s.ParentSessionID != "" && s.Phase != domain.Completed
}

// reachesAgent reports whether the event is for the agent itself. All others are delivered through its
// calling session.
func reachesAgent(e domain.Event) bool {
	switch e.(type) {
	case domain.StopRequested, domain.SchedulerHeartbeat, domain.ExternalResultReceived, domain.ApprovalStale:
		return true
	}
	_, answers := domain.AnswerOf(e)
	return answers
}

// deliverToAgent delivers a request to an agent, and notifies its callers. If the agent is no longer at
// work, its own session decides.
func (d *Door) deliverToAgent(ctx context.Context, r delivery, agent *domain.Session) (*Outcome, error) {
	if agent.State.Agent == nil || agent.State.Agent.RootID == "" {
		r.direct = true
		return d.deliver(ctx, r)
	}
	to := &agentRequest{
		Target: Target{Workspace: r.to.Workspace, Session: agent.State.Agent.RootID}, door: d, request: r.request, agent: agent.ID,
	}
	o, err := d.Deliver(ctx, to)
	if to.gone {
		r.direct = true
		return d.deliver(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	o.Event, o.View = to.happens, to.view
	if s := o.Change.Session(agent.ID); s != nil {
		o.Session = s
	}
	return o, nil
}

// agentRequest is a request to an agent at work. Its results are those of the latest attempt.
type agentRequest struct {
	Target
	door    *Door
	request Request
	agent   string
	gone    bool
	happens domain.Event
	view    *domain.View
	above   []*domain.AgentView
}

// event is what happens to the session at the top.
func (r *agentRequest) event(v *domain.View, m moment) (domain.Event, error) {
	found, above := domain.FindAgent(v.Agents, r.agent)
	if r.gone = found == nil; r.gone {
		return nil, errNothingToDo
	}
	r.view, r.above = ofAgentView(v, found), above
	var err error
	if r.happens, err = r.request.event(r.view, m); err != nil {
		return nil, err
	}
	if !reachesAgent(r.happens) {
		return nil, &domain.Error{Code: domain.CodeWrongSessionType, Outcome: domain.NotApplied, Session: found.Session,
			Message: "This agent works for the session that called it, and goes on with that one. Nothing was changed."}
	}
	if err := r.door.cfg.Machine.Accepts(found.Session, r.happens); err != nil {
		return nil, err
	}
	return domain.AgentAnswered{Agent: r.agent}, nil
}

// also adds what happens to the agent, and to the agents between it and the top.
func (r *agentRequest) also(v *domain.View, m moment, _ domain.Event, change *domain.Change) error {
	if err := r.apply(r.view, r.happens, change); err != nil {
		return err
	}
	for _, a := range slices.Backward(r.above) {
		if err := r.apply(ofAgentView(v, a), domain.AgentAnswered{Agent: r.agent}, change); err != nil {
			return err
		}
	}
	return r.request.also(r.view, m, r.happens, change)
}

func (r *agentRequest) apply(to *domain.View, e domain.Event, change *domain.Change) error {
	rules := r.door.rules()
	step, err := rules.machine.Run(to.Session, e, rules.policy(to))
	if err != nil {
		return err
	}
	for i := range step.Change.Sessions {
		step.Change.Sessions[i].Claim = step.Change.Sessions[i].Claim || len(step.Change.Transitions) > 0
	}
	change.Merge(step.Change)
	return nil
}

// ofAgentView is the view of an agent that the session of v has called.
func ofAgentView(v *domain.View, a *domain.AgentView) *domain.View {
	view := *v
	view.Session, view.Open, view.CancelMessage, view.Planned = a.Session, a.Open, a.CancelMessage, a.Planned
	view.Agents, view.Inbox, view.InboxBrief, view.Grants = a.Agents, nil, false, nil
	return &view
}
