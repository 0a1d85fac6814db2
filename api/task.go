package api

import "github.com/fermata-dev/fermata/domain"

// TaskFrom is work at another service as clients see it.
func TaskFrom(t *domain.Task) *Task {
	out := &Task{
		ID: t.ID, SessionID: t.SessionID, ExecutionID: t.ExecutionID, ConnectorID: textPtr(t.ConnectorID), Command: t.Command,
		Status: t.Status, Progress: t.Progress, Result: rawOrNull(t.Result), Error: textPtr(t.Error),
		Deadline: Time(t.Deadline), CreatedAt: Time(t.CreatedAt), UpdatedAt: Time(t.UpdatedAt), EndedAt: timePtr(t.EndedAt),
		Attempts: t.Attempts,
	}
	if q := t.Question; q != nil && len(q.Answer) == 0 {
		out.ApprovalID = &q.ApprovalID
	}
	if l := t.Late; l != nil {
		out.Late = &LateReport{Status: l.Status, Result: l.Result, Error: textPtr(l.Error), At: Time(l.At)}
	}
	return out
}

// taskInEvent is a task without what its service gave: the message that brings it has it,
// and so has the task itself.
func taskInEvent(t *domain.Task) *Task {
	out := TaskFrom(t)
	out.Result = null
	if out.Late != nil {
		out.Late.Result = nil
	}
	return out
}

// Domain is what a service says of its work; id is that of the message that brings it.
func (in *TaskReport) Domain(id string) domain.TaskReport {
	r := domain.TaskReport{ID: id, Status: domain.TaskStatus(in.Status), Result: in.Result, Error: Value(in.Error)}
	if p := in.Progress; p != nil {
		r.Progress = &domain.TaskProgress{Percent: p.Percent, Text: Value(p.Text)}
	}
	return r
}

// TaskReceiptFrom encodes a task for the service that works on it.
func TaskReceiptFrom(t *domain.Task) *TaskReceipt {
	return &TaskReceipt{TaskID: t.ID, Status: t.Status}
}
