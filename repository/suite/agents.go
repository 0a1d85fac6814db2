package suite

import (
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func definition(id, name string) *userdata.AgentDefinition {
	return &userdata.AgentDefinition{
		ID:          id,
		WorkspaceID: domain.DefaultWorkspace,
		AgentFields: userdata.AgentFields{Name: name, Description: "d", SystemPrompt: "p \"q\"", Strategy: "s", SuccessCriteria: "c", ExitReport: "e", Commands: []string{"ZONES", "CONTEXT_UPDATE"}, ProviderID: "prv_1", Model: "m", MaxTurns: 3, TokenBudget: 4000, Enabled: true},
		CreatedAt:   T0,
		UpdatedAt:   T0,
	}
}

// agents come back as they were, each version for as long as anybody may have it.
func agents(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	count := func() int64 {
		found, err := w.Workspaces.Workspace(ctx, ws)
		w.ok(err)
		return found.AgentsVersion
	}
	w.equal(count(), int64(0), "changes of agents where there are none")
	a := definition("agt_1", "NoteTaker")
	w.ok(w.Agents.InsertAgent(ctx, a))
	w.equal(a.Version, int64(1), "the first version")
	got, err := w.Agents.Agent(ctx, ws, "agt_1")
	w.ok(err)
	w.equal(got, a, "the agent")

	first := *a
	a.SystemPrompt, a.Enabled, a.UpdatedAt = "another", false, T0.Add(time.Hour)
	stale := *a
	w.ok(w.Agents.UpdateAgent(ctx, a))
	if err := w.Agents.UpdateAgent(ctx, &stale); !errors.Is(err, domain.ErrStale) {
		w.Errorf("a change of what has changed meanwhile: %v", err)
	}
	w.equal(a.Version, int64(2), "the second version")
	was, err := w.Agents.AgentVersion(ctx, ws, "agt_1", 1)
	w.ok(err)
	w.equal(was.SystemPrompt, first.SystemPrompt, "what it was begun with")
	listed, err := w.Agents.Agents(ctx, ws)
	w.ok(err)
	w.equal(listed, []*userdata.AgentDefinition{a}, "the list")

	w.code(w.Agents.InsertAgent(ctx, definition("agt_2", "noteTaker")), domain.CodeConflict)
	w.code(w.Agents.UpdateAgent(ctx, definition("agt_3", "Other")), domain.CodeNotFound)
	_, err = w.Agents.Agent(ctx, "other", "agt_1")
	w.code(err, domain.CodeNotFound)
	_, err = w.Agents.AgentVersion(ctx, ws, "agt_1", 3)
	w.code(err, domain.CodeNotFound)
	w.ok(w.Agents.DeleteAgent(ctx, ws, "agt_1"))
	w.code(w.Agents.DeleteAgent(ctx, ws, "agt_1"), domain.CodeNotFound)
	_, err = w.Agents.AgentVersion(ctx, ws, "agt_1", 2)
	w.ok(err)
	w.equal(count(), int64(3), "changes of agents")
}

// agentsInView: the view of a session that calls agents contains them and the agents that they call in turn; the
// view of the session that takes its slot contains them too.
func agentsInView(w *world) {
	parent := w.stored("calls", func(s *domain.Session) { s.HoldsSlot = true })
	call := w.calls(parent, "exe_a1")
	child := w.agentOf(parent, call)
	inner := w.calls(child, "exe_b1")
	grandchild := w.agentOf(child, inner)
	c := w.change(grandchild)
	asked := approval(grandchild, "apr_g", domain.ApprovalActions)
	c.Approvals = []*domain.Approval{asked}
	w.ok(w.Commit(w.Context(), c))

	check := func(agents []*domain.AgentView) {
		if len(agents) != 1 || len(agents[0].Agents) != 1 {
			w.Fatalf("the agents are %+v", agents)
		}
		w.equal(agents[0].Session, child, "the agent")
		w.equal(agents[0].Planned, []*domain.Execution{inner}, "what it carries out")
		w.equal(agents[0].Agents[0].Session, grandchild, "the agent that it has called")
		w.equal(agents[0].Agents[0].Open, []*domain.Approval{asked}, "what that one asks")
	}
	v, err := w.View(w.Context(), domain.DefaultWorkspace, parent.ID)
	w.ok(err)
	check(v.Agents)
	other := w.stored("wants the slot")
	v, err = w.View(w.Context(), domain.DefaultWorkspace, other.ID)
	w.ok(err)
	check(v.HolderAgents)
	w.equal(len(v.Agents), 0, "agents of a session that has called none")
	waiters, err := w.Slot.Waiters(w.Context(), domain.LaneRef{Workspace: domain.DefaultWorkspace, Lane: domain.LaneWorkspace})
	w.ok(err)
	for _, aside := range waiters.Aside {
		if aside.Type == domain.Agent {
			w.Errorf("the agent %s wants a slot of its own", aside.ID)
		}
	}
}

// calls has a session call an agent.
func (w *world) calls(s *domain.Session, execution string) *domain.Execution {
	c := w.change(s)
	answer := w.say(c, s, domain.SenderAI, "I ask")
	w.move(c, s, domain.ExecutingDataQueries, "AIResponseParsed")
	s.State.AnswerID = answer.ID
	x := &domain.Execution{
		ID: execution, WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: answer.ID, CallID: "call_" + execution, Command: "AGENT.HELPER",
		Params: []byte(`{"query":"q"}`), Kind: domain.KindQuery, Effect: domain.EffectIdempotent, Status: domain.ExecPlanned, CreatedAt: T0,
	}
	c.Executions = []*domain.Execution{x}
	w.ok(w.Commit(w.Context(), c))
	return x
}

// agentOf is the session that carries out a call.
func (w *world) agentOf(parent *domain.Session, call *domain.Execution) *domain.Session {
	return w.stored("agent", func(s *domain.Session) {
		s.ID, s.Type, s.ParentSessionID = domain.AgentSessionID(call.ID), domain.Agent, parent.ID
		s.Phase = domain.CallingAI
		s.State.Agent = &domain.AgentRun{AgentID: "agt_1", Version: 1, Name: "Helper", MaxTurns: 7, TokenBudget: 15_000, Depth: 1}
	})
}
