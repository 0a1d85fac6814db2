package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/scheduler"
)

// polled is a session whose task is asked for every second.
func (w *world) polled(kind domain.SessionType, phase domain.Phase) *domain.Session {
	s := w.session(kind, phase, "tsk_1")
	task := w.task("tsk_1")
	task.Poll, task.RemoteID = time.Second, "remote"
	task.SetDue(noon)
	w.ok(w.store.Commit(w.Context(), &domain.Change{WorkspaceID: ws, At: noon, Tasks: []*domain.Task{task}}))
	return s
}

// says is what the service answers from now on when it is asked: nothing new, or a question.
func (w *world) says(question string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = func() (domain.TaskReport, error) {
		r := domain.TaskReport{Status: domain.TaskRunning}
		if question != "" {
			r.Question = &domain.TaskAsks{Key: question, From: "Kitchen", Module: &domain.Module{Type: "Validation", Data: json.RawMessage(`{"message":"` + question + `"}`)}}
		}
		return r, nil
	}
}

// look has the task looked at once more, when it is due.
func (w *world) look() {
	w.Helper()
	w.pass(time.Minute)
	version := w.task("tsk_1").Version
	w.doDue()
	testkit.Until(w, "it was asked", func() bool { return w.task("tsk_1").Version >= version+2 })
}

func (w *world) asks() []*domain.Approval {
	w.Helper()
	all, _, err := w.store.Approvals.Approvals(w.Context(), ws, domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, Limit: 10})
	w.ok(err)
	return all
}

func (w *world) answers() *scheduler.Answers {
	return &scheduler.Answers{Door: w.door, Checks: anyAnswer{}, Store: struct {
		*repository.Store
		sessionReads
		*repository.ApprovalStore
		*repository.RecordStore
	}{w.store, w.store.Sessions, w.store.Approvals, w.store.Records}}
}

// anyAnswer fits whatever is asked.
type anyAnswer struct{ scheduler.AnswerChecks }

func (anyAnswer) CheckResponse(*domain.Module, json.RawMessage) error { return nil }

func (w *world) sessions() *scheduler.Sessions {
	return &scheduler.Sessions{Door: w.door, Store: struct {
		sessionReads
		automationReads
	}{w.store.Sessions, w.store.Automations}}
}

// shown: a person can be shown whatever does not say otherwise.
func shown(m *domain.Module) (*domain.Module, json.RawMessage, bool) {
	return m, json.RawMessage(`{"type":"boolean"}`), !strings.Contains(string(m.Data), "unshowable")
}

// TestATaskAsksAPerson verifies that a task's question is asked once, however often the task is polled, that the
// session continues meanwhile, and that the service receives the answer.
func TestATaskAsksAPerson(t *testing.T) {
	for _, c := range []struct {
		kind     domain.SessionType
		phase    domain.Phase
		answer   domain.Decision
		notified string
		status   domain.ApprovalStatus
	}{
		{domain.Chat, domain.Idle, domain.Decision{Value: json.RawMessage("true")}, "Raisins? true", domain.ApprovalStatusApproved},
		{domain.Run, domain.WaitingExternalResult, domain.Decision{Cancelled: true}, "Raisins? null", domain.ApprovalStatusRefused},
	} {
		w := newWorld(t)
		s := w.polled(c.kind, c.phase)
		w.says("Raisins?")
		w.look()
		w.look()
		all := w.asks()
		if len(all) != 1 || all[0].Kind != domain.ApprovalQuestion || all[0].SessionID != s.ID || !strings.Contains(all[0].Reasons[0].Text, "Kitchen") {
			t.Fatalf("asked are %+v", all)
		}
		if got := w.reread(s); got.Phase != c.phase || got.State.Waiting != nil && got.State.Waiting.ApprovalID != "" {
			t.Errorf("the session is %s, waits for %+v", got.Phase, got.State.Waiting)
		}
		w.sound()
		c.answer.By = domain.Author{ID: "key_ada", Role: domain.RoleMember}
		for range 2 {
			receipt, err := w.answers().AnswerApproval(t.Context(), ws, all[0].ID, c.answer)
			w.ok(err)
			if receipt.Approval == nil || receipt.Approval.Status != c.status || receipt.Approval.SettledBy != "key_ada" {
				t.Errorf("the answer gave %+v", receipt.Approval)
			}
		}
		other := domain.Decision{Value: json.RawMessage("false")}
		if _, err := w.answers().AnswerApproval(t.Context(), ws, all[0].ID, other); domain.ErrorCode(err) != domain.CodeValidationResolved {
			t.Errorf("another answer gave %v", err)
		}
		w.deaf = true
		version := w.task("tsk_1").Version
		w.doDue()
		// The attempt and the write of its result: otherwise the next poll races with the end of this one.
		testkit.Until(t, "it was tried", func() bool { return w.notifiedSoFar() == c.notified && w.task("tsk_1").Version >= version+2 })
		w.deaf = false
		w.look()
		if got := w.notifiedSoFar(); got != c.notified+", "+c.notified || w.task("tsk_1").Question != nil {
			t.Errorf("notified %s; asked still %+v", got, w.task("tsk_1").Question)
		}
		w.says("Nuts?")
		w.look()
		if all := w.asks(); len(all) != 1 || string(all[0].Module.Data) != `{"message":"Nuts?"}` {
			t.Errorf("then asked are %+v", all)
		}
		w.says("")
		w.look()
		if all := w.asks(); len(all) != 0 || w.task("tsk_1").Question != nil {
			t.Errorf("a withdrawn question is open: %+v", all)
		}
		w.sound()
	}
}

