package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// writeTask puts a task into the change once, in its latest form, and tells of it.
func (s *step) writeTask(given *domain.Task) {
	t := given.Clone()
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

// keepTask writes the task whose end the event brings.
func keepTask(s *step) {
	if e, ok := s.event.(domain.ExternalResultReceived); ok && e.Task != nil {
		s.writeTask(e.Task)
	}
}

// endTasks cancels what still goes on outside for a session that ends: nobody would read
// the result.
func endTasks(s *step) {
	for _, t := range slices.Clone(s.tasks) {
		own := t.Clone()
		own.Finish(domain.TaskCancelled, s.say("Its session has ended.", "Sa session est terminée."), domain.OwedEnded, s.policy.Now)
		s.writeTask(own)
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
