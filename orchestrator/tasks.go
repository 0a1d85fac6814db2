package orchestrator

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// beginTask returns the task of an action that is sent next, if it is long-running: the stored one if it was
// sent before, else a new one. It is stored before the action is sent.
func (l *Loop) beginTask(view *domain.View, x *domain.Execution, offered []domain.CommandSpec) *domain.Task {
	i := slices.IndexFunc(offered, func(s domain.CommandSpec) bool { return s.Name == x.Command })
	if i < 0 || offered[i].Deadline <= 0 {
		return nil
	}
	t := l.taskOf(view, x, offered[i].Connector, offered[i].Deadline)
	t.Attempts++
	return t
}

// withoutLongWork leaves out long-running commands: an agent has minutes, and its caller waits for it.
func withoutLongWork(outside []domain.CommandSpec) []domain.CommandSpec {
	return slices.DeleteFunc(slices.Clone(outside), func(s domain.CommandSpec) bool { return s.Deadline > 0 })
}

// taskOf is a copy of the open task of an execution, or a new one.
func (l *Loop) taskOf(view *domain.View, x *domain.Execution, connector string, within time.Duration) *domain.Task {
	now := l.cfg.Clock()
	if t := openTask(view, x.ID); t != nil {
		own := t.Clone()
		own.UpdatedAt = now
		return own
	}
	t := &domain.Task{
		ID: l.cfg.NewID(domain.PrefixTask), WorkspaceID: view.Workspace.ID, SessionID: view.Session.ID, ExecutionID: x.ID,
		ConnectorID: connector, Command: x.Command, Status: domain.TaskPending, Deadline: now.Add(within), CreatedAt: now, UpdatedAt: now,
	}
	t.SetDue(now)
	return t
}

func openTask(view *domain.View, execution string) *domain.Task {
	i := slices.IndexFunc(view.Tasks, func(t *domain.Task) bool { return t.ExecutionID == execution })
	if i < 0 {
		return nil
	}
	return view.Tasks[i]
}

// longestWork bounds the work of a service that names no deadline.
const longestWork = 24 * time.Hour

// taken are the tasks of those actions that services have taken on, as they are now, and the
// ids of all that the answer waits for. handles are what the services returned, by execution.
func (l *Loop) taken(
	view *domain.View, handles map[string]outside.TaskHandle, actions []*domain.Execution, offered []domain.CommandSpec,
) (changed []*domain.Task, ids []string) {
	for _, x := range actions {
		if x.Status != domain.ExecPending {
			continue
		}
		handle, said := handles[x.ID]
		if !said {
			if t := openTask(view, x.ID); t != nil {
				ids = append(ids, t.ID)
			}
			continue
		}
		connector := ""
		if i := slices.IndexFunc(offered, func(s domain.CommandSpec) bool { return s.Name == x.Command }); i >= 0 {
			connector = offered[i].Connector
		}
		t := l.taskOf(view, x, connector, longestWork)
		take(t, handle, l.cfg.Clock())
		changed, ids = append(changed, t), append(ids, t.ID)
	}
	return changed, ids
}

// take notes what a service said when it took the work on.
func take(t *domain.Task, h outside.TaskHandle, now time.Time) {
	if t.Status == domain.TaskPending {
		t.Status = domain.TaskRunning
	}
	t.RemoteID, t.Poll, t.Attempts = h.ID, h.Poll, max(t.Attempts, 1)
	if !h.Deadline.IsZero() && h.Deadline.Before(t.Deadline) {
		t.Deadline = h.Deadline
	}
	t.SetDue(now)
}

// addTasks adds tasks to a change, unless the change has their end.
func addTasks(change *domain.Change, tasks ...*domain.Task) {
	for _, t := range tasks {
		if t == nil || slices.ContainsFunc(change.Tasks, func(x *domain.Task) bool { return x.ID == t.ID }) {
			continue
		}
		change.Tasks = append(change.Tasks, t)
		change.Emit(domain.LogEvent{SessionID: t.SessionID, Type: domain.LogTaskChanged, Task: t})
	}
}
