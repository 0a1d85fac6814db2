package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
)

// The main job, on both databases and in both protocols: a chat that changes real
// data, asks before, and says what it did.
func TestTheFirstConversation(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		for _, protocol := range []string{"native", "json"} {
			t.Run(protocol, func(t *testing.T) {
				s := newServer(t, freshCopy(t, db))
				s.call("POST", "/v1/providers", map[string]any{
					"name": "Demo", "kind": "demo", "is_default": true, "config": map[string]any{"protocol": protocol, "word_delay_ms": 0},
				}).want(201)
				s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
				chat := s.chat()
				events, _ := s.listen("/v1/sessions/" + chat + "/events?after=0")

				r := s.say(chat, "create a zone Health")
				if r.str("phase") != "WAITING_VALIDATION" || r.str("status") != "requires_action" {
					t.Fatalf("it did not ask: %s", r.body)
				}
				if n := len(s.call("GET", "/v1/zones", nil).want(200).list("data")); n != 0 {
					t.Fatalf("%d zones exist before the yes", n)
				}
				approvals := s.call("GET", "/v1/approvals?status=open", nil).want(200)
				if got := approvals.str("data.0.actions.0.command"); got != "CREATE_ZONE" {
					t.Fatalf("the card is for %q: %s", got, approvals.body)
				}
				s.call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true}).want(200)
				if r := s.settle(chat); r.str("phase") != "IDLE" {
					t.Fatalf("it does not rest: %s", r.body)
				}
				zones := s.call("GET", "/v1/zones", nil).want(200)
				if len(zones.list("data")) != 1 || zones.str("data.0.name") != "Health" {
					t.Fatalf("the data did not change as approved: %s", zones.body)
				}
				record := s.record(chat)
				if slices.Contains(record, "VALIDATION_CANCELLED") || !slices.Contains(record, "ACTIONS_EXECUTED") {
					t.Errorf("the record is %v", record)
				}
				sawDataChange(t, s, events)
			})
		}
	})
}

// sawDataChange checks that the stream told of the phases in order, without a gap.
func sawDataChange(t *testing.T, s *server, events <-chan event) {
	t.Helper()
	var phases []string
	var last int64
	timeout := time.After(10 * time.Second)
	for {
		select {
		case e := <-events:
			if e.id != 0 && e.name != "snapshot" {
				if e.id <= last {
					t.Fatalf("event %d came after %d", e.id, last)
				}
				last = e.id
			}
			if e.name == "session.phase" {
				phase := (&reply{t: t, body: []byte(e.data)}).str("phase")
				phases = append(phases, phase)
				if phase == "IDLE" && len(phases) > 2 {
					if !slices.Contains(phases, "EXECUTING_ACTIONS") || !slices.Contains(phases, "CALLING_AI") {
						t.Errorf("the stream told of %v", phases)
					}
					return
				}
			}
		case <-timeout:
			t.Fatalf("the stream did not tell of the end; it told of %v", phases)
		}
	}
}

