package slot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// words are the server's messages of one type to the AI.
func (s *server) words(session string, kind domain.SystemType) string {
	s.T.Helper()
	var all []string
	for _, m := range s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200).List("data") {
		if system, ok := m.(map[string]any)["system_message"].(map[string]any); ok && system["type"] == string(kind) {
			all = append(all, fmt.Sprint(system))
		}
	}
	return strings.Join(all, "\n")
}

// A run cannot ask: its questions and requests for approval are dropped, and the AI is informed. It continues after
// actions and after plain text, until it completes.
func TestARunGoesOnByItself(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.learns(lesson("alone",
			saying{calls: [][2]string{{"ASK_USER", `{"type": "Text", "data": {"question": "Which one?"}}`}}},
			act("CREATE_ZONE", `{"name": "One", "validation_request": true}`),
			saying{say: "That was it, I think."},
			saying{calls: [][2]string{{"ZONES", `{}`}, {"COMPLETE", `{}`}}},
			saying{calls: [][2]string{{"CREATE_ZONE", `{"name": "Two"}`}, {"COMPLETE", `{}`}}}))
		run := s.start(s.order("alone"))
		r := s.comes(run, "COMPLETED")
		if r.Str("end_reason") != "COMPLETED" || r.At("total_roundtrips") != 5.0 {
			t.Errorf("it ended as %s", r.Body)
		}
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS", "CREATE_ZONE SUCCESS"}) {
			t.Errorf("it did %v", got)
		}
		words := s.words(run, domain.SystemGuidance)
		for _, part := range []string{"Nobody can answer", "Go on with the task"} {
			if !strings.Contains(words, part) {
				t.Errorf("the AI was not informed of %q: %s", part, words)
			}
		}
		if !strings.Contains(s.words(run, domain.SystemDataAdded), "finish first") {
			t.Errorf("the AI was not asked to finish first: %v", s.Record(run))
		}
		want := []string{"USER", "AI", "GUIDANCE", "AI", "ACTIONS_EXECUTED", "AI", "GUIDANCE", "AI", "DATA_ADDED", "AI", "ACTIONS_EXECUTED"}
		if record := s.Record(run); !slices.Equal(record[:len(want)], want) || len(record) != len(want)+1 {
			t.Errorf("the record is %v", record)
		}
		s.Sound()
	})
}

// A run's completion is confirmed by a person if that is set, without the slot; else by the timer, unless a person
// is faster. A rejection with a comment continues the run.
func TestWhoConfirmsThatARunIsDone(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.learns(lesson("confirm", done()), lesson("More, please", zone("More"), done()), lesson("other", done()))
		run := s.start(s.order("confirm", harness.Confirmed))
		if r := s.comes(run, "WAITING_COMPLETION_CONFIRMATION"); r.Str("status") != "requires_action" || r.At("holds_slot") != false {
			t.Errorf("it waits as %s", r.Body)
		}
		s.comes(s.start(s.order("other")), "COMPLETED") // the slot was free
		if card := s.Card(); card.Str("kind") != "completion" {
			t.Errorf("the card is %s", card.Body)
		}
		s.decide(map[string]any{"confirmed": false, "comment": "More, please"})
		s.goesTo(run, "its second end", func(r *harness.Reply) bool {
			return r.At("total_roundtrips") == 3.0 && r.Str("status") == "requires_action"
		})
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS"}) {
			t.Errorf("it did %v", got)
		}
		s.Call("POST", "/v1/sessions/"+run+"/completion", map[string]any{"confirmed": true}).Want(200)
		if r := s.comes(run, "COMPLETED"); r.Str("end_reason") != "COMPLETED" {
			t.Errorf("it ended as %s", r.Body)
		}

		s.settings(map[string]any{"completion_confirmation_delay": "1h"})
		run = s.start(s.order("confirm"))
		if r := s.comes(run, "WAITING_COMPLETION_CONFIRMATION"); r.Str("status") != "waiting" || r.At("holds_slot") != true {
			t.Errorf("it waits as %s", r.Body)
		}
		s.Call("POST", "/v1/sessions/"+run+"/completion", map[string]any{"confirmed": false, "comment": "More, please"}).Want(200)
		s.goesTo(run, "its second end", func(r *harness.Reply) bool {
			return r.At("total_roundtrips") == 3.0 && r.Str("phase") == "WAITING_COMPLETION_CONFIRMATION"
		})
		s.Call("POST", "/v1/sessions/"+run+"/completion", map[string]any{"confirmed": true}).Want(200)
		s.comes(run, "COMPLETED")
		s.Sound()
	})
}

