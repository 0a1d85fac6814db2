package machine

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// withoutAgents keeps what a change writes of agents, and gives what it writes of the
// session alone.
func (w *world) withoutAgents(step *domain.Step) *domain.Change {
	c := *step.Change
	c.Sessions = nil
	for _, write := range step.Change.Sessions {
		if write.Session.ID == w.s.ID {
			c.Sessions = append(c.Sessions, write)
			continue
		}
		if !write.Claim {
			w.t.Fatalf("agent %s is written without being taken over", write.Session.ID)
		}
		i := slices.IndexFunc(w.agents, func(a *domain.AgentView) bool { return a.Session.ID == write.Session.ID })
		if i < 0 {
			w.agents = append(w.agents, &domain.AgentView{Session: write.Session})
		} else {
			w.agents[i] = &domain.AgentView{Session: write.Session}
		}
	}
	mine := func(session string) bool { return session == w.s.ID }
	c.Messages = only(c.Messages, func(m *domain.Message) bool { return mine(m.SessionID) })
	c.Executions = only(c.Executions, func(x *domain.Execution) bool { return mine(x.SessionID) })
	c.Approvals = only(c.Approvals, func(a *domain.Approval) bool { return mine(a.SessionID) })
	c.Roundtrips = only(c.Roundtrips, func(r *domain.Roundtrip) bool { return mine(r.SessionID) })
	c.Transitions = only(c.Transitions, func(t *domain.Transition) bool { return mine(t.SessionID) })
	c.Events = only(c.Events, func(e *domain.LogEvent) bool { return e.SessionID == "" || mine(e.SessionID) })
	if !step.Session.KeepsAgents() {
		for _, a := range w.agents {
			if a.Session.Phase != domain.Completed {
				w.t.Fatalf("agent %s continues in %s while its caller is in %s", a.Session.ID, a.Session.Phase, step.Session.Phase)
			}
		}
		w.agents = nil
	}
	return &c
}

func only[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !keep(x) })
}

// begins begins an agent for each planned call of one, and takes up those that were begun.
func (w *world) begins() domain.Event {
	var e domain.AgentsStarted
	for _, id := range w.order {
		x := w.executions[id]
		session := domain.AgentSessionID(id)
		there, _ := domain.FindAgent(w.agents, session)
		if x.Status.Final() || !domain.CallsAgent(x.Command) || there != nil {
			continue
		}
		e.New = append(e.New, domain.NewAgentRun{
			Session: &domain.Session{
				ID: session, WorkspaceID: "default", Type: domain.Agent, ParentSessionID: w.s.ID, Phase: domain.CallingAI, LastEventTime: w.now,
				State: domain.SessionState{RoundState: domain.RoundState{RoundID: "rnd_" + session}, Agent: &domain.AgentRun{Name: "Helper", MaxTurns: 3, TokenBudget: 1000}},
			},
			Query: &domain.Message{
				ID: "msg_" + session, WorkspaceID: "default", SessionID: session, Sender: domain.SenderUser, Status: domain.MessageStored,
				Rich: &domain.RichContent{LinearText: "do it"},
			},
		})
	}
	return e
}

// asks: every agent waits for a person, as its own driver would have stored it.
func (w *world) asks() domain.Event {
	var e domain.AgentsWaiting
	for i, a := range w.agents {
		own := a.Session.Clone()
		own.Phase, own.State.CallSince = domain.WaitingValidation, own.State.CallSince.Truncate(0)
		own.State.Waiting = &domain.WaitingContext{Kind: domain.WaitValidation, ApprovalID: "apr_agent"}
		own.Usage.InputTokens = 7
		w.agents[i] = &domain.AgentView{Session: own, Open: []*domain.Approval{{
			ID: "apr_agent", WorkspaceID: "default", SessionID: own.ID, Kind: domain.ApprovalActions, Status: domain.ApprovalStatusOpen,
		}}}
		e.Agents = append(e.Agents, own.ID)
	}
	return e
}

// TestAnAnswerToAnAgentWaitsForItsCaller verifies that only the session that called an agent drives it, so that a
// person's answer is stored until the caller takes it up.
func TestAnAnswerToAnAgentWaitsForItsCaller(t *testing.T) {
	w := newWorld(t, domain.Agent)
	received, parsed := w.answer("so", []part{{"action", "CREATE_ZONE"}, {"validate", ""}})
	for _, e := range []domain.Event{domain.SessionActivationRequested{}, received, parsed} {
		if _, err := w.do(e); err != nil {
			t.Fatal(err)
		}
	}
	step, err := w.do(domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Approved: true}, Recorded: []byte("{}")}})
	if err != nil || step.Effect != domain.DoNothing || step.Session.Phase != domain.WaitingValidation {
		t.Fatalf("the answer is not kept: %v %v", step, err)
	}
	if a := w.approvals["apr_1"]; a.Status != domain.ApprovalStatusApproved {
		t.Fatalf("the approval is %s", a.Status)
	}
	step, err = w.do(domain.SessionActivationRequested{Recovery: true})
	if err != nil || step.Effect != domain.DoRunActions {
		t.Fatalf("taken up by its caller, but: %v %v", step, err)
	}
}

// TestWhatAnAgentUsedCountsOnce: it is its caller's, whatever ends the call.
func TestWhatAnAgentUsedCountsOnce(t *testing.T) {
	for name, end := range map[string]domain.Event{
		"ran": nil, "stopped": domain.StopRequested{}, "interrupted": domain.InterruptRequested{},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, domain.Chat)
			received, parsed := w.answer("so", []part{{"query", "AGENT.HELPER"}})
			for _, e := range []domain.Event{domain.UserMessageSent{Message: w.message("go")}, received, parsed} {
				if _, err := w.do(e); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.do(w.begins()); err != nil {
				t.Fatal(err)
			}
			cost := 0.5
			own := w.agents[0].Session.Clone()
			own.Usage = domain.Usage{InputTokens: 40, OutputTokens: 2, Cost: &cost}
			w.agents[0] = &domain.AgentView{Session: own}
			before := w.s.Usage.Total()
			if end == nil {
				own.Phase = domain.Completed
				end, _ = w.ran(0, "")
			}
			if _, err := w.do(end); err != nil {
				t.Fatal(err)
			}
			if used := w.s.Usage.Total() - before; used != 42 || w.s.Usage.Cost == nil || *w.s.Usage.Cost != cost {
				t.Fatalf("counted %d tokens and %v, want 42 and %v", used, w.s.Usage.Cost, cost)
			}
		})
	}
}

// TestAnApprovalNamesItsAgent verifies that an approval shows which agent requested it.
func TestAnApprovalNamesItsAgent(t *testing.T) {
	w := newWorld(t, domain.Agent)
	w.s.State.Agent = &domain.AgentRun{Name: "Helper", MaxTurns: 7, TokenBudget: 15_000}
	received, parsed := w.answer("so", []part{{"action", "CREATE_ZONE"}, {"validate", ""}})
	for _, e := range []domain.Event{domain.SessionActivationRequested{}, received, parsed} {
		if _, err := w.do(e); err != nil {
			t.Fatal(err)
		}
	}
	if a := w.approvals["apr_1"]; a == nil || a.Text != "The agent Helper asks for this." {
		t.Fatalf("the approval is %+v", a)
	}
}
