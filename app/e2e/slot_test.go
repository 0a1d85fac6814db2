package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/domain"
)

// standing makes an automation whose SEED is a text, at the door.
func (s *server) standing(name, seed string, change ...func(*domain.NewAutomation)) *domain.Automation {
	s.t.Helper()
	in := domain.NewAutomation{
		Name: name, Enabled: true, Misfire: domain.MisfireOnce, Overlap: domain.OverlapSkip, Completion: domain.CompletionAuto,
		Seed: domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: seed}}, LinearText: seed},
	}
	for _, c := range change {
		c(&in)
	}
	order, _, err := s.parts.Automations.CreateAutomation(s.t.Context(), domain.DefaultWorkspace, in)
	if err != nil {
		s.t.Fatalf("make the automation: %v", err)
	}
	return order
}

// execute starts a run by hand.
func (s *server) execute(order *domain.Automation) *domain.Receipt {
	s.t.Helper()
	r, err := s.parts.Runs.ExecuteAutomation(s.t.Context(), order.WorkspaceID, order.ID, "test")
	if err != nil {
		s.t.Fatalf("execute: %v", err)
	}
	return r
}

// until waits until a session is in a status, and gives it.
func (s *server) until(session string, status ...string) *reply {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		r := s.call("GET", "/v1/sessions/"+session, nil).want(200)
		if slices.Contains(status, r.str("status")) {
			return r
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the session is not %v: %s", status, r.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// sound checks that nothing is as it must not be.
func (s *server) sound() {
	s.t.Helper()
	for _, i := range s.call("GET", "/v1/admin/invariants", nil).want(200).list("data") {
		if row := i.(map[string]any); row["count"] != 0.0 {
			s.t.Errorf("invariant %s: %v (%s)", row["name"], row["count"], row["description"])
		}
	}
}

const quickRuns = `{"completion_confirmation_delay": "0s", "chat_eviction_after": "1h"}`

// A run goes through by itself: it acts, says that it is done, and leaves its feedback.
func TestARunByHand(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		s.scripted(`[
			{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Night"}}]}},
			{"when": {"roundtrip": 2}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {"summary": "done"}}]}}]`)
		order := s.standing("nightly", "make a zone")
		r := s.execute(order)
		if r.Result != domain.Activated || r.Session.Type != domain.Run {
			t.Fatalf("receipt %+v", r)
		}
		end := s.until(r.Session.ID, "ended")
		if end.str("end_reason") != "COMPLETED" || end.str("trigger") != "MANUAL" || end.str("automation_id") != order.ID {
			t.Errorf("it ended as %s", end.body)
		}
		if zones := s.call("GET", "/v1/zones", nil).want(200); len(zones.list("data")) != 1 {
			t.Errorf("zones %s", zones.body)
		}
		messages := s.call("GET", "/v1/sessions/"+r.Session.ID+"/messages", nil).want(200)
		list := messages.list("data")
		last, _ := list[len(list)-1].(map[string]any)["execution_metadata"].(map[string]any)
		if last["automation_id"] != order.ID || last["trigger"] != "MANUAL" {
			t.Errorf("the feedback is %v in %s", last, messages.body)
		}
		if slot := s.call("GET", "/v1/slot", nil).want(200); slot.at("holder") != nil {
			t.Errorf("the slot is still held: %s", slot.body)
		}
		s.sound()
	})
}

