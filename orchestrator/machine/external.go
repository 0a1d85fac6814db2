package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// noteTasks remembers what was started outside for this answer.
func noteTasks(s *step) {
	e := s.event.(domain.ExternalTasksStarted)
	pending := s.pending()
	pending.Tasks = append(slices.Clone(pending.Tasks), e.Tasks...)
	s.session.State.Pending = &pending
	noteWork(s)
}

func thenDataQueriesExecuted(s *step) {
	e := s.event.(domain.ExternalTasksStarted)
	s.follow(domain.DataQueriesExecuted{Executions: e.Executions})
}

func thenActionsExecuted(s *step) {
	e := s.event.(domain.ExternalTasksStarted)
	s.follow(domain.ActionsExecuted{Executions: e.Executions, Changes: e.Changes})
}

// waitForTasks parks the session until the last task of the answer has ended.
func waitForTasks(s *step) {
	s.session.State.Waiting = &domain.WaitingContext{
		Kind: domain.WaitExternalResult, Tasks: slices.Clone(s.pending().Tasks), At: s.policy.Now,
	}
	s.session.State.PendingCompleted = false
}

// lastTask: with this result, nothing that was started outside is missing.
func lastTask(s *step) bool {
	e, _ := s.event.(domain.ExternalResultReceived)
	w := s.session.State.Waiting
	return w == nil || !slices.ContainsFunc(w.Tasks, func(id string) bool { return id != e.TaskID })
}

// nothingLeft: every task reported while the session was parked.
func nothingLeft(s *step) bool {
	return s.session.State.Waiting != nil && len(s.session.State.Waiting.Tasks) == 0
}

// fromTask is the source of a result without one: external work, unless it consists of the server's own
// text about a task.
func fromTask(e *domain.ExternalResultReceived) *domain.Provenance {
	if e.Result.Error.OwnWords() {
		return nil
	}
	if e.Execution != nil && e.Execution.Foreign != nil {
		return domain.From(domain.OriginTask, e.Execution.Foreign.From.Source)
	}
	return domain.From(domain.OriginTask, e.Result.Command)
}

// storeLateResult gives the AI the outcome of a call that was answered with PENDING or UNKNOWN. It is no
// second result of that call, so it does not carry its id. Without a source it counts as external.
func storeLateResult(s *step) {
	e := s.event.(domain.ExternalResultReceived)
	result := e.Result
	result.CallID = ""
	if result.From == nil {
		result.From = fromTask(&e)
	}
	if x := e.Execution; x != nil && result.Summary == "" {
		result.Summary, result.Translations = x.Summary.In(s.language()), x.Summary.Beside(s.language())
	}
	keepOutcome(s)
	m := s.system(domain.SystemExternalResult, domain.Counted([]domain.CommandResult{result}).EN, []domain.CommandResult{result},
		withUnformatted("", []domain.CommandResult{result}, nil))
	if st := &s.session.State; !st.CallSince.IsZero() {
		st.Unread = append(slices.Clone(st.Unread), m.ID)
	}
	noteFailures(s, []domain.CommandResult{result})
	learnt(s)
	forgetTask(s, e.TaskID)
}

// keepOutcome writes the outcome of an execution to its row, and closes the question about it. For an
// ended session that is all: nothing is added to its record.
func keepOutcome(s *step) {
	e := s.event.(domain.ExternalResultReceived)
	keepTask(s)
	id := e.Result.ExecutionID
	if e.Execution != nil {
		id = e.Execution.ID
		s.endedLate(e.Execution)
	}
	for _, a := range s.open {
		if a.Kind == domain.ApprovalOutcome && len(a.Actions) > 0 && a.Actions[0].ID == id {
			s.settleOne(a, domain.ApprovalStatusApproved)
		}
	}
}

// ofThisSeries: the late result is about an action of the current answer, and is stored with its other
// results.
func ofThisSeries(s *step) bool {
	e, _ := s.event.(domain.ExternalResultReceived)
	x := e.Execution
	if x == nil {
		return false
	}
	mine := s.plannedByID(x.ID)
	return mine != nil && (!mine.Status.Final() || mine.Status == domain.ExecPending)
}

// quiet: a result that begins no round.
func quiet(s *step) bool {
	e, _ := s.event.(domain.ExternalResultReceived)
	return e.Quiet
}

// noteStarted writes down how far the series has come, and that the next action begins
// outside.
func noteStarted(s *step) {
	e := s.event.(domain.ActionStarted)
	noteProgress(s, e.Executions, e.Changes)
}

func noteProgress(s *step, executions []*domain.Execution, changes []domain.DataChange) {
	for _, given := range executions {
		switch was := s.plannedByID(given.ID); {
		case was == nil || was.Status.Final():
		case given.Status.Final():
			s.commandEnded(given)
		case given.Status == domain.ExecStarted:
			first := was.Status != domain.ExecStarted
			*was = *given
			if s.write(was); first {
				s.commandEvent(domain.LogCommandStarted, was)
			}
		case given.Digest != was.Digest:
			was.Digest = given.Digest
			s.write(was)
		}
	}
	for i := range changes {
		own := changes[i]
		s.emit(domain.LogEvent{Type: domain.LogDataChanged, Change: &own})
	}
}

func forgetTask(s *step, id string) {
	other := func(x string) bool { return x == id }
	if w := s.session.State.Waiting; w != nil {
		own := *w
		own.Tasks = slices.DeleteFunc(slices.Clone(w.Tasks), other)
		s.session.State.Waiting = &own
	}
	if s.session.State.Pending != nil {
		pending := s.pending()
		pending.Tasks = slices.DeleteFunc(slices.Clone(pending.Tasks), other)
		s.session.State.Pending = &pending
	}
}
