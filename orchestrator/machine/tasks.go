package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// writeTask puts a task into the change once, in its latest form, with its event.
func (s *step) writeTask(given *domain.Task) {
	t := given.Clone()
	if !t.Awake() {
		closeQuestion(s, t)
	}
	s.tasks = slices.DeleteFunc(s.tasks, func(x *domain.Task) bool { return x.ID == t.ID })
	if t.Awake() {
		s.tasks = append(s.tasks, t)
	}
	if i := slices.IndexFunc(s.change.Tasks, func(x *domain.Task) bool { return x.ID == t.ID }); i >= 0 {
		s.change.Tasks[i] = t
	} else {
		s.change.Tasks = append(s.change.Tasks, t)
	}
	s.emit(domain.LogEvent{Type: domain.LogTaskChanged, Task: t})
}

// closeQuestion settles the question of a task that is over: an answer could not be delivered.
func closeQuestion(s *step, t *domain.Task) {
	status := domain.ApprovalStatusStale
	switch t.Status {
	case domain.TaskCancelled:
		status = domain.ApprovalStatusStopped
	case domain.TaskExpired:
		status = domain.ApprovalStatusExpired
	}
	for _, was := range s.tasks {
		for _, a := range slices.Clone(s.open) {
			if was.ID == t.ID && was.Question != nil && was.Question.ApprovalID == a.ID {
				s.settleOne(a, status)
			}
		}
	}
}

// ofTask: the approval is what a task asks, and goes when that does.
func ofTask(s *step, a *domain.Approval) bool {
	return slices.ContainsFunc(s.tasks, func(t *domain.Task) bool { return t.Question != nil && t.Question.ApprovalID == a.ID })
}

// keepTask writes the task that the event ends, by its service's or a person's report.
func keepTask(s *step) {
	e, ok := s.event.(domain.ExternalResultReceived)
	switch {
	case !ok:
	case e.Task != nil:
		s.writeTask(e.Task)
	case e.Answer != nil && e.Execution != nil:
		endByReport(s, e.Execution)
	}
}

// endByReport ends the task of an execution whose outcome a person reported: later reports of its service
// are stored beside it, and are no second result.
func endByReport(s *step, x *domain.Execution) {
	i := slices.IndexFunc(s.tasks, func(t *domain.Task) bool { return t.ExecutionID == x.ID })
	if i < 0 {
		return
	}
	t := s.tasks[i].Clone()
	switch x.Status {
	case domain.ExecSuccess:
		t.Finish(domain.TaskSucceeded, "", "", s.policy.Now)
	case domain.ExecFailed:
		t.Finish(domain.TaskFailed, errorText(x.Error), "", s.policy.Now)
	default: // it is requested once more: if its service accepted it after all, it is notified to stop
		why := domain.Say("A person wants it run once more.", "Une personne veut la relancer.")
		t.Finish(domain.TaskCancelled, why.In(s.language()), domain.OwedCancelled, s.policy.Now)
	}
	s.writeTask(t)
}

// endTasks cancels the tasks that are still running for a session that ends: their results would not be
// read.
func endTasks(s *step) {
	for _, t := range slices.Clone(s.tasks) {
		own := t.Clone()
		why := domain.Say("Its session has ended.", "Sa session est terminée.").In(s.language())
		own.Finish(domain.TaskCancelled, why, domain.OwedEnded, s.policy.Now)
		s.writeTask(own)
	}
}

// cancelTasks has tasks cancelled that the AI wants to end; those that have ended meanwhile are over.
func cancelTasks(s *step, ids []string) {
	for _, t := range slices.Clone(s.tasks) {
		if slices.Contains(ids, t.ID) {
			own := t.Clone()
			own.AskCancel(s.policy.Now)
			s.writeTask(own)
		}
	}
}

// settleTask ends the task of an execution without an effect, or has it wait for a report of its service
// if the execution's outcome is unknown.
func settleTask(s *step, x *domain.Execution) {
	i := slices.IndexFunc(s.tasks, func(t *domain.Task) bool { return t.ExecutionID == x.ID })
	if i < 0 {
		return
	}
	t := s.tasks[i].Clone()
	switch x.Status {
	case domain.ExecFailed:
		t.Finish(domain.TaskFailed, errorText(x.Error), "", s.policy.Now)
	case domain.ExecCancelled:
		t.Finish(domain.TaskCancelled, x.Note, "", s.policy.Now)
	case domain.ExecUnknown:
		t.Status, t.UpdatedAt = domain.TaskUnknown, s.policy.Now
		t.SetDue(s.policy.Now)
	default:
		return
	}
	s.writeTask(t)
}