func TestTwoCommitsATurn(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[
			{"when": {"contains": "zones", "roundtrip": 1}, "answer": {"calls": [{"name": "ZONES", "arguments": {}}]}},
			{"when": {"contains": "make", "roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}]}},
			{"answer": {"text": "Here I am."}}]`)
		chat := s.chat()
		s.say(chat, "warm up") // takes the slot
		for _, c := range []struct {
			text string
			want int
		}{{"hello", 2}, {"which zones?", 3}, {"make a zone", 4}} {
			s.mu.Lock()
			s.commits = nil
			s.mu.Unlock()
			s.say(chat, c.text)
			s.mu.Lock()
			if len(s.commits) != c.want {
				t.Errorf("%q took %d commits, want %d", c.text, len(s.commits), c.want)
			}
			s.mu.Unlock()
		}
	})
}

func TestARefusalWithACommentGoesBackToTheAI(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		s.scripted(`[
			{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}, {"name": "CREATE_ZONE", "arguments": {"name": "Home"}}]}},
			{"when": {"contains": "not that name"}, "answer": {"text": "Then not."}},
			{"answer": {"text": "Done what you said."}}]`)
		chat := s.chat()
		s.say(chat, "make zones")
		s.call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": false, "comment": "not that name"}).want(200)
		s.settle(chat)
		if got := s.record(chat); !slices.Equal(got, []string{"USER", "AI", "VALIDATION_CANCELLED", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
		if n := len(s.call("GET", "/v1/zones", nil).list("data")); n != 0 {
			t.Errorf("%d zones were made against a no", n)
		}

		// A part of it: what was not approved is cancelled, and no failure.
		s.say(chat, "make them all the same")
		open := s.call("GET", "/v1/approvals?status=open", nil)
		second := open.str("data.0.actions.1.id")
		s.call("POST", "/v1/approvals/"+open.str("data.0.id"), map[string]any{"approved": true, "approved_ids": []string{second}}).want(200)
		s.settle(chat)
		zones := s.call("GET", "/v1/zones", nil)
		if len(zones.list("data")) != 1 || zones.str("data.0.name") != "Home" {
			t.Errorf("approved was Home alone: %s", zones.body)
		}
	})
}

func TestFiftyAnswersOneDecision(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).want(200)
		s.scripted(`[{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}]}}, {"answer": {"text": "Done."}}]`)
		chat := s.chat()
		s.say(chat, "make it")
		approval := s.call("GET", "/v1/approvals?status=open", nil).str("data.0.id")
		var wg sync.WaitGroup
		var mu sync.Mutex
		yes, no := map[int]int{}, map[int]int{}
		for i := range 50 {
			wg.Go(func() {
				answers := yes
				if i%2 == 1 {
					answers = no
				}
				r := s.call("POST", "/v1/approvals/"+approval, map[string]any{"approved": i%2 == 0})
				mu.Lock()
				defer mu.Unlock()
				answers[r.status]++
			})
		}
		wg.Wait()
		s.settle(chat)
		zones := len(s.call("GET", "/v1/zones", nil).list("data"))
		decided, other := yes, no
		if zones == 0 {
			decided, other = no, yes
		}
		if decided[200] != 25 || other[409] != 25 {
			t.Errorf("%d zones; yes: %v, no: %v: want one decision that the others see", zones, yes, no)
		}
	})
}

func TestAQuestionIsAskedAndAnswered(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[
			{"when": {"roundtrip": 1, "contains": "ask"}, "answer": {"calls": [{"name": "ASK_USER", "arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}},
			{"answer": {"text": "Good choice."}}]`)
		chat := s.chat()
		if r := s.say(chat, "ask me"); r.str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
			t.Fatalf("it did not ask: %s", r.body)
		}
		s.call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "green"}).problem(422, "invalid")
		if r := s.settle(chat); r.str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
			t.Fatalf("a wrong answer ended the wait: %s", r.body)
		}
		s.call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "blue"}).want(200)
		s.settle(chat)
		if got := s.record(chat); !slices.Equal(got, []string{"USER", "AI", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
		s.call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "blue"}).want(200)
		s.call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "red"}).problem(409, "validation_resolved")
	})
}

func TestWhatComesWhileTheAIIsAtWork(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[
			{"when": {"contains": "slow"}, "delay_ms": 400, "answer": {"text": "Slowly done."}},
			{"when": {"contains": "forever"}, "answer": {"text": "one two three four five six"}, "token_delay_ms": 300},
			{"answer": {"text": "Quickly done."}}]`)
		chat := s.chat()
		send := func(text, ifBusy string, status int) *reply {
			return s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": text, "if_busy": ifBusy}).want(status)
		}
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "slow"}).want(202)
		queued := send("second", "enqueue", 202)
		if queued.str("message.status") != "queued" {
			t.Errorf("the second message does not wait: %s", queued.body)
		}
		withdrawn := send("third", "enqueue", 202)
		send("no", "reject", 409)
		s.call("PATCH", "/v1/sessions/"+chat+"/messages/"+queued.str("message.id"), map[string]any{"text": "second, edited"}).want(200)
		s.call("DELETE", "/v1/sessions/"+chat+"/messages/"+withdrawn.str("message.id"), nil).want(200)
		s.settle(chat)
		if got := s.record(chat); !slices.Equal(got, []string{"USER", "AI", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}

		events, stop := s.listen("/v1/sessions/" + chat + "/events")
		defer stop()
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "forever"}).want(202)
		waitDelta(t, events)
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "stop that", "if_busy": "interrupt"}).want(202)
		s.settle(chat)
		got := s.record(chat)
		if !slices.Equal(got[4:], []string{"USER", "AI(interrupted)", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
	})
}

func waitDelta(t *testing.T, events <-chan event) {
	t.Helper()
	for timeout := time.After(10 * time.Second); ; {
		select {
		case e := <-events:
			if e.name == "message.delta" {
				return
			}
		case <-timeout:
			t.Fatal("no text was streamed")
		}
	}
}

func TestTheSlotGoesFromChatToChat(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[
			{"when": {"contains": "slow"}, "delay_ms": 1500, "answer": {"text": "Slowly done."}},
			{"answer": {"text": "Quickly done."}}]`)
		a, b := s.chat(), s.chat()
		s.call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "slow"}).want(202)
		s.say(b, "quick")
		r := s.call("GET", "/v1/sessions/"+a, nil)
		if r.str("status") != "suspended" || r.str("phase") != "CALLING_AI" {
			t.Fatalf("the first chat should be set aside in its phase: %s", r.body)
		}
		slot := s.call("GET", "/v1/slot", nil).want(200)
		if slot.str("holder.id") != b {
			t.Errorf("the slot is not held by the second chat: %s", slot.body)
		}
		s.call("POST", "/v1/sessions/"+b+"/stop", nil).want(200)
		deadline := time.Now().Add(15 * time.Second)
		for s.call("GET", "/v1/sessions/"+a, nil).str("phase") != "IDLE" {
			if time.Now().After(deadline) {
				t.Fatalf("the first chat did not come back: %s", s.call("GET", "/v1/sessions/"+a, nil).body)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if s.lastText(a) != "Slowly done." {
			t.Errorf("its round did not end: %v", s.record(a))
		}
	})
}