// A run that never ends is ended: after 20 answers, or when its budget is used up and a person rejects. With a new
// limit it continues.
func TestARunHasItsLimits(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		var many []saying
		for i := range 25 {
			many = append(many, zone(fmt.Sprintf("Zone %d", i)))
		}
		dear := act("CREATE_ZONE", `{"name": "Dear"}`)
		dear.cost = 0.9
		s.learns(lesson("endless", many...), lesson("dear", dear, dear, done()))
		endless := s.start(s.order("endless"))
		if r := s.comes(endless, "AWAITING_SESSION_CLOSURE"); r.At("total_roundtrips") != 20.0 || r.At("holds_slot") != true {
			t.Errorf("it closes as %s", r.Body)
		}
		// Its last state is shown for a while; a run that asks waits for that.
		order := s.order("dear", func(in *automation.NewAutomation) { in.Budgets.MaxCostPerSession = new(0.5) })
		no := s.start(order)
		if r := s.comes(endless, "COMPLETED"); r.Str("end_reason") != "LIMIT_REACHED" {
			t.Errorf("it ended as %s", r.Body)
		}
		if r := s.comes(no, "WAITING_BUDGET"); r.At("holds_slot") != false || r.Str("status") != "requires_action" {
			t.Errorf("it waits as %s", r.Body)
		}
		s.decide(map[string]any{"approved": false})
		s.comes(no, "AWAITING_SESSION_CLOSURE")
		yes := s.start(order) // behind the earlier run
		if r := s.comes(no, "COMPLETED"); r.Str("end_reason") != "LIMIT_REACHED" {
			t.Errorf("after a no it ended as %s", r.Body)
		}
		s.comes(yes, "WAITING_BUDGET")
		s.decide(map[string]any{"approved": true, "limit": 5})
		if r := s.comes(yes, "COMPLETED"); r.Str("end_reason") != "COMPLETED" {
			t.Errorf("after an approval it ended as %s", r.Body)
		}
		s.Sound()
	})
}

// A run that waits for a person releases the slot. The person's answer is kept while another session has the slot,
// and carried out in turn.
func TestAParkedRunFreesTheSlot(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		slow := saying{say: "Thinking.", wait: 60_000}
		s.learns(lesson("parks", zone("Mine"), done()), lesson("slow", slow), lesson("chat", saying{say: "Hello."}))
		parked := s.start(s.order("parks", harness.Guarded))
		s.comes(parked, "WAITING_VALIDATION")
		chat := s.Chat()
		if r := s.Say(chat, "chat"); r.Str("phase") != "IDLE" {
			t.Fatalf("the chat: %s", r.Body)
		}
		s.settings(map[string]any{"chat_eviction_after": "0s"})
		other := s.start(s.order("slow"))
		s.comes(other, "CALLING_AI")
		answer := s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": true}).Want(200)
		if answer.Str("approval.status") != "approved" || answer.Str("session.status") != "queued" || answer.Str("session.phase") != "WAITING_VALIDATION" {
			t.Errorf("answered: %s", answer.Body)
		}
		queue := s.Call("GET", "/v1/queue", nil).Want(200)
		if queue.Str("data.0.session_id") != parked || queue.Str("data.0.reason") != "RESUME" {
			t.Errorf("the queue: %s", queue.Body)
		}
		s.Call("POST", "/v1/sessions/"+other+"/stop", nil).Want(200)
		s.comes(parked, "COMPLETED")
		if got := s.ran(parked); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS"}) {
			t.Errorf("it did %v", got)
		}
		s.Sound()
	})
}

// The watchdog ends a run in which nothing happens, and one that works for too long.
func TestTheWatchdog(t *testing.T) {
	for name, c := range map[string]struct {
		limit   string
		sayings []saying
	}{
		"nothing happens":   {"max_inactivity", []saying{{fault: `{"hang": true}`}}},
		"it works too long": {"max_active_duration", []saying{{say: "One.", wait: 90}, {say: "Two.", wait: 90}, {say: "Three.", wait: 90}, {say: "Four.", wait: 90}, {say: "Five.", wait: 10_000}}},
	} {
		t.Run(name, func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				s := newServer(t, db)
				s.learns(lesson("watched", c.sayings...))
				s.settings(map[string]any{c.limit: "300ms"})
				run := s.start(s.order("watched"))
				if r := s.comes(run, "AWAITING_SESSION_CLOSURE"); r.Str("waiting_context.reason") != "TIMEOUT" {
					t.Errorf("it closes as %s", r.Body)
				}
				if record := s.Record(run); !slices.Contains(record, "SESSION_TIMEOUT") {
					t.Errorf("the record is %v", record)
				}
				s.WasCut(run)
			})
		})
	}
}

