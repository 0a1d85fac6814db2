package conversation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// The main job, on both databases and in both protocols: a chat that changes real
// data, asks before, and says what it did.
func TestTheFirstConversation(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		for _, protocol := range []string{"native", "json"} {
			t.Run(protocol, func(t *testing.T) {
				s := newServer(t, harness.FreshCopy(t, db))
				s.Call("POST", "/v1/providers", map[string]any{
					"name": "Demo", "kind": "demo", "is_default": true, "config": map[string]any{"protocol": protocol, "word_delay_ms": 0},
				}).Want(201)
				s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
				chat := s.Chat()
				events, _ := s.Listen("/v1/sessions/" + chat + "/events?after=0")

				r := s.Say(chat, "create a zone Health")
				if r.Str("phase") != "WAITING_VALIDATION" || r.Str("status") != "requires_action" {
					t.Fatalf("it did not ask: %s", r.Body)
				}
				if n := len(s.Call("GET", "/v1/zones", nil).Want(200).List("data")); n != 0 {
					t.Fatalf("%d zones exist before the yes", n)
				}
				approvals := s.Call("GET", "/v1/approvals?status=open", nil).Want(200)
				if got := approvals.Str("data.0.actions.0.command"); got != "CREATE_ZONE" {
					t.Fatalf("the card is for %q: %s", got, approvals.Body)
				}
				s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": true}).Want(200)
				if r := s.Settle(chat); r.Str("phase") != "IDLE" {
					t.Fatalf("it does not rest: %s", r.Body)
				}
				zones := s.Call("GET", "/v1/zones", nil).Want(200)
				if len(zones.List("data")) != 1 || zones.Str("data.0.name") != "Health" {
					t.Fatalf("the data did not change as approved: %s", zones.Body)
				}
				record := s.Record(chat)
				if slices.Contains(record, "VALIDATION_CANCELLED") || !slices.Contains(record, "ACTIONS_EXECUTED") {
					t.Errorf("the record is %v", record)
				}
				sawDataChange(t, s, events)
			})
		}
	})
}

// sawDataChange checks that the stream had the phases in order, without a gap.
func sawDataChange(t *testing.T, s *server, events <-chan harness.Event) {
	t.Helper()
	var phases []string
	var last int64
	timeout := time.After(10 * time.Second)
	for {
		select {
		case e := <-events:
			if e.ID != 0 && e.Name != "snapshot" {
				if e.ID <= last {
					t.Fatalf("event %d came after %d", e.ID, last)
				}
				last = e.ID
			}
			if e.Name == "session.phase" {
				phase := (&harness.Reply{T: t, Body: []byte(e.Data)}).Str("phase")
				phases = append(phases, phase)
				if phase == "IDLE" && len(phases) > 2 {
					if !slices.Contains(phases, "EXECUTING_ACTIONS") || !slices.Contains(phases, "CALLING_AI") {
						t.Errorf("the stream had %v", phases)
					}
					return
				}
			}
		case <-timeout:
			t.Fatalf("the stream did not have the end; it had %v", phases)
		}
	}
}

