package tasks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/scheduler"
)

func result(text string) func(*domain.TaskReport) {
	return func(r *domain.TaskReport) { r.Result = json.RawMessage(text) }
}

// TestARunWakesWithItsLastTask: it waits without the slot, and asks for it when the last
// task of its answer has ended, however that ended.
func TestARunWakesWithItsLastTask(t *testing.T) {
	w := newWorld(t)
	s := w.session(domain.Run, domain.WaitingExternalResult, "tsk_1", "tsk_2", "tsk_3")
	_, err := w.report("tsk_1", domain.TaskSucceeded, result(`"one"`))
	w.ok(err)
	_, err = w.report("tsk_2", domain.TaskFailed)
	w.ok(err)
	if got := w.reread(s); got.Phase != domain.WaitingExternalResult || got.QueuedAt != nil || got.HoldsSlot {
		t.Fatalf("with one task left: %s, queued %v, slot %v", got.Phase, got.QueuedAt, got.HoldsSlot)
	}
	_, err = w.service.CancelTask(t.Context(), ws, "tsk_3", domain.Author{Name: "Ada"})
	w.ok(err)
	if got := w.reread(s); got.QueuedAt == nil {
		t.Fatalf("after the last one it does not ask for the slot: %s", got.Phase)
	}
	if got := w.said(s); got != "EXTERNAL_RESULT SUCCESS one; EXTERNAL_RESULT FAILED; EXTERNAL_RESULT CANCELLED" {
		t.Errorf("it got %s", got)
	}
	_, err = w.door.Deliver(t.Context(), scheduler.EventRequest{Target: scheduler.Target{Workspace: ws, Session: s.ID}, Event: domain.SessionActivationRequested{}})
	w.ok(err)
	if got := w.reread(s); got.Phase != domain.CallingAI || !got.HoldsSlot {
		t.Errorf("with the slot: %s", got.Phase)
	}
	w.sound()
}

// TestAChatIsNotifiedWhenItRests: a late result begins a round of its own.
func TestAChatIsNotifiedWhenItRests(t *testing.T) {
	w := newWorld(t)
	s := w.session(domain.Chat, domain.Idle, "tsk_1")
	done, err := w.report("tsk_1", domain.TaskSucceeded, result(`{"film":"1.mp4"}`))
	w.ok(err)
	if done.Status != domain.TaskSucceeded || done.EndedAt == nil {
		t.Errorf("the task: %+v", done)
	}
	if got := w.reread(s); got.State.PendingCause != domain.CauseExternalResult || got.QueuedAt == nil {
		t.Fatalf("it does not ask for a round: %+v", got.State)
	}
	x, err := w.store.Records.TaskExecution(t.Context(), w.task("tsk_1"))
	w.ok(err)
	if got := w.said(s); got != `EXTERNAL_RESULT SUCCESS {"film":"1.mp4"}` {
		t.Errorf("it got %s (its call: %s)", got, x.Status)
	}
	w.sound()
}

