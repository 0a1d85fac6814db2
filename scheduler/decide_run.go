package scheduler

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// decidePlan is the decision about a request to an automation: about the run that begins, if any, and
// about the automation itself.
func (p rules) decidePlan(v *automation.View, r PlanRequest, modelKnown bool) (decision, error) {
	plan, err := r.Planner.Plan(v)
	if err != nil {
		return decision{}, err
	}
	if plan.Run == nil {
		return decision{change: plan.Change}, nil
	}
	d, err := p.begin(&v.View, *plan.Run, modelKnown)
	if err != nil {
		return decision{}, err
	}
	d.change.Merge(plan.Change)
	return d, nil
}

// begin makes the session of a run, which asks for the slot at once.
func (p rules) begin(v *domain.View, run NewRun, modelKnown bool) (decision, error) {
	view, s := *v, run.Session
	view.Session = s
	r := deliveryOf(EventRequest{
		Target: Target{Workspace: v.Workspace.ID, New: s, Unattended: run.OnTime, Since: run.Since},
		Event:  domain.SessionActivationRequested{},
	})
	r.modelKnown = modelKnown
	d, err := p.route(&view, r)
	if err != nil {
		return decision{}, err
	}
	made := &domain.Change{WorkspaceID: v.Workspace.ID, At: p.now}
	made.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: d.change.Session(s.ID)})
	for _, m := range run.Messages {
		made.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
	}
	d.change.Messages = append(run.Messages, d.change.Messages...)
	insertCreationEvents(d.change, s.ID, made.Events)
	return d, nil
}