func TestTwoCommitsATurn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "zones", "roundtrip": 1}, "answer": {"calls": [{"name": "ZONES", "arguments": {}}]}},
			{"when": {"contains": "make", "roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}]}},
			{"answer": {"text": "Here I am."}}]`)
		chat := s.Chat()
		s.Say(chat, "warm up") // takes the slot
		for _, c := range []struct {
			text string
			want int
		}{{"hello", 2}, {"which zones?", 3}, {"make a zone", 4}} {
			s.TakeCommits()
			s.Say(chat, c.text)
			if made := s.TakeCommits(); len(made) != c.want {
				t.Errorf("%q took %d commits, want %d", c.text, len(made), c.want)
			}
		}
	})
}

func TestARefusalWithACommentGoesBackToTheAI(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.Scripted(`[
			{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}, {"name": "CREATE_ZONE", "arguments": {"name": "Home"}}]}},
			{"when": {"contains": "not that name"}, "answer": {"text": "Then not."}},
			{"answer": {"text": "Done what you said."}}]`)
		chat := s.Chat()
		s.Say(chat, "make zones")
		s.Call("POST", "/v1/sessions/"+chat+"/validation", map[string]any{"approved": false, "comment": "not that name"}).Want(200)
		s.Settle(chat)
		if got := s.Record(chat); !slices.Equal(got, []string{"USER", "AI", "VALIDATION_CANCELLED", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
		if n := len(s.Call("GET", "/v1/zones", nil).List("data")); n != 0 {
			t.Errorf("%d zones were made against a no", n)
		}

		// A part of it: what was not approved is cancelled, and no failure.
		s.Say(chat, "make them all the same")
		open := s.Call("GET", "/v1/approvals?status=open", nil)
		second := open.Str("data.0.actions.1.id")
		s.Call("POST", "/v1/approvals/"+open.Str("data.0.id"), map[string]any{"approved": true, "approved_ids": []string{second}}).Want(200)
		s.Settle(chat)
		zones := s.Call("GET", "/v1/zones", nil)
		if len(zones.List("data")) != 1 || zones.Str("data.0.name") != "Home" {
			t.Errorf("approved was Home alone: %s", zones.Body)
		}
	})
}

func TestFiftyAnswersOneDecision(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.Scripted(`[{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"}}]}}, {"answer": {"text": "Done."}}]`)
		chat := s.Chat()
		s.Say(chat, "make it")
		approval := s.Call("GET", "/v1/approvals?status=open", nil).Str("data.0.id")
		var wg sync.WaitGroup
		var mu sync.Mutex
		yes, no := map[int]int{}, map[int]int{}
		for i := range 50 {
			wg.Go(func() {
				answers := yes
				if i%2 == 1 {
					answers = no
				}
				r := s.Call("POST", "/v1/approvals/"+approval, map[string]any{"approved": i%2 == 0})
				mu.Lock()
				defer mu.Unlock()
				answers[r.Status]++
			})
		}
		wg.Wait()
		s.Settle(chat)
		zones := len(s.Call("GET", "/v1/zones", nil).List("data"))
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
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"roundtrip": 1, "contains": "ask"}, "answer": {"calls": [{"name": "ASK_USER", "arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}},
			{"answer": {"text": "Good choice."}}]`)
		chat := s.Chat()
		if r := s.Say(chat, "ask me"); r.Str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
			t.Fatalf("it did not ask: %s", r.Body)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "green"}).Problem(422, "invalid")
		if r := s.Settle(chat); r.Str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
			t.Fatalf("a wrong answer ended the wait: %s", r.Body)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "blue"}).Want(200)
		s.Settle(chat)
		if got := s.Record(chat); !slices.Equal(got, []string{"USER", "AI", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "blue"}).Want(200)
		s.Call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": "red"}).Problem(409, "validation_resolved")
	})
}

func TestWhatComesWhileTheAIIsAtWork(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "slow"}, "delay_ms": 3000, "answer": {"text": "Slowly done."}},
			{"when": {"contains": "forever"}, "answer": {"text": "one two three four five six"}, "token_delay_ms": 300},
			{"answer": {"text": "Quickly done."}}]`)
		chat := s.Chat()
		send := func(text, ifBusy string, status int) *harness.Reply {
			return s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": text, "if_busy": ifBusy}).Want(status)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "slow"}).Want(202)
		queued := send("second", "enqueue", 202)
		if queued.Str("message.status") != "queued" {
			t.Errorf("the second message does not wait: %s", queued.Body)
		}
		withdrawn := send("third", "enqueue", 202)
		send("no", "reject", 409)
		s.Call("PATCH", "/v1/sessions/"+chat+"/messages/"+queued.Str("message.id"), map[string]any{"text": "second, edited"}).Want(200)
		s.Call("DELETE", "/v1/sessions/"+chat+"/messages/"+withdrawn.Str("message.id"), nil).Want(200)
		s.Settle(chat)
		if got := s.Record(chat); !slices.Equal(got, []string{"USER", "AI", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}

		events, stop := s.Listen("/v1/sessions/" + chat + "/events")
		defer stop()
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "forever"}).Want(202)
		waitDelta(t, events)
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "stop that", "if_busy": "interrupt"}).Want(202)
		s.Settle(chat)
		got := s.Record(chat)
		if !slices.Equal(got[4:], []string{"USER", "AI(interrupted)", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
	})
}

func waitDelta(t *testing.T, events <-chan harness.Event) {
	t.Helper()
	for timeout := time.After(10 * time.Second); ; {
		select {
		case e := <-events:
			if e.Name == "message.delta" {
				return
			}
		case <-timeout:
			t.Fatal("no text was streamed")
		}
	}
}

