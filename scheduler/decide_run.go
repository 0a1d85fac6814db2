package scheduler

import "github.com/fermata-dev/fermata/domain"

// decidePlan is the decision about a request to an automation: about the run that begins, if any, and
// about the automation itself.
func (p rules) decidePlan(v *domain.AutomationView, r Request) (decision, error) {
	plan, err := r.Plan(v)
	if err != nil {
		return decision{}, err
	}
	if plan.Run == nil {
		return decision{change: plan.Change}, nil
	}
	d, err := p.begin(&v.View, *plan.Run, r.modelKnown)
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
	d, err := p.route(&view, Request{
		Workspace: v.Workspace.ID, New: s, Event: Happens(domain.SessionActivationRequested{}),
		Unattended: run.OnTime, Since: run.Since, modelKnown: modelKnown,
	})
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