// TestWhatIsSaidTwice changes nothing; what is said otherwise is refused, and kept.
func TestWhatIsSaidTwice(t *testing.T) {
	w := newWorld(t)
	s := w.session(domain.Chat, domain.Idle, "tsk_1", "tsk_2")
	same := func(r *domain.TaskReport) { r.ID = "evt_same" }
	for range 3 {
		_, err := w.report("tsk_1", domain.TaskSucceeded, same)
		w.ok(err)
	}
	_, err := w.report("tsk_1", domain.TaskSucceeded) // another message, the same end
	w.ok(err)
	for range 2 {
		if _, err := w.report("tsk_1", domain.TaskFailed); domain.ErrorCode(err) != domain.CodeTaskOver {
			t.Errorf("another end gave %v", err)
		}
	}
	if _, err := w.report("tsk_1", domain.TaskRunning); err != nil {
		t.Errorf("progress that was slower than the end gave %v", err)
	}
	if got := w.task("tsk_1"); got.Status != domain.TaskSucceeded || got.Late == nil || got.Late.Status != domain.TaskFailed {
		t.Errorf("the task: %s, late %+v", got.Status, got.Late)
	}
	_, err = w.service.CancelTask(t.Context(), ws, "tsk_2", domain.Author{})
	w.ok(err)
	if _, err := w.report("tsk_2", domain.TaskRunning); domain.ErrorCode(err) != domain.CodeTaskOver {
		t.Errorf("progress of what was cancelled gave %v", err)
	}
	if _, err := w.service.CancelTask(t.Context(), ws, "tsk_1", domain.Author{}); domain.ErrorCode(err) != domain.CodeTaskOver {
		t.Errorf("a cancellation of what had ended gave %v", err)
	}
	_, err = w.service.CancelTask(t.Context(), ws, "tsk_2", domain.Author{})
	w.ok(err)
	if got := w.said(s); got != "EXTERNAL_RESULT SUCCESS It succeeded, and gave nothing back.; EXTERNAL_RESULT CANCELLED" {
		t.Errorf("it got %s", got)
	}
	w.sound()
}

// TestManyWhoSayTheSame at once are one.
func TestManyWhoSayTheSame(t *testing.T) {
	w := newWorld(t)
	s := w.session(domain.Chat, domain.Idle, "tsk_1")
	var all sync.WaitGroup
	var mu sync.Mutex
	count := map[domain.Code]int{}
	for i := range 12 {
		all.Go(func() {
			status := domain.TaskSucceeded
			if i%2 == 1 {
				status = domain.TaskFailed
			}
			_, err := w.report("tsk_1", status)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				count[""]++
			} else {
				count[domain.ErrorCode(err)]++
			}
		})
	}
	all.Wait()
	if count[""] != 6 || count[domain.CodeTaskOver] != 6 {
		t.Errorf("of 12 who said one of two ends: %v", count)
	}
	if got := w.said(s); got != "EXTERNAL_RESULT SUCCESS It succeeded, and gave nothing back." && got != "EXTERNAL_RESULT FAILED" {
		t.Errorf("it got %s", got)
	}
	w.sound()
}

// TestProgressIsStoredOnceASecond, the latest of it too.
func TestProgressIsStoredOnceASecond(t *testing.T) {
	w := newWorld(t)
	w.session(domain.Chat, domain.Idle, "tsk_1")
	before := w.task("tsk_1").Version
	for i := range 1000 {
		_, err := w.report("tsk_1", domain.TaskRunning, func(r *domain.TaskReport) { r.Progress = &domain.TaskProgress{Text: fmt.Sprint(i)} })
		w.ok(err)
	}
	if got := w.task("tsk_1"); got.Version != before+1 || got.Progress.Text != "0" {
		t.Errorf("after a thousand reports: %d writes, %q", got.Version-before, got.Progress.Text)
	}
	w.pass(time.Second)
	testkit.Until(t, "the latest is stored", func() bool { return w.task("tsk_1").Progress.Text == "999" })
	if got := w.task("tsk_1"); got.Version != before+2 {
		t.Errorf("in the end: %d writes", got.Version-before)
	}
}

