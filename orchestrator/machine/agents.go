package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// The agents that a session has called. They work under its slot: it decides about them in the same step,
// so that none outlives its purpose.

// driven: an agent continues. External input for it is kept until its caller resumes it, since it has no
// driver before.
func driven(s *step) bool {
	if s.fromEffect {
		return true
	}
	switch s.first {
	case "SessionActivationRequested", "NetworkRetryScheduled", "WatchdogExpired":
		return true
	}
	return false
}

// Guards.

func waitsForAgents(s *step) bool { return s.session.WaitsForAgents() }

func waitsForOther(s *step) bool { return !waitsForAgents(s) }

func agentAnswered(s *step) bool { return s.session.State.AgentAnswered }

// triedEnough: an agent does not wait for a network as long as a run does. Its caller is at
// work meanwhile, and waits for it in its own way.
func triedEnough(s *step) bool { return s.session.State.NetworkAttempts+1 >= agentTries }

const agentTries = 3

// Actions.

// startAgents takes up those that were begun before, and begins the others.
func startAgents(s *step) {
	e := s.event.(domain.AgentsStarted)
	s.session.State.AgentAnswered = false
	for _, a := range s.policy.Agents {
		if a.Session.Phase != domain.Completed {
			deliverToAgent(s, a, domain.SessionActivationRequested{Recovery: true})
		}
	}
	for _, run := range e.New {
		beginAgent(s, run)
	}
}

// beginAgent makes the session of an agent, with its first message in its place.
func beginAgent(s *step, run domain.NewAgentRun) {
	query := *run.Query
	made := &domain.Change{WorkspaceID: s.session.WorkspaceID, At: s.policy.Now, Messages: []*domain.Message{&query}}
	step, err := s.run(run.Session, domain.SessionActivationRequested{}, policyOf(s, &domain.AgentView{Session: run.Session}))
	if err != nil {
		return // a session that was just made takes it
	}
	made.Emit(domain.LogEvent{SessionID: run.Session.ID, Type: domain.LogSessionCreated, Session: step.Session})
	made.Emit(domain.LogEvent{SessionID: run.Session.ID, Type: domain.LogMessageCreated, Message: &query})
	made.Merge(step.Change)
	for i := range made.Sessions {
		made.Sessions[i].Insert, made.Sessions[i].Claim = true, true
	}
	s.change.Merge(made)
}

// deliverToAgent delivers an event to an agent, if it accepts it, and returns its new state. The writer takes
// it over from its driver.
func deliverToAgent(s *step, a *domain.AgentView, e domain.Event) *domain.Session {
	step, err := s.run(a.Session, e, policyOf(s, a))
	if err != nil {
		return a.Session
	}
	for i := range step.Change.Sessions {
		step.Change.Sessions[i].Claim = true
	}
	s.change.Merge(step.Change)
	return step.Session
}

// policyOf is the machine's input for an agent.
func policyOf(s *step, a *domain.AgentView) *domain.Policy {
	own := *s.policy
	own.Inbox, own.Open, own.CancelMessage, own.Planned, own.Agents = nil, a.Open, a.CancelMessage, a.Planned, a.Agents
	return &own
}

// waitForAgents begins the wait for a person's answer to an agent. The results of the answer's calls
// without that answer are stored first.
func waitForAgents(s *step) {
	e := s.event.(domain.AgentsWaiting)
	cancel := storeUnfinished(s)
	s.session.State.Waiting = &domain.WaitingContext{
		Kind: domain.WaitAgents, Agents: slices.Clone(e.Agents), CancelMessageID: cancel.ID, At: s.policy.Now,
		MessageID: s.session.State.AnswerID,
	}
	s.cancel = cancel
}

func storeUnfinished(s *step) *domain.Message {
	pending := s.pending()
	var results []domain.CommandResult
	for _, x := range s.planned {
		if x.Kind != domain.KindQuery || slices.Contains(pending.Reported, x.CallID) {
			continue
		}
		r := domain.ResultOf(x, s.language())
		switch {
		case x.Status.Final():
		case domain.CallsAgent(x.Command): // the agents of an answer begin together, and one of them asks
			r.Status, r.Error = domain.ExecCancelled, &domain.CommandError{
				Code: domain.CodeNotFinished, Message: "An agent had to ask a person, and was not answered.",
			}
		default:
			r.Status, r.Text = domain.ExecCancelled, "Not run: an agent had to ask a person first, and was not answered."
		}
		results = append(results, r)
	}
	results = append(append(results, pending.Results...), pending.Actions...)
	return s.system(domain.SystemValidationCancelled, "An agent had to ask a person, and was not answered.", results, "")
}

// agentOf is the session of the agent that works for a call; nil: there is none.
func agentOf(s *step, x *domain.Execution) *domain.AgentView {
	for _, a := range s.policy.Agents {
		if run := a.Session.State.Agent; run != nil && run.ExecutionID == x.ID {
			return a
		}
	}
	return nil
}

// resumeAgents: the answer was given, and the agents continue.
func resumeAgents(s *step) {
	s.removeCancelMessage()
	s.session.State.AgentAnswered = false
}

func noteAgentAnswered(s *step) { s.session.State.AgentAnswered = true }

func forgetAgentAnswered(s *step) { s.session.State.AgentAnswered = false }

// Ends.

// noteEnd stores an agent's report when it ends: actions may accompany it.
func noteEnd(s *step) {
	if s.session.State.Agent == nil {
		return
	}
	run := *s.session.State.Agent
	run.End = parsed(s).End
	s.session.State.Agent = &run
}

// mindAgents lets the agents follow their caller: they stop when it leaves the answer that
// they work for, and are set aside with it. What they used counts as its own, once.
func mindAgents(s *step) {
	switch {
	case len(s.policy.Agents) == 0:
	case !s.session.KeepsAgents():
		for _, a := range s.policy.Agents {
			latest := a.Session
			if latest.Phase != domain.Completed {
				latest = deliverToAgent(s, a, domain.StopRequested{})
			}
			countAgent(s, latest)
		}
		s.session.State.AgentAnswered = false
	case s.session.State.Suspended && !s.was.State.Suspended:
		for _, a := range s.policy.Agents {
			if p := a.Session.Phase; p.Working() || p == domain.WaitingNetworkRetry {
				deliverToAgent(s, a, domain.SessionSuspended{})
			}
		}
	}
}

// countAgent counts what an agent used in the session that called it.
func countAgent(s *step, a *domain.Session) {
	st := &s.session.State
	s.session.Usage = s.session.Usage.Plus(a.Usage)
	st.RoundTokens += a.Usage.Total()
	if a.Usage.Cost != nil {
		st.RoundCost += *a.Usage.Cost
	}
}
