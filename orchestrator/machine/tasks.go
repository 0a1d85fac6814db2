package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// writeTask puts a task into the change once, in its latest form, and tells of it.
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

// closeQuestion settles what a task asks that is over: nobody hears the answer.
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

// keepTask writes the task whose end the event brings, by its service's word or a person's.
func keepTask(s *step) {
	e, ok := s.event.(domain.ExternalResultReceived)
	switch {
	case !ok:
	case e.Task != nil:
		s.writeTask(e.Task)
	case e.Answer != nil && e.Execution != nil:
		endByWord(s, e.Execution)
	}
}

// endByWord ends the task of an execution of which a person said what became: what its service
// says afterwards is kept beside it, and no second result.
func endByWord(s *step, x *domain.Execution) {
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
	default: // it is ordered once more: if its service took it after all, it is told to stop
		why := domain.Say("A person wants it run once more.", "Une personne veut la relancer.")
		t.Finish(domain.TaskCancelled, why.In(s.language()), domain.OwedCancelled, s.policy.Now)
	}
	s.writeTask(t)
}

// endTasks cancels what still goes on outside for a session that ends: nobody would read
// the result.
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

// settleTask ends the task of an execution that came to nothing, or has it wait for a word of
// its service where nobody knows what became of the execution.
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