// TestATaskExpires verifies that a task expires at its deadline, and that its session and its service are notified.
func TestATaskExpires(t *testing.T) {
	w := newWorld(t)
	s := w.session(domain.Chat, domain.Idle, "tsk_1")
	w.pass(59 * time.Minute)
	w.doDue()
	if got := w.task("tsk_1"); got.Status != domain.TaskRunning {
		t.Fatalf("before its deadline: %s", got.Status)
	}
	w.pass(time.Minute)
	w.doDue() // it ends
	w.doDue() // and is notified
	testkit.Until(t, "the service is notified", func() bool { return w.task("tsk_1").Owed == "" })
	if got := w.task("tsk_1"); got.Status != domain.TaskExpired || got.DueAt != nil || w.notifiedSoFar() != "tsk_1 expired" {
		t.Errorf("after its deadline: %s, due %v, notified %s", got.Status, got.DueAt, w.notifiedSoFar())
	}
	if got := w.said(s); got != "EXTERNAL_RESULT FAILED" {
		t.Errorf("the session got %s", got)
	}
	if _, err := w.report("tsk_1", domain.TaskSucceeded, result(`"late"`)); domain.ErrorCode(err) != domain.CodeTaskOver {
		t.Errorf("a late end gave %v", err)
	}
	if got := w.task("tsk_1"); string(got.Late.Result) != `"late"` || w.said(s) != "EXTERNAL_RESULT FAILED" {
		t.Errorf("late: %+v, the session got %s", got.Late, w.said(s))
	}
	w.sound()
}

// TestAServiceThatIsAway verifies that an unreachable service is notified later, with a limited number of attempts.
func TestAServiceThatIsAway(t *testing.T) {
	w := newWorld(t)
	w.deaf = true
	w.session(domain.Chat, domain.Idle, "tsk_1")
	_, err := w.service.CancelTask(t.Context(), ws, "tsk_1", domain.Author{})
	w.ok(err)
	for tries := 1; w.task("tsk_1").Owed != ""; tries++ {
		w.doDue()
		testkit.Until(t, "it was tried", func() bool { return w.task("tsk_1").Tries == tries })
		if w.pass(3 * time.Hour); tries > 20 {
			t.Fatal("it is never given up")
		}
	}
	if got := w.task("tsk_1"); got.Tries != 8 || got.DueAt != nil {
		t.Errorf("after %d tries it is due at %v", got.Tries, got.DueAt)
	}
}

// TestStoppingEndsTasks verifies that stopping or deleting a session cancels its tasks in the same change, and that
// their services are notified.
func TestStoppingEndsTasks(t *testing.T) {
	w := newWorld(t)
	sessions := w.sessions()
	stopped := w.session(domain.Run, domain.WaitingExternalResult, "tsk_1", "tsk_2")
	deleted := w.session(domain.Chat, domain.Idle, "tsk_3")
	_, err := sessions.StopSession(t.Context(), ws, stopped.ID, domain.Author{})
	w.ok(err)
	w.ok(sessions.DeleteSession(t.Context(), ws, deleted.ID))
	for _, id := range []string{"tsk_1", "tsk_2", "tsk_3"} {
		if got := w.task(id); got.Status != domain.TaskCancelled || got.Owed != domain.OwedEnded {
			t.Errorf("%s: %s, owed %q", id, got.Status, got.Owed)
		}
	}
	w.sound()
	if _, err := w.report("tsk_1", domain.TaskSucceeded); domain.ErrorCode(err) != domain.CodeTaskOver {
		t.Errorf("an end after the stop gave %v", err)
	}
	if _, err := w.report("tsk_3", domain.TaskSucceeded); domain.ErrorCode(err) != domain.CodeTaskOver {
		t.Errorf("an end after the deletion gave %v", err)
	}
	if got := w.task("tsk_1"); got.Late == nil || w.said(stopped) != "" {
		t.Errorf("late: %v, the session got %s", got.Late, w.said(stopped))
	}
	w.doDue()
	testkit.Until(t, "the services are notified", func() bool {
		_, err := w.store.Tasks.Task(t.Context(), ws, "tsk_3")
		return w.task("tsk_1").Owed == "" && w.task("tsk_2").Owed == "" && domain.ErrorCode(err) == domain.CodeNotFound
	})
	w.sound()
}