func TestTheSlotGoesFromChatToChat(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "slow"}, "delay_ms": 1500, "answer": {"text": "Slowly done."}},
			{"answer": {"text": "Quickly done."}}]`)
		a, b := s.Chat(), s.Chat()
		s.Call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "slow"}).Want(202)
		s.Say(b, "quick")
		r := s.Call("GET", "/v1/sessions/"+a, nil)
		if r.Str("status") != "running" || r.Str("phase") != "CALLING_AI" || r.At("holds_slot") != false {
			t.Fatalf("the first chat's call should continue without the slot: %s", r.Body)
		}
		slot := s.Call("GET", "/v1/slot", nil).Want(200)
		if slot.Str("holder.id") != b {
			t.Errorf("the slot is not held by the second chat: %s", slot.Body)
		}
		if r := s.Until(a, "idle"); r.At("holds_slot") != false || s.LastText(a) != "Slowly done." {
			t.Errorf("its round did not end: %s %v", r.Body, s.Record(a))
		}
		s.Sound()
	})
}

// An answer that requests something takes the slot as soon as the chat that has it rests. That one is not evicted, and
// its next message switches again.
func TestTheSlotComesBackToAChat(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"contains": "slow", "roundtrip": 1}, "delay_ms": 1500, "answer": {"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Late"}}]}},
			{"when": {"contains": "slow"}, "answer": {"text": "Slowly done."}},
			{"answer": {"text": "Quickly done."}}]`)
		a, b := s.Chat(), s.Chat()
		s.Call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "slow"}).Want(202)
		s.Say(b, "quick")
		if r := s.Until(a, "idle"); r.At("holds_slot") != true || s.LastText(a) != "Slowly done." {
			t.Errorf("it did not come back: %s", r.Body)
		}
		if r := s.Call("GET", "/v1/sessions/"+b, nil); r.Str("phase") != "IDLE" || r.At("holds_slot") == true || strings.Contains(r.Str("status"), "evict") {
			t.Errorf("the other: %s", r.Body)
		}
		s.Say(b, "quick again")
		if s.LastText(b) != "Quickly done." {
			t.Errorf("the other's next message: %v", s.Record(b))
		}
	})
}

// A chat that was set aside in the middle of its work is not made to wait for the slot
// when its person cuts that work with a message.
func TestAnInterruptingMessageBringsAChatBack(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[
			{"when": {"matches": "^slow$"}, "delay_ms": 5000, "answer": {"text": "Slowly done."}},
			{"answer": {"text": "Quickly done."}}]`)
		a, b := s.Chat(), s.Chat()
		s.Call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "slow"}).Want(202)
		s.Say(b, "quick")
		s.Call("POST", "/v1/sessions/"+a+"/messages", map[string]any{"text": "never mind", "if_busy": "interrupt"}).Want(202)
		if r := s.Settle(a); r.Str("phase") != "IDLE" || r.At("holds_slot") != true {
			t.Fatalf("it does not come back: %s", r.Body)
		}
		if got := s.Record(a); !slices.Equal(got, []string{"USER", "USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
	})
}

// The same action again within 30 s is answered from before, unless the AI says repeat.
func TestTheSameActionSoonAfterIsNotRunAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := func(more string) string {
			return `{"calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Work"` + more + `}}]}`
		}
		s.Scripted(`[
			{"when": {"matches": "again$", "roundtrip": 1}, "answer": ` + zone(`, "repeat": true`) + `},
			{"when": {"roundtrip": 1}, "answer": ` + zone("") + `}, {"answer": {"text": "Done."}}]`)
		chat := s.Chat()
		for i, c := range []struct {
			say  string
			want int
		}{{"make it", 1}, {"make it", 1}, {"make it again", 2}} {
			s.Say(chat, c.say)
			if n := len(s.Call("GET", "/v1/zones", nil).List("data")); n != c.want {
				t.Errorf("after message %d there are %d zones, want %d", i+1, n, c.want)
			}
		}
	})
}

func TestStopAndResume(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[{"when": {"contains": "hello"}, "answer": {"text": "Hello."}}, {"when": {"contains": "hang"}, "fault": {"hang": true}}]`)
		chat := s.Chat()
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hang"}).Want(202)
		if r := s.Call("POST", "/v1/sessions/"+chat+"/stop", nil).Want(200); r.Str("session.status") != "ended" || r.Str("session.end_reason") != "CANCELLED" {
			t.Errorf("stop: %s", r.Body)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"}).Problem(409, "session_ended")
		s.Call("POST", "/v1/sessions/"+chat+"/resume", nil).Want(200)
		s.Say(chat, "hello")
		if s.LastText(chat) != "Hello." {
			t.Errorf("the record is %v", s.Record(chat))
		}
		for _, row := range s.Call("GET", "/v1/admin/invariants", nil).Want(200).List("data") {
			if inv := row.(map[string]any); inv["count"].(float64) != 0 {
				t.Errorf("invariant %v is %v", inv["name"], inv["count"])
			}
		}
	})
}

