package orchestrator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/orchestrator/machine"
)

// errOverTime ends an agent that has worked for too long.
var errOverTime = errors.New("the agent has worked for as long as it may")

// calling is the calls of agents in an answer, which the driver of the calling session carries out.
type calling struct{ caller *driver }

// runAgents carries out the calls of agents in an answer, each as a session of its own under this driver.
// It returns an event if a person must answer one of them first; otherwise every call has its result.
func (c *calling) runAgents(ctx context.Context, calls []*domain.Execution) (domain.Event, error) {
	if err := c.startAgents(ctx, calls); err != nil {
		return nil, err
	}
	asks, errs := make([]bool, len(calls)), make([]error, len(calls))
	var running sync.WaitGroup
	for i, call := range calls {
		if !call.Status.Final() {
			running.Go(func() { asks[i], errs[i] = c.carryOut(ctx, call) })
		}
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	if err := errors.Join(errs...); err != nil {
		return nil, firstOf(errs)
	}
	var waiting []string
	for i, call := range calls {
		if asks[i] {
			waiting = append(waiting, domain.AgentSessionID(call.ID))
		}
	}
	if len(waiting) > 0 {
		return domain.AgentsWaiting{Agents: waiting}, nil
	}
	return nil, c.refreshAgents(ctx)
}

func firstOf(errs []error) error {
	return errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })]
}

// refreshAgents reads the agents of the answer as they are stored: what the machine decides
// next, it decides about them too.
func (c *calling) refreshAgents(ctx context.Context) error {
	view, err := c.caller.loop.cfg.Store.View(ctx, c.caller.session.WorkspaceID, c.caller.session.ID)
	if err != nil {
		return err
	}
	if view.Session.RunEpoch != c.caller.session.RunEpoch {
		return errLetGo
	}
	own := *c.caller.view
	own.Agents = view.Agents
	c.caller.view = &own
	return nil
}

// startAgents stores the sessions of the agents that were not begun before, and takes up the
// others, on the condition that this driver's claim still holds.
func (c *calling) startAgents(ctx context.Context, calls []*domain.Execution) error {
	if c.caller.change == nil { // else the answer is not stored yet, and none can have begun
		if err := c.refreshAgents(ctx); err != nil {
			return err
		}
	}
	definitions, err := c.caller.loop.agents.of(ctx, c.caller.view)
	if err != nil {
		return err
	}
	started, resumed := domain.AgentsStarted{}, false
	for i, call := range calls {
		id := domain.AgentSessionID(call.ID)
		if there, _ := domain.FindAgent(c.caller.view.Agents, id); there != nil {
			resumed = resumed || there.Session.Phase != domain.Completed
			continue
		}
		at := slices.IndexFunc(definitions, func(a *userdata.AgentDefinition) bool { return a.Command() == call.Command && a.Enabled })
		switch {
		case i >= domain.AgentsAtOnce:
			c.fails(call, "too_many_agents", "At most 4 agents are called in one answer. Call it in the next one.")
		case at < 0:
			c.fails(call, "agent_gone", "This agent is not there any more.")
		default:
			left := machine.Left(c.caller.session, c.caller.loop.policy(c.caller.view), min(len(calls), domain.AgentsAtOnce))
			started.New = append(started.New, c.newAgent(definitions[at], call, left))
		}
	}
	if len(started.New) == 0 && !resumed {
		return nil
	}
	_, err = c.caller.take(ctx, started)
	return err
}

func (c *calling) fails(call *domain.Execution, code, text string) {
	now := c.caller.loop.cfg.Clock()
	call.Status, call.StartedAt, call.EndedAt = domain.ExecFailed, &now, &now
	call.Error = &domain.CommandError{Code: code, Message: text}
}

// carryOut drives an agent until it has ended, and writes its result to its call; or returns that a person
// is asked.
func (c *calling) carryOut(ctx context.Context, call *domain.Execution) (asks bool, err error) {
	id := domain.AgentSessionID(call.ID)
	for ctx.Err() == nil {
		view, err := c.caller.loop.cfg.Store.View(ctx, c.caller.workspace, id)
		if err != nil {
			return false, err
		}
		s := view.Session
		switch {
		case s.Phase == domain.Completed:
			return false, c.reportOf(ctx, call, s)
		case s.State.Suspended:
			return false, errLetGo
		case s.Phase.Working():
			if err := c.leg(ctx, view, nil); err != nil {
				return false, err
			}
		case s.Phase == domain.WaitingNetworkRetry:
			if err := c.awaitRetry(ctx, view); err != nil {
				return false, err
			}
		default:
			return true, nil
		}
	}
	return false, errLetGo
}

// leg drives an agent from its current state, after an event if there is one, until it waits or has ended,
// or its time is over.
func (c *calling) leg(ctx context.Context, view *domain.View, first domain.Event) error {
	worked := time.Duration(view.Session.State.WorkedMicros) * time.Microsecond
	if worked >= domain.AgentMaxActive && first == nil {
		return c.overTime(ctx, view.Session.ID)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, max(0, domain.AgentMaxActive-worked), errOverTime)
	defer cancel()
	own, cut := context.WithCancelCause(bounded)
	defer cut(nil)
	agent := newDriver(c.caller.loop, view, machine.EffectOf(view.Session), cut)
	agent.caller = c.caller
	c.caller.loop.register(agent)
	defer c.caller.loop.unregister(agent)
	if first != nil {
		effect, err := agent.take(own, first)
		if err != nil {
			return err
		}
		agent.effect = effect
	}
	agent.run(own)
	switch {
	case ctx.Err() != nil:
		return errLetGo
	case bounded.Err() != nil:
		return c.overTime(ctx, view.Session.ID)
	case own.Err() != nil && !errors.Is(context.Cause(own), ErrStopped):
		return errLetGo
	}
	return nil
}

