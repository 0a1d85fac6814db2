package doors

import (
	"fmt"
	"testing"
)

// A client continues under its name when another node has deleted its session: with a new one. What
// this node remembers of the name may be wrong, and is found out by the message that is not taken.
func TestANameWhoseSessionIsGone(t *testing.T) {
	a, b := twoNodes(t)
	a.Scripted(`[{"answer": {"text": "Yes."}}]`)
	a.Key = a.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "admin"}).Want(201).Str("key")
	b.Key = a.Key
	for door, say := range map[string]func(n int) string{
		"chat": func(n int) string {
			return a.chat(a.Key, []string{"X-Fermata-Session", "chat"}, fmt.Sprint("hello ", n)).text
		},
		"responses": func(n int) string {
			got, _ := a.respond(map[string]any{"input": fmt.Sprint("hello ", n), "conversation": "responses"})
			return got.text()
		},
		"agui": func(n int) string {
			_, events, _ := a.aguiPost(a.Key, fmt.Sprintf(`{"threadId":"agui","runId":"r","messages":[{"id":"m%d","role":"user","content":"hello"}]}`, n), 0)
			return aguiText(events)
		},
		"ui": func(n int) string {
			_, chunks, _ := a.uiCall(a.Key, "POST", "", uiBody("ui", fmt.Sprint("m", n), "hello", ""), 0)
			return uiText(chunks)
		},
	} {
		var sessions []string
		for n := range 6 {
			if n == 3 {
				b.Until(a.named(door), "idle")
				b.Call("DELETE", "/v1/sessions/"+a.named(door), nil).Want(204)
			}
			if answer := say(n); answer != "Yes." {
				t.Fatalf("%s: message %d is answered %q", door, n, answer)
			}
			sessions = append(sessions, a.named(door))
		}
		if sessions[0] != sessions[2] || sessions[3] != sessions[5] || sessions[2] == sessions[3] {
			t.Errorf("%s: the sessions are %q", door, sessions)
		}
		if said := a.said(sessions[5]); len(said) != 6 {
			t.Errorf("%s: the new record is %q", door, said)
		}
	}
	a.Sound()
}
