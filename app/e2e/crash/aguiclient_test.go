package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestAnAGUIClientThroughKills: a front end only repeats its run when its stream breaks: no round is lost or
// doubled, and its final messages are those in the record.
func TestAnAGUIClientThroughKills(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		var want []string
		session := ""
		for n := 0; h.died() < kills && n < rounds; n++ {
			question, answer := ask(n), front.answer(n)
			want = append(want, recorded(question, answer)...)
			if n%4 < 2 {
				front.strikeWithin(answerTakes)
			} else {
				front.strikeWithin(2 * answerTakes) // perhaps when all is over
			}
			got, id := front.ran(fmt.Sprint("m", n), question)
			front.spare()
			if session = id; got != answer {
				t.Fatalf("round %d: the client holds %q, and should %q", n, got, answer)
			}
		}
		if got := front.record(session); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		front.sound()
		h.diedOften(kills, len(want)/2)
	})
}

// ran makes a run until it has finished, and gives what the client holds of it then.
func (f *front) ran(message, text string) (held, session string) {
	f.t.Helper()
	for range maxTries {
		if run, err := makeRun(f.t.Context(), f.url, message, text); err == nil && run.finished {
			return run.held, run.session
		}
		f.pause()
	}
	f.t.Fatal("no run came to its end")
	return "", ""
}

// aguiRun is what a client holds of a run.
type aguiRun struct {
	held, session string
	finished      bool
	calls         map[string]string // of its own tool, with their arguments
	pending       []string          // the calls that wait for their results
}

// makeRun makes a run, and those that bring what the client's tool found.
func makeRun(ctx context.Context, url, message, text string) (run aguiRun, err error) {
	said := []any{map[string]any{"id": message, "role": "user", "content": text}}
	for {
		if run, err = oneRun(ctx, url, said); err != nil || !run.finished || len(run.pending) == 0 {
			return run, err
		}
		var calls []any
		for _, id := range run.pending {
			called := map[string]any{"name": toolName, "arguments": run.calls[id]}
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": called})
		}
		said = append(said, map[string]any{"id": "calls of " + message, "role": "assistant", "toolCalls": calls})
		for _, id := range run.pending {
			found := clientCall{id, run.calls[id]}.found()
			said = append(said, map[string]any{"id": "found by " + id, "role": "tool", "toolCallId": id, "content": found})
		}
	}
}

func oneRun(ctx context.Context, url string, said []any) (run aguiRun, err error) {
	body, err := json.Marshal(map[string]any{
		"threadId": "the talk", "runId": "r", "messages": said, "tools": []any{map[string]any{"name": toolName, "parameters": toolParameters}},
	})
	if err != nil {
		return run, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/agui", bytes.NewReader(body))
	if err != nil {
		return run, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return run, err
	}
	defer response.Body.Close()
	run.calls = map[string]string{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			run.take([]byte(data))
		}
	}
	return run, nil
}

func (r *aguiRun) take(data []byte) {
	var e struct {
		Type       string
		Delta      string
		ToolCallID string
		Messages   []struct{ Role, Content string }
		Snapshot   struct{ Session struct{ ID string } }
		Outcome    struct{ PendingToolCallIDs []string }
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "STATE_SNAPSHOT":
		r.session = e.Snapshot.Session.ID
	case "MESSAGES_SNAPSHOT":
		r.held = ""
		for _, m := range e.Messages {
			if m.Role == "assistant" {
				r.held += m.Content
			}
		}
	case "TEXT_MESSAGE_CONTENT":
		r.held += e.Delta
	case "TOOL_CALL_ARGS":
		r.calls[e.ToolCallID] += e.Delta
	case "RUN_FINISHED":
		r.finished, r.pending = true, e.Outcome.PendingToolCallIDs
	}
}
