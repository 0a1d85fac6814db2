package orchestrator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// TestAServiceTakesWorkOn verifies that the task of a long-running action is stored before the action is sent, that the
// call names it with its deadline, and that it has the handle that the service returned.
func TestAServiceTakesWorkOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		out := withOutside(w)
		out.deadline = time.Hour
		out.answer = func(_ context.Context, call outside.Call, _ int) (outside.Result, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.tasks) != 1 || w.tasks[0].ID != call.TaskID || !w.tasks[0].Deadline.Equal(call.Deadline) || w.tasks[0].ExecutionID != call.ExecutionID {
				t.Errorf("the call names %q by %s, stored are %+v", call.TaskID, call.Deadline, w.tasks)
			}
			return outside.Result{Task: &outside.TaskHandle{ID: "job_7"}}, nil
		}
		w.model.calls("SHOP_PAY", `{"n":1}`, "CREATE_ZONE", `{"name":"Behind"}`)
		w.model.text("It goes on.")
		w.say("pay")
		if s := w.rest(); s.Phase != domain.Idle || len(w.tasks) != 1 || out.called() != 1 {
			t.Fatalf("%s after %d calls, with %+v", s.Phase, out.called(), w.tasks)
		}
		if task := w.tasks[0]; task.RemoteID != "job_7" || task.Status != domain.TaskRunning || task.Attempts != 1 {
			t.Errorf("the task is %+v", task)
		}
		for command, want := range map[string]domain.ExecutionStatus{"SHOP.PAY": domain.ExecPending, "CREATE_ZONE": domain.ExecSuccess} {
			if x := w.executed(command)[0]; x.Status != want {
				t.Errorf("%s is %s, want %s", command, x.Status, want)
			}
		}
	})
}

// TestACallThatNeedsAPersonStopsTheSeries verifies that a sign-in is requested of a person before the call has an outcome,
// and that the actions behind it wait.
func TestACallThatNeedsAPersonStopsTheSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		out := withOutside(w)
		out.answer = func(context.Context, outside.Call, int) (outside.Result, error) {
			return outside.Result{}, &outside.Error{Fault: outside.FaultSignIn, Message: "Sign in."}
		}
		w.model.calls("SHOP_PAY", `{"n":1}`, "CREATE_ZONE", `{"name":"Behind"}`)
		w.say("pay")
		s := w.rest()
		if s.Phase != domain.WaitingValidation || s.State.Waiting.Kind != domain.WaitOutside || out.called() != 1 {
			t.Fatalf("%s, %+v after %d calls", s.Phase, s.State.Waiting, out.called())
		}
		if pay, behind := w.executed("SHOP.PAY")[0], w.executed("CREATE_ZONE")[0]; pay.Status.Final() || behind.Status.Final() {
			t.Errorf("they are %s and %s", pay.Status, behind.Status)
		}
	})
}