// A chat takes the slot from a run in the middle of a call. The run comes back by itself
// and does its action once.
func TestAChatPreemptsARun(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", `{"completion_confirmation_delay": "0s", "chat_eviction_after": "500ms"}`).want(200)
		s.scripted(`[
			{"when": {"contains": "work", "roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Once"}}]}},
			{"when": {"contains": "work", "roundtrip": 2}, "times": 1, "fault": {"hang": true}},
			{"when": {"contains": "work"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Hello."}}]`)
		run := s.execute(s.standing("long", "work through the night")).Session.ID
		s.phase(run, "CALLING_AI", 1)
		chat := s.chat()
		events, _ := s.listen("/v1/events")
		<-events // the snapshot: all that happens from here on is heard
		began := time.Now()
		r := s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).want(202)
		if r.at("session.holds_slot") != true {
			t.Errorf("the chat does not have the slot at once: %s", r.body)
		}
		for e := range events {
			if e.name == "slot.changed" && (&reply{t: t, body: []byte(e.data)}).str("holder.id") == chat {
				break
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the chat waited %v for the slot", took)
		}
		if got := s.call("GET", "/v1/sessions/"+run, nil).want(200); got.str("status") != "suspended" || got.str("end_reason") != "SUSPENDED" {
			t.Errorf("the run is %s", got.body)
		}
		if s.settle(chat); s.lastText(chat) != "Hello." {
			t.Error("the chat was not answered")
		}
		end := s.until(run, "ended") // once the chat is inactive
		if end.str("end_reason") != "COMPLETED" {
			t.Errorf("the run ended as %s", end.body)
		}
		if zones := s.call("GET", "/v1/zones", nil).want(200); len(zones.list("data")) != 1 {
			t.Errorf("the action ran %d times", len(zones.list("data")))
		}
		s.sound()
	})
}

// phase waits until a session is in a phase with so many answers behind it.
func (s *server) phase(session, phase string, roundtrips int) *reply {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		r := s.call("GET", "/v1/sessions/"+session, nil).want(200)
		if r.str("phase") == phase && r.at("total_roundtrips") == float64(roundtrips) {
			return r
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the session is not in %s after %d answers: %s", phase, roundtrips, r.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Who cannot have the slot stands in line, first in, first out; a chat that may not
// pre-empt stands first, and only one of them: the other waits behind all, and says so.
func TestTheQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", `{"completion_confirmation_delay": "0s", "chat_preempts": false, "chat_eviction_after": "50ms"}`).want(200)
		s.scripted(`[
			{"when": {"contains": "first"}, "times": 1, "fault": {"hang": true}},
			{"when": {"contains": "run"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Hello."}}]`)
		var runs []string
		for i, name := range []string{"first run", "second run", "third run"} {
			r := s.execute(s.standing(name, name))
			if want := []string{domain.Activated, domain.Queued, domain.Queued}[i]; r.Result != want || r.Position != i {
				t.Fatalf("%s: %s at %d", name, r.Result, r.Position)
			}
			runs = append(runs, r.Session.ID)
		}
		s.phase(runs[0], "CALLING_AI", 0)
		one, two := s.chat(), s.chat()
		for _, chat := range []string{one, two} {
			r := s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).want(202)
			if r.str("session.status") != "queued" || r.at("session.queue_position") != 1.0 || r.str("message.status") != "queued" {
				t.Fatalf("the chat is %s", r.body)
			}
		}
		queue := s.call("GET", "/v1/queue", nil).want(200)
		var order []string
		for _, row := range queue.list("data") {
			order = append(order, fmt.Sprint(row.(map[string]any)["session_id"]))
		}
		if want := []string{two, runs[1], runs[2], one}; !slices.Equal(order, want) {
			t.Errorf("the queue is %v, want %v", order, want)
		}
		if got := s.call("GET", "/v1/sessions/"+one, nil).want(200); got.str("status") != "queued" || got.at("queue_position") != 4.0 {
			t.Errorf("the chat whose place was taken is %s", got.body)
		}
		s.sound()
		for _, chat := range []string{two, one} { // a message waits in each: they go on waiting, and say so
			if left := s.call("DELETE", "/v1/queue/"+chat, nil).want(200); left.str("session.status") != "queued" {
				t.Errorf("a chat with a message that left its place is %s", left.body)
			}
		}
		s.sound()
		s.call("DELETE", "/v1/queue/"+runs[2], nil).want(200)
		if got := s.call("GET", "/v1/sessions/"+runs[2], nil).want(200); got.str("end_reason") != "CANCELLED" {
			t.Errorf("a run that left the queue before it began is %s", got.body)
		}
		s.call("POST", "/v1/sessions/"+runs[0]+"/stop", nil).want(200)
		s.until(runs[1], "ended")
		for _, chat := range []string{one, two} {
			s.phase(chat, "IDLE", 1) // answered
		}
		s.sound()
	})
}

