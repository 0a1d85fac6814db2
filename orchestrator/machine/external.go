package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// noteTasks remembers what was started outside for this answer.
func noteTasks(t *turn) {
	e := t.event.(domain.ExternalTasksStarted)
	pending := t.pending()
	pending.Tasks = append(slices.Clone(pending.Tasks), e.Tasks...)
	t.s.State.Pending = &pending
}

func thenDataQueriesExecuted(t *turn) {
	e := t.event.(domain.ExternalTasksStarted)
	t.follow(domain.DataQueriesExecuted{Executions: e.Executions, Formatted: e.Formatted})
}

func thenActionsExecuted(t *turn) {
	e := t.event.(domain.ExternalTasksStarted)
	t.follow(domain.ActionsExecuted{Executions: e.Executions, Formatted: e.Formatted})
}

// waitForTasks parks the session until the last task of the answer has ended.
func waitForTasks(t *turn) {
	t.s.State.Waiting = &domain.WaitingContext{
		Kind: domain.WaitExternalResult, Tasks: slices.Clone(t.pending().Tasks), At: t.p.Now,
	}
	t.s.State.PendingCompleted = false
}

// lastTask: with this result, nothing that was started outside is missing.
func lastTask(t *turn) bool {
	e, _ := t.event.(domain.ExternalResultReceived)
	w := t.s.State.Waiting
	return w == nil || !slices.ContainsFunc(w.Tasks, func(id string) bool { return id != e.TaskID })
}

// nothingLeft: every task reported while the session was parked.
func nothingLeft(t *turn) bool {
	return t.s.State.Waiting != nil && len(t.s.State.Waiting.Tasks) == 0
}

// storeLateResult tells the AI what became of a call that was answered PENDING or
// UNKNOWN. It is no second result of that call, so it does not carry its id.
func storeLateResult(t *turn) {
	e := t.event.(domain.ExternalResultReceived)
	result := e.Result
	result.CallID = ""
	t.system(domain.SystemExternalResult, counted([]domain.CommandResult{result}), []domain.CommandResult{result},
		withUnformatted("", []domain.CommandResult{result}, nil))
	t.noteFailures([]domain.CommandResult{result})
	c := t.circle()
	forgetAnswers(&c)
	t.s.State.Circle = &c
	t.forgetTask(e.TaskID)
	for _, a := range t.open {
		if a.Kind == domain.ApprovalOutcome && len(a.Actions) > 0 && a.Actions[0].ID == result.ExecutionID {
			t.settleOne(a, domain.ApprovalStatusApproved)
		}
	}
}

func (t *turn) forgetTask(id string) {
	other := func(x string) bool { return x == id }
	if w := t.s.State.Waiting; w != nil {
		own := *w
		own.Tasks = slices.DeleteFunc(slices.Clone(w.Tasks), other)
		t.s.State.Waiting = &own
	}
	if t.s.State.Pending != nil {
		pending := t.pending()
		pending.Tasks = slices.DeleteFunc(slices.Clone(pending.Tasks), other)
		t.s.State.Pending = &pending
	}
}
