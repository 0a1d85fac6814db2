package slot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// A run goes through by itself: it acts, says that it is done, and leaves its feedback.
func TestARunByHand(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		s.Scripted(`[
			{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Night"}}]}},
			{"when": {"roundtrip": 2}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {"summary": "done"}}]}}]`)
		order := s.Automation("nightly", "make a zone")
		r := s.Execute(order)
		if r.Result != domain.Activated || r.Session.Type != domain.Run {
			t.Fatalf("receipt %+v", r)
		}
		end := s.Until(r.Session.ID, "ended")
		if end.Str("end_reason") != "COMPLETED" || end.Str("trigger") != "MANUAL" || end.Str("automation_id") != order.ID {
			t.Errorf("it ended as %s", end.Body)
		}
		if zones := s.Call("GET", "/v1/zones", nil).Want(200); len(zones.List("data")) != 1 {
			t.Errorf("zones %s", zones.Body)
		}
		messages := s.Call("GET", "/v1/sessions/"+r.Session.ID+"/messages", nil).Want(200)
		list := messages.List("data")
		last, _ := list[len(list)-1].(map[string]any)["execution_metadata"].(map[string]any)
		if last["automation_id"] != order.ID || last["trigger"] != "MANUAL" {
			t.Errorf("the feedback is %v in %s", last, messages.Body)
		}
		if slot := s.Call("GET", "/v1/slot", nil).Want(200); slot.At("holder") != nil {
			t.Errorf("the slot is still held: %s", slot.Body)
		}
		s.Sound()
	})
}

// A chat takes the slot from a run in the middle of a call. The call continues, the run acts on its answer once the chat
// is inactive, and it does its action once.
func TestAChatPreemptsARun(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", `{"completion_confirmation_delay": "0s", "chat_eviction_after": "500ms"}`).Want(200)
		s.Scripted(`[
			{"when": {"contains": "work", "roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Once"}}]}},
			{"when": {"contains": "work", "roundtrip": 2}, "times": 1, "delay_ms": 1000, "answer": {"text": "Still at work."}},
			{"when": {"contains": "work"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Hello."}}]`)
		run := s.Execute(s.Automation("long", "work through the night")).Session.ID
		s.Phase(run, "CALLING_AI", 1)
		chat := s.Chat()
		events, _ := s.Listen("/v1/events")
		<-events // the snapshot: all later events are received
		began := time.Now()
		r := s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).Want(202)
		if r.At("session.holds_slot") != true {
			t.Errorf("the chat does not have the slot at once: %s", r.Body)
		}
		for e := range events {
			if e.Name == "slot.changed" && (&harness.Reply{T: t, Body: []byte(e.Data)}).Str("holder.id") == chat {
				break
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the chat waited %v for the slot", took)
		}
		if got := s.Call("GET", "/v1/sessions/"+run, nil).Want(200); got.Str("status") != "running" || got.At("holds_slot") != false {
			t.Errorf("the run is %s", got.Body)
		}
		if s.Settle(chat); s.LastText(chat) != "Hello." {
			t.Error("the chat was not answered")
		}
		end := s.Until(run, "ended") // once the chat is inactive
		if end.Str("end_reason") != "COMPLETED" {
			t.Errorf("the run ended as %s", end.Body)
		}
		if zones := s.Call("GET", "/v1/zones", nil).Want(200); len(zones.List("data")) != 1 {
			t.Errorf("the action ran %d times", len(zones.List("data")))
		}
		s.Sound()
	})
}

// Sessions that cannot get the slot are queued, first in, first out; a chat that may not pre-empt is first, and
// only one of them: the other waits behind all, and its explanation says so.
func TestTheQueue(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", `{"completion_confirmation_delay": "0s", "chat_preempts": false, "chat_eviction_after": "50ms"}`).Want(200)
		s.Scripted(`[
			{"when": {"contains": "first"}, "times": 1, "fault": {"hang": true}},
			{"when": {"contains": "run"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Hello."}}]`)
		var runs []string
		for i, name := range []string{"first run", "second run", "third run"} {
			r := s.Execute(s.Automation(name, name))
			if want := []string{domain.Activated, domain.Queued, domain.Queued}[i]; r.Result != want || r.Position != i {
				t.Fatalf("%s: %s at %d", name, r.Result, r.Position)
			}
			runs = append(runs, r.Session.ID)
		}
		s.Phase(runs[0], "CALLING_AI", 0)
		one, two := s.Chat(), s.Chat()
		for _, chat := range []string{one, two} {
			r := s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).Want(202)
			if r.Str("session.status") != "queued" || r.At("session.queue_position") != 1.0 || r.Str("message.status") != "queued" {
				t.Fatalf("the chat is %s", r.Body)
			}
		}
		queue := s.Call("GET", "/v1/queue", nil).Want(200)
		var order []string
		for _, row := range queue.List("data") {
			order = append(order, fmt.Sprint(row.(map[string]any)["session_id"]))
		}
		if want := []string{two, runs[1], runs[2], one}; !slices.Equal(order, want) {
			t.Errorf("the queue is %v, want %v", order, want)
		}
		if got := s.Call("GET", "/v1/sessions/"+one, nil).Want(200); got.Str("status") != "queued" || got.At("queue_position") != 4.0 {
			t.Errorf("the chat whose place was taken is %s", got.Body)
		}
		s.Sound()
		for _, chat := range []string{two, one} { // a message waits in each: they go on waiting, and say so
			if left := s.Call("DELETE", "/v1/queue/"+chat, nil).Want(200); left.Str("session.status") != "queued" {
				t.Errorf("a chat with a message that left its place is %s", left.Body)
			}
		}
		s.Sound()
		s.Call("DELETE", "/v1/queue/"+runs[2], nil).Want(200)
		if got := s.Call("GET", "/v1/sessions/"+runs[2], nil).Want(200); got.Str("end_reason") != "CANCELLED" {
			t.Errorf("a run that left the queue before it began is %s", got.Body)
		}
		s.Call("POST", "/v1/sessions/"+runs[0]+"/stop", nil).Want(200)
		s.Until(runs[1], "ended")
		for _, chat := range []string{one, two} {
			s.Phase(chat, "IDLE", 1) // answered
		}
		s.Sound()
	})
}