// A chat that was set aside in the middle of its work is not made to wait for the slot
// when its person cuts that work with a message.
func TestAnInterruptingMessageBringsAChatBack(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[
			{"when": {"matches": "^slow$"}, "delay_ms": 5000, "answer": {"text": "Slowly done."}},
			{"answer": {"text": "Quickly done."}}]`)
		a, b := s.chat(), s.chat()
		s.call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "slow"}).want(202)
		s.say(b, "quick")
		s.call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "never mind", "if_busy": "interrupt"}).want(202)
		if r := s.settle(a); r.str("phase") != "IDLE" || r.at("holds_slot") != true {
			t.Fatalf("it does not come back: %s", r.body)
		}
		if got := s.record(a); !slices.Equal(got, []string{"USER", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
	})
}

// The same action again within 30 s is answered from before, unless the AI says repeat.
func TestTheSameActionSoonAfterIsNotRunAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := func(more string) string {
			return `{"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"` + more + `}}]}`
		}
		s.scripted(`[
			{"when": {"matches": "again$", "roundtrip": 1}, "answer": ` + zone(`, "repeat": true`) + `},
			{"when": {"roundtrip": 1}, "answer": ` + zone("") + `}, {"answer": {"text": "Done."}}]`)
		chat := s.chat()
		for i, c := range []struct {
			say  string
			want int
		}{{"make it", 1}, {"make it", 1}, {"make it again", 2}} {
			s.say(chat, c.say)
			if n := len(s.call("GET", "/v1/zones", nil).list("data")); n != c.want {
				t.Errorf("after message %d there are %d zones, want %d", i+1, n, c.want)
			}
		}
	})
}

func TestStopAndResume(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[{"when": {"contains": "hello"}, "answer": {"text": "Hello."}}, {"when": {"contains": "hang"}, "fault": {"hang": true}}]`)
		chat := s.chat()
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hang"}).want(202)
		if r := s.call("POST", "/v1/sessions/"+chat+"/stop", nil).want(200); r.str("session.status") != "ended" || r.str("session.end_reason") != "CANCELLED" {
			t.Errorf("stop: %s", r.body)
		}
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).problem(409, "session_ended")
		s.call("POST", "/v1/sessions/"+chat+"/resume", nil).want(200)
		s.say(chat, "hello")
		if s.lastText(chat) != "Hello." {
			t.Errorf("the record is %v", s.record(chat))
		}
		for _, row := range s.call("GET", "/v1/admin/invariants", nil).want(200).list("data") {
			if inv := row.(map[string]any); inv["count"].(float64) != 0 {
				t.Errorf("invariant %v is %v", inv["name"], inv["count"])
			}
		}
	})
}

