package scheduler

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// viewAfter is the view as a change to its session leaves it, for a further decision in the same
// transaction: what was folded in, answered or carried out by the first is not there for
// the second to do again. The view itself stays as it was read.
func viewAfter(v *domain.View, c *domain.Change, s *domain.Session) *domain.View {
	next := *v
	next.Session = s
	if v.Holder != nil && v.Holder.ID == s.ID {
		next.Holder = s
	}
	next.Inbox = inboxAfter(v.Inbox, c, s.ID)
	next.Open = openAfter(v.Open, c.Approvals, s.ID)
	next.Planned = plannedAfter(v.Planned, c.Executions, s)
	next.Agents = agentsAfter(v.Agents, c, s)
	next.Tasks = tasksAfter(v.Tasks, c.Tasks, s.ID)
	cancelled := func(m *domain.Message) bool { return m.ID == v.CancelMessage.ID }
	if v.CancelMessage != nil && slices.ContainsFunc(c.DeletedMessages, cancelled) {
		next.CancelMessage = nil
	}
	return &next
}

// inboxAfter is what still waits, then what came.
func inboxAfter(waiting []*domain.InboxItem, c *domain.Change, session string) []*domain.InboxItem {
	all := slices.Clone(waiting)
	for _, item := range c.Inbox {
		if item.SessionID == session && !slices.ContainsFunc(all, func(x *domain.InboxItem) bool { return x.ID == item.ID }) {
			all = append(all, item)
		}
	}
	return slices.DeleteFunc(all, func(x *domain.InboxItem) bool { return slices.Contains(c.InboxDone, x.ID) })
}

// openAfter lists the approvals that are open after a change: written ones replace those with the same id.
func openAfter(open []*domain.Approval, written []*domain.Approval, session string) []*domain.Approval {
	all := slices.DeleteFunc(slices.Clone(open), func(x *domain.Approval) bool {
		return slices.ContainsFunc(written, func(w *domain.Approval) bool { return w.ID == x.ID })
	})
	for _, w := range written {
		if w.SessionID == session && w.Status == domain.ApprovalStatusOpen {
			all = append(all, w)
		}
	}
	return all
}

// plannedAfter has each execution as it was written last, as far as they are of the answer
// that is still carried out.
func plannedAfter(planned, written []*domain.Execution, s *domain.Session) []*domain.Execution {
	all := slices.Clone(planned)
	for i, x := range all {
		if n := slices.IndexFunc(written, func(w *domain.Execution) bool { return w.ID == x.ID }); n >= 0 {
			all[i] = written[n]
		}
	}
	return slices.DeleteFunc(all, func(x *domain.Execution) bool { return x.MessageID != s.State.AnswerID })
}

// agentsAfter has each agent as it was written last, while the session still carries their
// calls out.
func agentsAfter(agents []*domain.AgentView, c *domain.Change, s *domain.Session) []*domain.AgentView {
	if !s.KeepsAgents() {
		return nil
	}
	all := make([]*domain.AgentView, len(agents))
	for i, a := range agents {
		own := *a
		if written := c.Session(a.Session.ID); written != nil {
			own.Session = written
		}
		own.Open = openAfter(a.Open, c.Approvals, own.Session.ID)
		own.Planned = plannedAfter(a.Planned, c.Executions, own.Session)
		own.Agents = agentsAfter(a.Agents, c, own.Session)
		all[i] = &own
	}
	return all
}

// tasksAfter lists the tasks that are still running at other services after a change.
func tasksAfter(tasks, written []*domain.Task, session string) []*domain.Task {
	all := slices.DeleteFunc(slices.Clone(tasks), func(x *domain.Task) bool {
		return slices.ContainsFunc(written, func(w *domain.Task) bool { return w.ID == x.ID })
	})
	for _, w := range written {
		if w.SessionID == session && w.Awake() {
			all = append(all, w)
		}
	}
	return all
}
