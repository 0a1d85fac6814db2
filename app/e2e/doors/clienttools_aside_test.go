package doors

import (
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// Results that come when another session has taken the slot may have to wait for it, and so does who
// brought them: through each of the doors, the answer is the one that follows.
func TestAClientsResultsWhileAnotherSessionWorks(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[{"when": {"contains": "Take your time"}, "token_delay_ms": 250, "answer": {"text": "one two three four five six"}},`+withTools[1:])
		s.Call("PATCH", "/v1/settings", map[string]any{"chat_eviction_after": "1s"}).Want(200)
		aside := func(waiting string) {
			t.Helper()
			other := s.Call("POST", "/v1/sessions", map[string]any{}).Want(201).Str("id")
			s.Call("POST", "/v1/sessions/"+other+"/messages", map[string]any{"text": "Take your time"}).Want(202)
			s.Until(other, "running")
			if holds := s.Call("GET", "/v1/sessions/"+waiting, nil).Want(200).Str("phase"); holds != "WAITING_COMMUNICATION_RESPONSE" {
				t.Fatalf("it is in %s", holds)
			}
		}
		messages, calls, session := s.asksTool(key, "Compare Bern and Rome")
		aside(session)
		messages = append(messages, resultOf(calls[0], "Bern: sunny"), resultOf(calls[1], "Rome: sunny"))
		if received := s.completion(key, map[string]any{"model": "fermata", "messages": messages, "tools": weather}); received.text != "Both are sunny." {
			t.Errorf("chat completions: %+v", received)
		}
		s.Key = key
		asked, calls := s.respondCalls(map[string]any{"input": "Compare Bern and Rome", "conversation": "a response"})
		s.Key = harness.RootKey
		aside(asked.Talk.ID)
		s.Key = key
		received, _ := s.respond(map[string]any{
			"input": []any{output(calls[0], "Bern: sunny"), output(calls[1], "Rome: sunny")}, "previous_response_id": asked.ID, "background": true,
		})
		if received.ID == asked.ID || received.Status != "in_progress" && received.Status != "completed" { // the slot may come back at once
			t.Errorf("in the background it is %+v", received)
		}
		events := s.responseStream("/v1/responses/"+received.ID+"?stream=true", nil, 0)
		if last := events[len(events)-1]; last.Type != "response.completed" || last.Response.text() != "Both are sunny." {
			t.Errorf("a response: %+v", last)
		}
		if read := s.response(received.ID); read.text() != "Both are sunny." || read.Status != "completed" {
			t.Errorf("read again it is %+v", read)
		}
		s.Key = harness.RootKey
		calls = s.aguiCalls(key, "a thread", "Compare Bern and Rome")
		aside(s.Call("GET", "/v1/sessions", nil).Want(200).Str("data.0.id"))
		_, run, _ := s.aguiPost(key, aguiWith("a thread", "Compare Bern and Rome", calling(calls...),
			resulting(calls[0], "Bern: sunny"), resulting(calls[1], "Rome: sunny")), 0)
		if run[len(run)-1].Outcome.Type != "success" || len(run[len(run)-1].Outcome.Pending) > 0 {
			t.Errorf("a run ends with %+v", run[len(run)-1])
		}
		text := ""
		for _, e := range run {
			text += e.Delta
		}
		if text != "Both are sunny." {
			t.Errorf("a run receives %q", text)
		}
		s.Sound()
	})
}