// Whatever cuts a call of the AI, the call is in the record: it may have been paid for.
func TestACutCallIsInTheRecord(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[{"when": {"contains": "hello"}, "answer": {"text": "Hello."}}, {"when": {"contains": "hang"}, "fault": {"hang": true}}]`)
		hanging := func() string {
			chat := s.chat()
			s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hang"}).want(202)
			return chat
		}
		for _, how := range []string{"stop", "interrupt"} {
			chat := hanging()
			s.call("POST", "/v1/sessions/"+chat+"/"+how, nil).want(200)
			s.wasCut(chat)
		}
		replaced := hanging()
		s.call("POST", "/v1/sessions/"+replaced+"/messages", map[string]any{"text": "hang again", "if_busy": "interrupt"}).want(202)
		s.wasCut(replaced)
		preempted := hanging()
		other := s.chat()
		s.say(other, "hello")
		s.wasCut(preempted)
	})
}

func TestWorkspacesDoNotSeeEachOther(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("POST", "/v1/workspaces", map[string]any{"id": "other"}).want(201)
		s.call("POST", "/v1/workspaces", map[string]any{"id": "other"}).want(409)
		chat := s.chat()
		zone := s.call("POST", "/v1/zones", map[string]any{"name": "Mine"}).want(201).str("id")
		for _, path := range []string{"/v1/sessions/" + chat, "/v1/sessions/" + chat + "/messages", "/v1/zones/" + zone, "/v1/sessions/" + chat + "/events/stream"} {
			foreign := s.call("GET", path, nil, "Fermata-Workspace", "other").want(404)
			unknown := s.call("GET", strings.NewReplacer(chat, "ses_0000", zone, "zon_0000").Replace(path), nil, "Fermata-Workspace", "other").want(404)
			strip := func(r *reply) string { return strings.ReplaceAll(string(r.body), r.str("request_id"), "") }
			if strip(foreign) != strip(unknown) {
				t.Errorf("%s tells a foreign id from an unknown one:\n%s\n%s", path, foreign.body, unknown.body)
			}
		}
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hi"}, "Fermata-Workspace", "other").want(404)
		if n := len(s.call("GET", "/v1/zones", nil, "Fermata-Workspace", "other").list("data")); n != 0 {
			t.Errorf("the other workspace sees %d zones", n)
		}
	})
}

func TestTheSameKeyIsCarriedOutOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[{"answer": {"text": "Hello."}}]`)
		chat := s.chat()
		body := map[string]any{"text": "once"}
		first := s.call("POST", "/v1/sessions/"+chat+"/messages", body, "Idempotency-Key", "k1").want(202)
		s.settle(chat)
		again := s.call("POST", "/v1/sessions/"+chat+"/messages", body, "Idempotency-Key", "k1").want(202)
		if again.header.Get("Idempotent-Replayed") != "true" || first.str("message.id") != again.str("message.id") {
			t.Errorf("the second answer is not the first: %s %s", first.body, again.body)
		}
		s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "other"}, "Idempotency-Key", "k1").problem(422, "idempotency_mismatch")
		if got := s.record(chat); !slices.Equal(got, []string{"USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
	})
}

// What a client received by coming and going equals the log.
func TestAStreamThatIsCutGoesOnWithoutAGap(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(`[{"answer": {"text": "one two three"}, "token_delay_ms": 1}]`)
		chat := s.chat()
		go func() {
			for i := range 8 {
				s.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": fmt.Sprint("message ", i)})
			}
		}()
		var got []int64
		var cursor int64
		for round := range 200 {
			events, stop := s.listen(fmt.Sprintf("/v1/sessions/%s/events?after=%d", chat, cursor))
			for range 1 + round%7 {
				select {
				case e, ok := <-events:
					if ok && e.id != 0 {
						got, cursor = append(got, e.id), e.id
					}
				case <-time.After(200 * time.Millisecond):
				}
			}
			stop()
			if r := s.call("GET", "/v1/sessions/"+chat, nil); r.str("phase") == "IDLE" && int64(r.at("last_seq").(float64)) == cursor && len(s.record(chat)) == 16 {
				break
			}
		}
		var want []int64
		after := int64(0)
		for {
			page := s.call("GET", fmt.Sprintf("/v1/sessions/%s/events?after=%d&limit=100", chat, after), nil).want(200).list("data")
			if len(page) == 0 {
				break
			}
			for i, e := range page {
				row := e.(map[string]any)
				after = int64(row["seq"].(float64))
				want = append(want, after)
				if seq := int64(row["session_seq"].(float64)); seq != int64(len(want)) {
					t.Fatalf("session_seq %d at place %d (%d): a gap", seq, len(want), i)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("received %v\nthe log has %v", got, want)
		}
	})
}