// A person who wants a run now does not wait until their chat counts as inactive: the chat
// gives the slot up, and comes back with its next message.
func TestAChatGivesTheSlotUp(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		s.scripted("[" + saysDone + "]")
		chat := s.chat()
		s.say(chat, "hello")
		s.settle(chat)
		id := s.madeAutomation("Look at it.", nil).str("id")
		run := s.call("POST", "/v1/automations/"+id+"/execute", nil).want(202)
		if run.str("result") != "QUEUED" {
			t.Fatalf("beside a chat at rest: %s", run.body)
		}
		released := s.call("POST", "/v1/sessions/"+chat+"/release", nil).want(200)
		if released.at("session.holds_slot") != false || released.str("session.status") != "idle" {
			t.Errorf("the chat is %s", released.body)
		}
		s.until(run.str("session.id"), "ended")
		s.call("POST", "/v1/sessions/"+chat+"/release", nil).want(200) // it has none: nothing happens
		if kept := s.call("GET", "/v1/sessions/"+chat, nil).want(200); kept.at("last_seq") != released.at("session.last_seq") {
			t.Errorf("giving up what it had not: %s", kept.body)
		}
		s.say(chat, "again")
		s.settle(chat)
		s.sound()
	})
}

// TestWhoWorksKeepsTheSlot: work, and a question to a person, are not given up by the way.
func TestWhoWorksKeepsTheSlot(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	s.call("PATCH", "/v1/settings", `{"require_validation": true}`).want(200)
	s.scripted(`[{"answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Health"}}]}}]`)
	chat := s.chat()
	s.say(chat, "make a zone")
	s.until(chat, "requires_action")
	s.call("POST", "/v1/sessions/"+chat+"/release", nil).problem(409, "session_busy")
	if kept := s.call("GET", "/v1/sessions/"+chat, nil).want(200); kept.at("holds_slot") != true || kept.str("phase") != "WAITING_VALIDATION" {
		t.Errorf("the chat is %s", kept.body)
	}
	s.sound()
}

// A schedule fires by itself, each instant once, and what cannot start stays due until
// the slot is free.
func TestAScheduleFires(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		s.scripted(`[
			{"when": {"contains": "scheduled"}, "answer": {"calls": [{"name": "COMPLETE", "arguments": {}}]}},
			{"answer": {"text": "Hello."}}]`)
		chat := s.chat()
		s.say(chat, "hello") // holds the slot
		at := time.Now().UTC().Add(1500 * time.Millisecond).Truncate(time.Second)
		order := s.standing("once", "scheduled work", func(in *domain.NewAutomation) {
			in.Schedule = &domain.Schedule{Type: "once", Expression: at.Format("2006-01-02T15:04:05"), TimeZone: "UTC"}
		})
		occurrence := s.occurrence(order, domain.OccurrenceDue)
		if !occurrence.ScheduledAt.Equal(at) {
			t.Errorf("it is due for %v, want %v", occurrence.ScheduledAt, at)
		}
		s.call("POST", "/v1/sessions/"+chat+"/stop", nil).want(200)
		occurrence = s.occurrence(order, domain.OccurrenceFired)
		end := s.until(occurrence.SessionID, "ended")
		if end.str("trigger") != "SCHEDULED" || end.str("end_reason") != "COMPLETED" || end.str("scheduled_execution_time") != at.Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("the run is %s", end.body)
		}
		s.sound()
	})
}

// occurrence waits until the only occurrence of an automation is in a state.
func (s *server) occurrence(order *domain.Automation, state domain.OccurrenceState) *domain.Occurrence {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		all, _, err := s.parts.Store.Automations.Occurrences(s.t.Context(), order.WorkspaceID, domain.OccurrenceFilter{AutomationID: order.ID, Limit: 10})
		if err != nil {
			s.t.Fatal(err)
		}
		if len(all) == 1 && all[0].State == state {
			return all[0]
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the occurrences are %+v, want one %s", all, state)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
