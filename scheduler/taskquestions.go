package scheduler

import (
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// The service of a task may ask a person a question during its work. Only the service waits for the
// answer: the session keeps its state. So the machine handles the question only when its task ends.

// TaskRequest stores the state of a task beside its session, to which nothing happens.
type TaskRequest struct {
	Target
	Task *domain.Task
}

func (TaskRequest) event(*domain.View, moment) (domain.Event, error) { return nil, nil }

func (r TaskRequest) also(_ *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	addTask(change, r.Task.Clone())
	return nil
}

func addTask(change *domain.Change, own *domain.Task) {
	change.Tasks = append(change.Tasks, own)
	change.Emit(domain.LogEvent{SessionID: own.SessionID, Type: domain.LogTaskChanged, Task: own})
}

// TaskQuestionRequest stores what the service of a task asks a person now, in place of its earlier question. Without Asks
// it asks nothing more.
type TaskQuestionRequest struct {
	Target
	Task *domain.Task
	Asks *domain.TaskAsks
	// ApprovalID is the id of the approval that is opened, Response the schema of its answer.
	ApprovalID string
	Response   json.RawMessage
}

func (TaskQuestionRequest) event(*domain.View, moment) (domain.Event, error) { return nil, nil }

func (r TaskQuestionRequest) also(v *domain.View, m moment, _ domain.Event, change *domain.Change) error {
	own := r.Task.Clone()
	if own.Question != nil {
		settleTaskQuestion(v, change, own.Question.ApprovalID, m.now, func(a *domain.Approval) { a.Status = domain.ApprovalStatusStale })
	}
	if own.Question = nil; r.Asks != nil {
		own.Question = &domain.TaskQuestion{ApprovalID: r.ApprovalID, Key: r.Asks.Key}
		openTaskQuestion(v, change, own, r.Asks, r.Response, m.now)
	}
	own.UpdatedAt = m.now
	own.SetDue(m.now)
	addTask(change, own)
	return nil
}

// openTaskQuestion adds the approval of what a task asks, which t names already.
func openTaskQuestion(
	v *domain.View, change *domain.Change, t *domain.Task, asks *domain.TaskAsks, response json.RawMessage, now time.Time,
) {
	deadline := t.Deadline
	name := visible.Line(asks.From)
	a := &domain.Approval{
		ID: t.Question.ApprovalID, WorkspaceID: t.WorkspaceID, SessionID: t.SessionID, RoundID: v.Session.State.RoundID,
		Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen, Module: asks.Module, ResponseSchema: response,
		CreatedAt: now, ExpiresAt: &deadline, OnExpiry: "deny",
		Actions: []domain.ApprovalAction{{ID: t.ExecutionID, Command: t.Command, Params: json.RawMessage("{}"), Text: t.Command}},
		Reasons: []domain.ApprovalReason{domain.ReasonOf(domain.LevelConnector, t.ConnectorID, domain.Say(
			"The server of the connector %s asks this in the middle of its work, and gets the answer.",
			"Le serveur du connecteur %s le demande au cours de son travail, et reçoit la réponse.", name), v.Workspace.Settings.Language)},
	}
	change.Approvals = append(change.Approvals, a)
	change.Emit(domain.LogEvent{SessionID: t.SessionID, Type: domain.LogApprovalRequested, Approval: a})
}

// settleTaskQuestion settles the approval of what a task asks, if it is open still.
func settleTaskQuestion(v *domain.View, change *domain.Change, id string, now time.Time, how func(*domain.Approval)) {
	for _, a := range v.Open {
		if a.ID == id && a.Status == domain.ApprovalStatusOpen {
			own := *a
			own.SettledAt = &now
			how(&own)
			change.Approvals = append(change.Approvals, &own)
			change.Emit(domain.LogEvent{SessionID: own.SessionID, Type: domain.LogApprovalSettled, Approval: &own})
		}
	}
}

// askingTask is the task that asks by an approval; nil: it is the session that asks.
func askingTask(v *domain.View, approval *domain.Approval) *domain.Task {
	for _, t := range v.Tasks {
		if t.Question != nil && t.Question.ApprovalID == approval.ID {
			return t
		}
	}
	return nil
}

// answerTask stores a person's answer for the service of the task that asked, if there is one, and
// delivers it at once.
func (x *answering) answerTask(v *domain.View, change *domain.Change) {
	id, decision := x.decision.ApprovalID, x.decision
	if id == "" {
		return
	}
	t := askingTask(v, &domain.Approval{ID: id})
	if t == nil || len(t.Question.Answer) > 0 {
		return
	}
	now := change.At
	own := t.Clone()
	status := domain.ApprovalStatusApproved
	own.Question.Answer = decision.Value
	if decision.Cancelled || len(decision.Value) == 0 {
		status, own.Question.Answer = domain.ApprovalStatusRefused, json.RawMessage("null")
	}
	own.UpdatedAt = now
	own.SetDue(now)
	settleTaskQuestion(v, change, id, now, func(a *domain.Approval) {
		a.Status, a.SettledBy, a.Decision = status, decision.By.ID, x.recorded
	})
	addTask(change, own)
}