// TestAQuestionGoesWithItsTask: when it ends, is cancelled or expires, when its session ends; and not
// when a chat is spoken to.
func TestAQuestionGoesWithItsTask(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(w *world, s *domain.Session)
		status domain.ApprovalStatus
	}{
		"it ends": {func(w *world, _ *domain.Session) {
			_, err := w.report("tsk_1", domain.TaskSucceeded)
			w.ok(err)
		}, domain.ApprovalStatusStale},
		"it is cancelled": {func(w *world, _ *domain.Session) {
			_, err := w.service.CancelTask(w.Context(), ws, "tsk_1", domain.Author{})
			w.ok(err)
		}, domain.ApprovalStatusStopped},
		"it expires": {func(w *world, _ *domain.Session) {
			w.pass(2 * time.Hour)
			w.doDue()
		}, domain.ApprovalStatusExpired},
		"its session is stopped": {func(w *world, s *domain.Session) {
			_, err := w.sessions().StopSession(w.Context(), ws, s.ID, domain.Author{})
			w.ok(err)
		}, domain.ApprovalStatusStopped},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.polled(domain.Chat, domain.Idle)
			w.says("Raisins?")
			w.look()
			asked := w.asks()[0]
			c.end(w, s)
			got, err := w.store.Approvals.Approval(t.Context(), ws, asked.ID)
			w.ok(err)
			if got.Status != c.status || w.task("tsk_1").Question != nil {
				t.Errorf("the question is %s, want %s; the task asks %+v", got.Status, c.status, w.task("tsk_1").Question)
			}
			if _, err := w.answers().AnswerApproval(t.Context(), ws, asked.ID, domain.Decision{Value: json.RawMessage("true")}); domain.ErrorCode(err) != domain.CodeValidationResolved {
				t.Errorf("an answer then gave %v", err)
			}
			w.sound()
		})
	}
}

// TestWhatCannotBeShownIsDeclined verifies that no person is asked.
func TestWhatCannotBeShownIsDeclined(t *testing.T) {
	w := newWorld(t)
	w.polled(domain.Chat, domain.Idle)
	w.says("unshowable")
	w.look()
	if got := w.notifiedSoFar(); got != "unshowable null" || len(w.asks()) != 0 {
		t.Errorf("notified %s, asked %d", got, len(w.asks()))
	}
}

func (w *world) AnswerTask(_ context.Context, _ *domain.Task, key string, answer json.RawMessage) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notified = append(w.notified, key+" "+string(answer)); w.deaf {
		return errors.New("the service is away")
	}
	return nil
}
