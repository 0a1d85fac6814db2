package tasks

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestATaskOutlivesTheServer: a chat starts a task and rests; the server is restarted; the service's report then
// begins a new round.
func TestATaskOutlivesTheServer(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		studio := newStudio(t)
		s := newServer(t, db)
		s.connect(studio, "non_idempotent")
		s.Scripted(renders("Alps"))
		chat := s.Chat()
		rested := s.Say(chat, "Render the Alps.")
		o := studio.order(1)
		if rested.Str("phase") != "IDLE" || o.Command != "FILM.RENDER" || string(o.Params) != `{"title":"Alps"}` || o.Session.ID != chat {
			t.Fatalf("the chat is %s, the order %+v", rested.Str("phase"), o)
		}
		if task := s.task(o.TaskID); task.Str("status") != "running" || task.Str("session_id") != chat {
			t.Errorf("the task: %s", task.Body)
		}
		if status := studio.report(s.URL, o.TaskID, `{"status":"running","progress":{"percent":40,"text":"frame 40"}}`); status != 200 {
			t.Errorf("progress gave %d", status)
		}
		s.Sound()
		s.Stop()

		s = newServer(t, db)
		if status := studio.report(s.URL, o.TaskID, `{"status":"succeeded","result":{"film":"alps.mp4"}}`); status != 200 {
			t.Fatalf("the end gave %d", status)
		}
		testkit.Until(t, "the result was read", func() bool { return s.LastText(chat) == "Here it is." && s.Settle(chat).Str("phase") == "IDLE" })
		if got := s.Record(chat); !slices.Equal(got, []string{"USER", "AI", "ACTIONS_EXECUTED", "EXTERNAL_RESULT", "AI"}) {
			t.Errorf("the record: %v", got)
		}
		task := s.task(o.TaskID)
		if task.Str("status") != "succeeded" || task.Str("result.film") != "alps.mp4" || task.Str("progress.text") != "frame 40" {
			t.Errorf("in the end: %s", task.Body)
		}
		if studio.count() != 1 {
			t.Errorf("%d orders came", studio.count())
		}
		s.Sound()
	})
}

// TestARunWaitsForAllItsTasks without the slot, and completes when the last has ended.
func TestARunWaitsForAllItsTasks(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		studio := newStudio(t)
		s := newServer(t, db)
		s.connect(studio, "idempotent")
		s.Scripted(strings.Replace(renders("one", "two"), `{"text": "Here it is."}`, `{"calls": [{"name": "COMPLETE", "arguments": {}}]}`, 1))
		order := s.Automation("films", "Render two films.")
		run := s.Execute(order).Session.ID
		first, second := studio.order(1), studio.order(2)
		s.Phase(run, "WAITING_EXTERNAL_RESULT", 1)
		if slot := s.Call("GET", "/v1/slot", nil).Want(200); slot.At("holder") != nil {
			t.Errorf("the run waits with the slot: %s", slot.Body)
		}
		if status := studio.report(s.URL, second.TaskID, `{"status":"failed","error":"no tape"}`); status != 200 {
			t.Errorf("the first end gave %d", status)
		}
		s.Phase(run, "WAITING_EXTERNAL_RESULT", 1)
		if status := studio.report(s.URL, first.TaskID, `{"status":"succeeded","result":"one.mp4"}`); status != 200 {
			t.Errorf("the last end gave %d", status)
		}
		s.Until(run, "ended")
		got := s.Record(run)
		if n := strings.Count(strings.Join(got, " "), "EXTERNAL_RESULT"); n != 2 {
			t.Errorf("the record: %v", got)
		}
		s.Sound()
	})
}

// TestAServiceThatIsFasterThanItsAnswer: the end of the work comes before the server knows
// that it was taken. It is the result of the call itself.
func TestAServiceThatIsFasterThanItsAnswer(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		studio := newStudio(t)
		s := newServer(t, db)
		s.connect(studio, "non_idempotent")
		s.Scripted(renders("Alps"))
		studio.mu.Lock()
		studio.before = func(o order) {
			if status := studio.report(s.URL, o.TaskID, `{"status":"succeeded","result":"alps.mp4"}`); status != 200 {
				t.Errorf("the early end gave %d", status)
			}
		}
		studio.mu.Unlock()
		chat := s.Chat()
		s.Say(chat, "Render the Alps.")
		testkit.Until(t, "the chat to continue", func() bool { return s.LastText(chat) == "Here it is." })
		s.Settle(chat)
		if got := s.Record(chat); !slices.Equal(got, []string{"USER", "AI", "ACTIONS_EXECUTED", "AI"}) {
			t.Errorf("the record: %v", got)
		}
		s.Sound()
	})
}

// TestStoppingTellsTheService, and what it says afterwards is kept and changes nothing.
func TestStoppingTellsTheService(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		studio := newStudio(t)
		s := newServer(t, db)
		s.connect(studio, "non_idempotent")
		s.Scripted(renders("Alps"))
		chat := s.Chat()
		s.Say(chat, "Render the Alps.")
		o := studio.order(1)
		s.Call("POST", "/v1/sessions/"+chat+"/stop", nil).Want(200)
		if task := s.task(o.TaskID); task.Str("status") != "cancelled" {
			t.Errorf("after the stop: %s", task.Body)
		}
		testkit.Until(t, "the service to be notified", func() bool {
			studio.mu.Lock()
			defer studio.mu.Unlock()
			return slices.Contains(studio.cancelled, o.TaskID+" session_ended")
		})
		if status := studio.report(s.URL, o.TaskID, `{"status":"succeeded","result":"alps.mp4"}`); status != 409 {
			t.Errorf("a late end gave %d", status)
		}
		if task := s.task(o.TaskID); task.Str("status") != "cancelled" || task.Str("late.result") != "alps.mp4" {
			t.Errorf("in the end: %s", task.Body)
		}
		s.Sound()
	})
}

// TestAServiceThatRefuses: the task has failed, and the AI knows it at once.
func TestAServiceThatRefuses(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		studio := newStudio(t)
		studio.refuse = 422
		s := newServer(t, db)
		s.connect(studio, "non_idempotent")
		s.Scripted(renders("Alps"))
		chat := s.Chat()
		s.Say(chat, "Render the Alps.")
		o := studio.order(1)
		s.Settle(chat)
		if task := s.task(o.TaskID); task.Str("status") != "failed" {
			t.Errorf("the task: %s", task.Body)
		}
		s.Sound()
	})
}