// overTime ends an agent that has worked for too long.
func (c *calling) overTime(ctx context.Context, id string) error {
	view, err := c.caller.loop.cfg.Store.View(ctx, c.caller.workspace, id)
	if err != nil || !view.Session.Phase.Working() {
		return err
	}
	agent := newDriver(c.caller.loop, view, domain.DoNothing, c.caller.cut)
	_, err = agent.take(ctx, domain.WatchdogExpired{Reason: domain.Overtime(domain.AgentMaxActive)})
	return err
}

// awaitRetry waits for the next try of an agent that could not reach its provider.
func (c *calling) awaitRetry(ctx context.Context, view *domain.View) error {
	if w := view.Session.State.Waiting; w != nil {
		timer := time.NewTimer(w.At.Sub(c.caller.loop.cfg.Clock()))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return errLetGo
		}
	}
	return c.leg(ctx, view, domain.NetworkRetryScheduled{})
}

// agentResult is the stored result of an agent's call.
type agentResult struct {
	SessionID  string              `json:"session_id"`
	Agent      string              `json:"agent"`
	Outcome    domain.AgentOutcome `json:"outcome"`
	Reason     string              `json:"reason,omitempty"`
	Result     string              `json:"result,omitempty"`
	Conclusion string              `json:"conclusion,omitempty"`
	Turns      int                 `json:"turns"`
}

// summaryOf describes the outcome of an agent's task in a line for people.
func summaryOf(name string, outcome domain.AgentOutcome) domain.Text {
	switch outcome {
	case domain.AgentCompleted:
		return domain.Say("The agent %s has done its task", "L’agent %s a terminé sa tâche", name)
	case domain.AgentNeedsClarification:
		return domain.Say("The agent %s has a question", "L’agent %s a une question", name)
	case domain.AgentOutOfTurns:
		return domain.Say("The agent %s was stopped at its limit", "L’agent %s a été arrêté à sa limite", name)
	case domain.AgentDidNothing:
		return domain.Say("The agent %s did nothing", "L’agent %s n’a rien fait", name)
	}
	return domain.Say("The agent %s failed", "L’agent %s a échoué", name)
}

// reportOf writes on a call what its agent ended with.
func (c *calling) reportOf(ctx context.Context, call *domain.Execution, s *domain.Session) error {
	run := s.State.Agent
	end, err := c.endOf(ctx, s)
	if err != nil {
		return err
	}
	started, now := s.CreatedAt, c.caller.loop.cfg.Clock()
	call.StartedAt, call.EndedAt, call.Attempt = &started, &now, 1
	if from := s.State.Taint.Provenance("the agent " + run.Name); from != nil {
		call.Foreign = &domain.Foreign{From: *from} // external content it has read is part of its report
	}
	call.Summary = summaryOf(run.Name, end.Outcome)
	call.Result = jsonbody.Encode(agentResult{
		SessionID: s.ID, Agent: run.Name, Outcome: end.Outcome, Reason: end.Reason, Result: end.Result, Conclusion: end.Conclusion,
		Turns: s.State.TotalRoundtrips,
	})
	lines := []string{"outcome: " + string(end.Outcome)}
	for _, part := range []struct{ name, text string }{{"reason", end.Reason}, {"result", end.Result}, {"conclusion", end.Conclusion}} {
		if part.text != "" {
			lines = append(lines, part.name+": "+part.text)
		}
	}
	call.Text, call.Status = strings.Join(lines, "\n"), domain.ExecSuccess
	if end.Outcome == domain.AgentFailed {
		call.Status = domain.ExecFailed
		call.Error = &domain.CommandError{Code: "agent_failed", Message: "The agent could not do its task: " + end.Reason}
	}
	return nil
}

// endOf is an agent's report or, if it was ended, what it has so far.
func (c *calling) endOf(ctx context.Context, s *domain.Session) (domain.AgentEnd, error) {
	if end := s.State.Agent.End; s.EndReason == domain.EndCompleted && end != nil {
		return *end, nil
	}
	messages, err := c.caller.loop.cfg.Store.Record(ctx, s)
	if err != nil {
		return domain.AgentEnd{}, err
	}
	end := domain.AgentEnd{Outcome: s.AgentOutcome()}
	for _, m := range messages {
		switch {
		case m.AI != nil && strings.TrimSpace(m.AI.PreText) != "" && m.AI.PreText != domain.InvalidFormatText:
			end.Result = m.AI.PreText
		case m.System != nil && (m.System.Type == domain.SystemNetworkError || m.System.Type == domain.SystemLimitReached ||
			m.System.Type == domain.SystemSessionTimeout):
			end.Reason = m.System.Summary
		}
	}
	if s.EndReason == domain.EndCancelled {
		end.Reason = "It was stopped by a person."
	}
	return end, nil
}

// formattedAgents is what the AI reads of the agents that it called.
func formattedAgents(calls []*domain.Execution) string {
	var parts []string
	for _, call := range calls {
		part := call.Command + " " + string(call.Status)
		if call.Error != nil {
			part += "\n" + call.Error.Message
		}
		if call.Text != "" {
			part += "\n" + call.Text
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}

// register makes the driver of an agent known, so that it can be cut by itself.
func (l *Loop) register(d *driver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drivers[d.session.ID] = d
}

func (l *Loop) unregister(d *driver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drivers[d.session.ID] == d {
		delete(l.drivers, d.session.ID)
	}
}