// TestAServiceIsAsked where it does not call back: at its interval, and no more often.
func TestAServiceIsAsked(t *testing.T) {
	w := newWorld(t)
	s := w.session(domain.Chat, domain.Idle, "tsk_1")
	task := w.task("tsk_1")
	task.Poll, task.RemoteID = 10*time.Second, "remote"
	task.SetDue(noon)
	w.ok(w.store.Commit(t.Context(), &domain.Change{WorkspaceID: ws, At: noon, Tasks: []*domain.Task{task}}))
	answers := []func() (domain.TaskReport, error){
		func() (domain.TaskReport, error) { return domain.TaskReport{}, errors.New("away") },
		func() (domain.TaskReport, error) { return domain.TaskReport{Status: domain.TaskRunning}, nil },
		func() (domain.TaskReport, error) {
			return domain.TaskReport{Status: domain.TaskRunning, Progress: &domain.TaskProgress{Text: "half"}}, nil
		},
		func() (domain.TaskReport, error) {
			return domain.TaskReport{Status: domain.TaskSucceeded, Result: json.RawMessage(`"done"`)}, nil
		},
	}
	for i, answer := range answers {
		w.doDue() // not due yet
		w.pass(10 * time.Second)
		w.mu.Lock()
		w.answer = answer
		if w.asked != i {
			t.Errorf("asked %d times before the %d. interval was over", w.asked, i+1)
		}
		w.mu.Unlock()
		version := w.task("tsk_1").Version
		w.doDue()
		testkit.Until(t, "it was asked", func() bool { return w.task("tsk_1").Version >= version+2 })
	}
	if got := w.task("tsk_1"); got.Status != domain.TaskSucceeded || got.Progress.Text != "half" || got.DueAt != nil {
		t.Errorf("the task: %s %q, due %v", got.Status, got.Progress.Text, got.DueAt)
	}
	if got := w.said(s); got != "EXTERNAL_RESULT SUCCESS done" {
		t.Errorf("the session got %s", got)
	}
}

// TestTasksThatWaitAreLeftAlone: of a thousand, nothing is due before the first deadline, which is
// the next time that anybody looks.
func TestTasksThatWaitAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("tsk_%d", i)
	}
	w.session(domain.Chat, domain.Idle, names...)
	for _, after := range []time.Duration{0, time.Minute, time.Hour - time.Second} {
		work, err := w.store.Slot.DueWork(t.Context(), noon.Add(after), 100, false)
		w.ok(err)
		if len(work.Tasks)+len(work.Sessions) != 0 || !work.Next.Equal(noon.Add(time.Hour)) {
			t.Errorf("after %s: %d are due, the next at %s", after, len(work.Tasks), work.Next)
		}
	}
	work, err := w.store.Slot.DueWork(t.Context(), noon.Add(time.Hour), 100, false)
	w.ok(err)
	if len(work.Tasks) != 100 {
		t.Errorf("%d are due at their deadline, as many as are asked for", len(work.Tasks))
	}
}

// TestATaskIsLookedAtOnce of several nodes that find it due.
func TestATaskIsLookedAtOnce(t *testing.T) {
	w := newWorld(t)
	w.session(domain.Chat, domain.Idle, "tsk_1")
	_, err := w.service.CancelTask(t.Context(), ws, "tsk_1", domain.Author{})
	w.ok(err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { w.doDue() })
	}
	all.Wait()
	testkit.Until(t, "the service is notified", func() bool { return w.task("tsk_1").Owed == "" })
	if w.notifiedSoFar() != "tsk_1 cancelled" {
		t.Errorf("notified %s", w.notifiedSoFar())
	}
}

// TestADeletedConnectorHasNoSecrets verifies that a task of a deleted connector has no callback secrets, and that
// an unknown task is not found.
func TestADeletedConnectorHasNoSecrets(t *testing.T) {
	w := newWorld(t)
	w.session(domain.Chat, domain.Idle, "tsk_1")
	secrets, err := w.service.CallbackSecrets(t.Context(), "tsk_1")
	if err != nil || len(secrets) != 0 {
		t.Errorf("secrets %v, %v", secrets, err)
	}
	if _, err := w.service.CallbackSecrets(t.Context(), "tsk_none"); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("an unknown task gave %v", err)
	}
}
