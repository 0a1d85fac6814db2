package doors

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// uiAgain asks for another try at the newest message of the user.
func uiAgain(chat, message, text string) string {
	return strings.Replace(uiBody(chat, message, text, ""), "submit-message", "regenerate-message", 1)
}

// Another try replaces the answer, which stays in the record. A request that is repeated while the try is
// in progress gets the same try, and after a crash it can be resumed.
func TestAUIChatAnswersAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Setenv("FERMATA_SCRIPT_PROVIDER", "true")
		p := harness.NewProcess(t, db)
		s := &server{p.Client()}
		s.Scripted(`[{"token_delay_ms": 60, "answer": {"text": "One two three four five six."}}]`)
		key := s.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "admin"}).Want(201).Str("key")
		s.Key = key
		const answer = "One two three four five six."
		if _, first, _ := s.uiCall(key, "POST", "", uiBody("a", "m1", "Count", ""), 0); uiText(first) != answer {
			t.Fatalf("the first answer is %+v", first)
		}
		session := s.Call("GET", "/v1/sessions", nil).Want(200).Str("data.0.id")
		_, begun, _ := s.uiCall(key, "POST", "", uiAgain("a", "m1", "Count"), 4)
		if len(begun) != 4 || begun[0].Type != "start" || !strings.HasPrefix(answer, uiText(begun)) {
			t.Fatalf("it receives %+v", begun)
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, chunks, code := s.uiCall(key, "POST", "", uiAgain("a", "m1", "Count"), 0); uiText(chunks) != answer {
					t.Errorf("made again while it is at work: %q, %q", uiText(chunks), code)
				}
			})
		}
		both.Wait()
		if said := s.said(session); len(said) != 3 {
			t.Errorf("the record is %q", said)
		}
		if _, third, _ := s.uiCall(key, "POST", "", uiAgain("a", "m1", "Count"), 4); len(third) != 4 {
			t.Fatalf("a third try is %+v", third)
		}
		p.Kill()
		s.URL = p.URL
		if _, chunks, _ := s.uiCall(key, "GET", "/a/stream", "", 0); uiText(chunks) != answer || chunks[len(chunks)-1].Finish != "stop" {
			t.Errorf("after a crash it receives %+v", chunks)
		}
		record := s.Call("GET", "/v1/sessions/"+session+"/messages", nil).Want(200)
		for i, status := range []string{"stored", "superseded", "superseded", "stored"} {
			if got := record.Str(fmt.Sprintf("data.%d.status", i)); got != status {
				t.Errorf("message %d is %s: %s", i, got, record.Body)
			}
		}
	})
}

// A round that is over is resumed with the parts that it had, its reasoning among them.
func TestAResumedUIChatHasItsReasoning(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[{"answer": {"thinking": "Let me see.", "text": "Here it is."}}]`)
	shape := func(chunks []uiChunk) string {
		var all []string
		for _, c := range chunks {
			if c.Type == "reasoning-delta" || c.Type == "text-delta" {
				if n := len(all); n > 0 && strings.HasPrefix(all[n-1], c.Type) {
					all[n-1] += c.Delta
				} else {
					all = append(all, c.Type+" "+c.Delta)
				}
			}
		}
		return strings.Join(all, "|")
	}
	_, live, _ := s.uiCall(key, "POST", "", uiBody("a", "m1", "Look", ""), 0)
	_, resumed, _ := s.uiCall(key, "GET", "/a/stream", "", 0)
	if want := "reasoning-delta Let me see.|text-delta Here it is."; shape(live) != want || shape(resumed) != want {
		t.Errorf("live it is %q, and resumed %q", shape(live), shape(resumed))
	}
}

// What cannot be answered again is refused with our code, and nothing is changed.
func TestWhatAUIChatDoesNotAnswerAgain(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), slowAnswer)
	for _, body := range []string{
		uiBody("effects", "m1", "make it", ""), uiBody("older", "m1", "hello", ""), uiBody("older", "m2", "hello again", ""),
		uiBody("asked", "m1", "ask me", ""),
	} {
		if status, _, code := s.uiCall(key, "POST", "", body, 0); status != 200 {
			t.Fatalf("%d %s", status, code)
		}
	}
	for name, c := range map[string]struct {
		body, code string
		status     int
	}{
		"it changed something": {uiAgain("effects", "m1", "make it"), "round_has_effects", 409},
		"an older one":         {uiAgain("older", "m1", "hello"), "not_last_round", 409},
		"it waits":             {uiAgain("asked", "m1", "ask me"), "wrong_phase", 409},
		"an unknown message":   {uiAgain("older", "m9", "hello"), "not_found", 404},
		"in other words":       {uiAgain("older", "m2", "goodbye"), "invalid", 422},
	} {
		if status, chunks, code := s.uiCall(key, "POST", "", c.body, 0); status != c.status || code != c.code {
			t.Errorf("%s: %d %q %+v", name, status, code, chunks)
		}
	}
	for _, session := range s.Call("GET", "/v1/sessions", nil).Want(200).List("data") {
		for _, m := range s.Call("GET", "/v1/sessions/"+session.(map[string]any)["id"].(string)+"/messages", nil).Want(200).List("data") {
			if status := m.(map[string]any)["status"]; status != "stored" {
				t.Errorf("a message is %s", status)
			}
		}
	}
	s.Sound()
}