// Whatever cuts a call of the AI, the call is in the record: it may have been paid for.
func TestACutCallIsInTheRecord(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[{"when": {"contains": "hello"}, "answer": {"text": "Hello."}}, {"when": {"contains": "hang"}, "fault": {"hang": true}}]`)
		hanging := func() string {
			chat := s.Chat()
			s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hang"}).Want(202)
			return chat
		}
		for _, how := range []string{"stop", "interrupt"} {
			chat := hanging()
			s.Call("POST", "/v1/sessions/"+chat+"/"+how, nil).Want(200)
			s.WasCut(chat)
		}
		replaced := hanging()
		s.Call("POST", "/v1/sessions/"+replaced+"/messages", map[string]any{"text": "hang again", "if_busy": "interrupt"}).Want(202)
		s.WasCut(replaced)
		oldest := hanging()
		s.Until(oldest, "running") // it may have to wait until the call before it has begun
		for range 8 + 1 {          // max_calls_aside, and one more
			hanging()
		}
		s.Until(oldest, "queued")
		s.WasCut(oldest)
	})
}

func TestWorkspacesDoNotSeeEachOther(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("POST", "/v1/workspaces", map[string]any{"id": "other"}).Want(201)
		s.Call("POST", "/v1/workspaces", map[string]any{"id": "other"}).Want(409)
		chat := s.Chat()
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Mine"}).Want(201).Str("id")
		for _, path := range []string{"/v1/sessions/" + chat, "/v1/sessions/" + chat + "/messages", "/v1/zones/" + zone, "/v1/sessions/" + chat + "/events/stream"} {
			foreign := s.Call("GET", path, nil, "Fermata-Workspace", "other").Want(404)
			unknown := s.Call("GET", strings.NewReplacer(chat, "ses_0000", zone, "zon_0000").Replace(path), nil, "Fermata-Workspace", "other").Want(404)
			strip := func(r *harness.Reply) string { return strings.ReplaceAll(string(r.Body), r.Str("request_id"), "") }
			if strip(foreign) != strip(unknown) {
				t.Errorf("%s distinguishes a foreign id from an unknown one:\n%s\n%s", path, foreign.Body, unknown.Body)
			}
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "hi"}, "Fermata-Workspace", "other").Want(404)
		if n := len(s.Call("GET", "/v1/zones", nil, "Fermata-Workspace", "other").List("data")); n != 0 {
			t.Errorf("the other workspace sees %d zones", n)
		}
	})
}

func TestTheSameKeyIsCarriedOutOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[{"answer": {"text": "Hello."}}]`)
		chat := s.Chat()
		body := map[string]any{"text": "once"}
		first := s.Call("POST", "/v1/sessions/"+chat+"/messages", body, "Idempotency-Key", "k1").Want(202)
		s.Settle(chat)
		again := s.Call("POST", "/v1/sessions/"+chat+"/messages", body, "Idempotency-Key", "k1").Want(202)
		if again.Header.Get("Idempotent-Replayed") != "true" || first.Str("message.id") != again.Str("message.id") {
			t.Errorf("the second answer is not the first: %s %s", first.Body, again.Body)
		}
		s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "other"}, "Idempotency-Key", "k1").Problem(422, "idempotency_mismatch")
		if got := s.Record(chat); !slices.Equal(got, []string{"USER", "AI"}) {
			t.Errorf("the record is %v", got)
		}
	})
}

// What a client received by coming and going equals the log.
func TestAStreamThatIsCutGoesOnWithoutAGap(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[{"answer": {"text": "one two three"}, "token_delay_ms": 1}]`)
		chat := s.Chat()
		go func() {
			for i := range 8 {
				s.Call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": fmt.Sprint("message ", i)})
			}
		}()
		var got []int64
		var cursor int64
		for round := range 200 {
			events, stop := s.Listen(fmt.Sprintf("/v1/sessions/%s/events?after=%d", chat, cursor))
			for range 1 + round%7 {
				select {
				case e, ok := <-events:
					if ok && e.ID != 0 {
						got, cursor = append(got, e.ID), e.ID
					}
				case <-time.After(200 * time.Millisecond):
				}
			}
			stop()
			if r := s.Call("GET", "/v1/sessions/"+chat, nil); r.Str("phase") == "IDLE" && int64(r.At("last_seq").(float64)) == cursor && len(s.Record(chat)) == 16 {
				break
			}
		}
		var want []int64
		after := int64(0)
		for {
			page := s.Call("GET", fmt.Sprintf("/v1/sessions/%s/events?after=%d&limit=100", chat, after), nil).Want(200).List("data")
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
