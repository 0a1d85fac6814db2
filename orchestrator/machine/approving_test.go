package machine

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// The machine does with each reason what domain.Approving says, behind an answer and behind its
// queries: it waits, with a card that names the reason, or it runs, or it refuses.
func TestTheMachineAsksAsTheTableSays(t *testing.T) {
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run, domain.Agent} {
		for _, unattended := range []bool{false, true} {
			for _, policy := range []string{domain.PolicyPark, domain.PolicyRefuse, domain.PolicyAllow} {
				for _, level := range []domain.ValidationLevel{
					domain.LevelWorkspace, domain.LevelZone, domain.LevelTool, domain.LevelSession, domain.LevelAI, domain.LevelCommand, domain.LevelOutside, "",
				} {
					for _, queries := range []bool{false, true} {
						if kind == domain.Agent || unattended == (kind == domain.Run) {
							machineAsks(t, kind, unattended, policy, level, queries)
						}
					}
				}
			}
		}
	}
}

func machineAsks(t *testing.T, kind domain.SessionType, unattended bool, policy string, level domain.ValidationLevel, queries bool) {
	t.Helper()
	w := newWorld(t, kind)
	w.s.State.Validation = policy
	if kind == domain.Agent {
		w.s.State.Agent, w.s.ParentSessionID = &domain.AgentRun{Name: "Helper", MaxTurns: 7, TokenBudget: 15_000}, ""
		if unattended {
			w.s.AutomationID = "aut_1"
		}
	}
	parts := []part{{"action", "CREATE_ZONE"}}
	if queries {
		parts = append([]part{{"query", "ZONES"}}, parts...)
	}
	received, parsed := w.answer("so", parts)
	var reasons []domain.ApprovalReason
	if level != "" {
		reasons = []domain.ApprovalReason{{Level: level, Text: "because"}}
	}
	answer := parsed
	answer.Commands.Reasons, answer.Commands.AIAsked = reasons, level == domain.LevelAI
	begin := []domain.Event{domain.SessionActivationRequested{}}
	if kind == domain.Chat {
		begin = []domain.Event{domain.UserMessageSent{Message: w.message("go")}}
	}
	if kind == domain.Run {
		begin = append(begin, domain.EnrichmentsExecuted{})
	}
	for _, e := range append(begin, received, answer) {
		if _, err := w.do(e); err != nil && e.Name() != "EnrichmentsExecuted" {
			t.Fatalf("%s: %s: %v", kind, e.Name(), err)
		}
	}
	if queries {
		if p := w.s.State.Pending; p == nil || p.AIAsked != (level == domain.LevelAI) {
			t.Fatalf("%s: behind the queries the AI's request is forgotten: %+v", kind, p)
		}
		executed := domain.DataQueriesExecuted{Actions: domain.PlannedCommands{Reasons: reasons}}
		for _, id := range w.order {
			x := *w.executions[id]
			if x.Kind == domain.KindQuery {
				x.Status, x.EndedAt = domain.ExecSuccess, &w.now
				executed.Executions = append(executed.Executions, &x)
			} else {
				executed.Actions.Actions = append(executed.Actions.Actions, &x)
			}
		}
		if _, err := w.do(executed); err != nil {
			t.Fatal(err)
		}
	}
	approving := w.s.Approving(&domain.Settings{})
	want := map[domain.Verdict]domain.Phase{
		domain.VerdictRun: domain.ExecutingActions, domain.VerdictAsk: domain.WaitingValidation, domain.VerdictRefuse: domain.CallingAI,
	}[approving.Verdict(approving.Reasons(reasons, nil))]
	if w.s.Phase != want {
		t.Errorf("%s (in a run: %v) under %s, reason %q, queries %v: %s, want %s", kind, unattended, policy, level, queries, w.s.Phase, want)
	}
	if want != domain.WaitingValidation {
		return
	}
	if a := w.approvals["apr_1"]; a == nil || len(a.Reasons) != 1 || a.Reasons[0].Level != level {
		t.Errorf("%s, %q: the card is %+v", kind, level, a)
	}
}

// A task that the AI wants to end is written with its answer; one that is over, or another session's, is not.
func TestTheAIEndsATask(t *testing.T) {
	w := newWorld(t, domain.Chat)
	s := standings(domain.Chat, domain.ExecutingDataQueries)[0]
	policy := w.policy()
	policy.Tasks = []*domain.Task{
		{ID: "tsk_1", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Status: domain.TaskRunning, Deadline: policy.Now.Add(time.Hour)},
		{ID: "tsk_2", WorkspaceID: s.WorkspaceID, SessionID: s.ID, Status: domain.TaskRunning, Deadline: policy.Now.Add(time.Hour)},
	}
	step, err := Run(s, domain.DataQueriesExecuted{CancelTasks: []string{"tsk_1", "tsk_9"}}, policy)
	if err != nil {
		t.Fatal(err)
	}
	if tasks := step.Change.Tasks; len(tasks) != 1 || tasks[0].ID != "tsk_1" || tasks[0].Owed != domain.OwedRequested {
		t.Errorf("written are %+v", tasks)
	}
}