// A provider that is down is called again, no sooner than it requests. With requeue_after_3 the run goes to the back
// of the queue after three calls, until a person resumes it or its time comes.
func TestARunWaitsForTheNetwork(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		away := saying{fault: `{"class": "network", "message": "away"}`, times: 2}
		busy := saying{fault: `{"class": "rate_limited", "message": "busy", "retry_after_seconds": 0.4}`, times: 1}
		s.learns(lesson("network", away, busy, done()),
			lesson("requeue", saying{fault: away.fault, times: 3}, done()), lesson("other", done()))
		s.settings(map[string]any{"network_retry": map[string]any{"delays": []string{"10ms"}}})
		run := s.start(s.order("network"))
		if r := s.comes(run, "COMPLETED"); r.Str("end_reason") != "COMPLETED" {
			t.Errorf("it ended as %s", r.Body)
		}
		var ends, starts []time.Time
		for _, line := range s.Call("GET", "/v1/sessions/"+run+"/timeline?limit=200", nil).List("data") {
			if call, ok := line.(map[string]any)["roundtrip"].(map[string]any); ok {
				ends = append(ends, instant(t, call["ended_at"]))
				starts = append(starts, instant(t, call["started_at"]))
			}
		}
		if len(starts) != 4 || starts[3].Sub(ends[2]) < 400*time.Millisecond || starts[2].Sub(ends[1]) > 300*time.Millisecond {
			t.Errorf("calls from %v to %v", starts, ends)
		}

		s.settings(map[string]any{"network_retry": map[string]any{"policy": "requeue_after_3", "delays": []string{"10ms"}}})
		run = s.start(s.order("requeue"))
		r := s.goesTo(run, "giving up", func(r *harness.Reply) bool { return r.Str("end_reason") == "NETWORK_ERROR" })
		if r.Str("phase") != "WAITING_NETWORK_RETRY" || r.At("holds_slot") != false {
			t.Errorf("it went back to the queue as %s", r.Body)
		}
		queue := s.Call("GET", "/v1/queue", nil).Want(200)
		if queue.Str("data.0.session_id") != run {
			t.Fatalf("the queue: %s", queue.Body)
		}
		if early := instant(t, queue.At("data.0.not_before")); early.Sub(time.Now()) < 50*time.Second {
			t.Errorf("it comes back at %s", early)
		}
		s.comes(s.start(s.order("other")), "COMPLETED") // although a session is queued
		s.Call("POST", "/v1/sessions/"+run+"/retry", nil).Want(200)
		if r := s.comes(run, "COMPLETED"); r.Str("end_reason") != "COMPLETED" {
			t.Errorf("asked for by hand it ended as %s", r.Body)
		}
		s.Sound()
	})
}

func instant(t *testing.T, text any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A stop ends a run in each of its waits, at once and permanently: its approvals are settled, the slot is free, and
// its duration and cost are recorded.
func TestARunIsStoppedInEachWait(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		dear := zone("Dear")
		dear.cost = 2
		s.learns(lesson("asks", zone("One")), lesson("spends", dear, done()), lesson("confirm", done()),
			lesson("away", saying{fault: `{"class": "network", "message": "away"}`}), lesson("hangs", saying{fault: `{"hang": true}`}))
		s.settings(map[string]any{"network_retry": map[string]any{"delays": []string{"1h"}}, "completion_confirmation_delay": "1h"})
		spends := func(in *automation.NewAutomation) { in.Budgets.MaxCostPerSession = new(1.0) }
		for _, c := range []struct {
			phase, word string
			change      func(*automation.NewAutomation)
		}{
			{"WAITING_VALIDATION", "asks", harness.Guarded}, {"WAITING_BUDGET", "spends", spends}, {"WAITING_COMPLETION_CONFIRMATION", "confirm", harness.Confirmed},
			{"WAITING_COMPLETION_CONFIRMATION", "confirm", func(*automation.NewAutomation) {}}, {"WAITING_NETWORK_RETRY", "away", harness.Guarded}, {"CALLING_AI", "hangs", harness.Guarded},
		} {
			run := s.start(s.order(c.word, c.change))
			s.comes(run, c.phase)
			r := s.Call("POST", "/v1/sessions/"+run+"/stop", nil).Want(200)
			if r.Str("session.phase") != "COMPLETED" || r.Str("session.end_reason") != "CANCELLED" {
				t.Errorf("%s: %s", c.phase, r.Body)
			}
			if open := s.Call("GET", "/v1/approvals?status=open", nil).List("data"); len(open) != 0 {
				t.Errorf("%s: open %v", c.phase, open)
			}
			if slot := s.Call("GET", "/v1/slot", nil); slot.At("holder") != nil {
				t.Errorf("%s: the slot %s", c.phase, slot.Body)
			}
			s.Call("POST", "/v1/sessions/"+run+"/resume", nil).Want(409)
			messages := s.Call("GET", "/v1/sessions/"+run+"/messages?limit=200", nil).List("data")
			if _, ok := messages[len(messages)-1].(map[string]any)["execution_metadata"].(map[string]any); !ok {
				t.Errorf("%s: its duration is not recorded", c.phase)
			}
		}
		s.Sound()
	})
}