// A person who wants a run now does not wait until their chat counts as inactive: the chat
// gives the slot up, and comes back with its next message.
func TestAChatGivesTheSlotUp(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		s.Scripted("[" + harness.SaysDone + "]")
		chat := s.Chat()
		s.Say(chat, "hello")
		s.Settle(chat)
		id := s.MadeAutomation("Look at it.", nil).Str("id")
		run := s.Call("POST", "/v1/automations/"+id+"/execute", nil).Want(202)
		if run.Str("result") != "QUEUED" {
			t.Fatalf("beside a chat at rest: %s", run.Body)
		}
		released := s.Call("POST", "/v1/sessions/"+chat+"/release", nil).Want(200)
		if released.At("session.holds_slot") != false || released.Str("session.status") != "idle" {
			t.Errorf("the chat is %s", released.Body)
		}
		s.Until(run.Str("session.id"), "ended")
		s.Call("POST", "/v1/sessions/"+chat+"/release", nil).Want(200) // it has none: nothing happens
		if kept := s.Call("GET", "/v1/sessions/"+chat, nil).Want(200); kept.At("last_seq") != released.At("session.last_seq") {
			t.Errorf("giving up what it had not: %s", kept.Body)
		}
		s.Say(chat, "again")
		s.Settle(chat)
		s.Sound()
	})
}

// TestSettingsCountForWhoWaitsAlready: a setting that evicts idle chats sooner, or lets chats pre-empt runs again,
// takes effect before the next sweep.
func TestSettingsCountForWhoWaitsAlready(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
	s.Scripted(`[
		{"when": {"contains": "for long"}, "times": 1, "fault": {"hang": true}},
		{"when": {"contains": "Look"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
		{"answer": {"text": "Hello."}}]`)
	chat := s.Chat()
	s.Say(chat, "hello")
	s.Settle(chat)
	run := s.Execute(s.Automation("look", "Look at it."))
	if run.Result != domain.Queued {
		t.Fatalf("beside a chat at rest: %s", run.Result)
	}
	s.Call("PATCH", "/v1/settings", `{"chat_eviction_after": "0s"}`).Want(200)
	s.Until(run.Session.ID, "ended")

	s.Call("PATCH", "/v1/settings", `{"chat_preempts": false}`).Want(200)
	long := s.Execute(s.Automation("long", "Look for long."))
	s.Phase(long.Session.ID, "CALLING_AI", 0)
	if said := s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).Want(202); said.Str("session.status") != "queued" {
		t.Fatalf("the chat is %s", said.Body)
	}
	s.Call("PATCH", "/v1/settings", `{"chat_preempts": true}`).Want(200)
	s.Phase(chat, "IDLE", 2) // answered
	s.Sound()
}

// TestWhoWorksKeepsTheSlot: work, and a question to a person, are not given up by the way.
func TestWhoWorksKeepsTheSlot(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", `{"require_validation": true}`).Want(200)
	s.Scripted(`[{"answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Health"}}]}}]`)
	chat := s.Chat()
	s.Say(chat, "make a zone")
	s.Until(chat, "requires_action")
	s.Call("POST", "/v1/sessions/"+chat+"/release", nil).Problem(409, "session_busy")
	if kept := s.Call("GET", "/v1/sessions/"+chat, nil).Want(200); kept.At("holds_slot") != true || kept.Str("phase") != "WAITING_VALIDATION" {
		t.Errorf("the chat is %s", kept.Body)
	}
	s.Sound()
}

// A schedule fires by itself, each instant once, and what cannot start stays due until
// the slot is free.
func TestAScheduleFires(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		s.Scripted(`[
			{"when": {"contains": "scheduled"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Hello."}}]`)
		chat := s.Chat()
		s.Say(chat, "hello") // holds the slot
		at := time.Now().UTC().Add(1500 * time.Millisecond).Truncate(time.Second)
		order := s.Automation("once", "scheduled work", func(in *automation.NewAutomation) {
			in.Schedule = &automation.Schedule{Type: "once", Expression: at.Format("2006-01-02T15:04:05"), TimeZone: "UTC"}
		})
		occurrence := s.occurrence(order, automation.OccurrenceDue)
		if !occurrence.ScheduledAt.Equal(at) {
			t.Errorf("it is due for %v, want %v", occurrence.ScheduledAt, at)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/stop", nil).Want(200)
		occurrence = s.occurrence(order, automation.OccurrenceFired)
		end := s.Until(occurrence.SessionID, "ended")
		if end.Str("trigger") != "SCHEDULED" || end.Str("end_reason") != "COMPLETED" || end.Str("scheduled_execution_time") != at.Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("the run is %s", end.Body)
		}
		s.Sound()
	})
}

// occurrence waits until the only occurrence of an automation is in a state.
func (s *server) occurrence(order *automation.Automation, state automation.OccurrenceState) *automation.Occurrence {
	s.T.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		all, _, err := s.Parts.Store.Automations.Occurrences(s.T.Context(), order.WorkspaceID, automation.OccurrenceFilter{AutomationID: order.ID, Limit: 10})
		if err != nil {
			s.T.Fatal(err)
		}
		if len(all) == 1 && all[0].State == state {
			return all[0]
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("the occurrences are %+v, want one %s", all, state)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
