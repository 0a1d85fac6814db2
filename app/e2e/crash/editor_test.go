package crash

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestAnEditorThroughKills: the server is killed during answers, and the editor's prompt continues: no round is
// lost or doubled, and each character is sent once.
func TestAnEditorThroughKills(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		editor := harness.NewEditor(t, front.url, "")
		session := editor.Open()
		var want []string
		for n := 0; h.died() < kills && n < rounds; n++ {
			question, answer := fmt.Sprintf("question %03d", n), front.answer(n)
			want = append(want, "USER "+question, "AI "+answer)
			if n%4 < 2 {
				front.strikeWithin(answerTakes)
			} else {
				front.strikeWithin(2 * answerTakes) // perhaps when all is over
			}
			if reason := editor.Prompt(session, question); reason != "end_turn" {
				t.Errorf("round %d stopped by %q", n, reason)
			}
			front.spare()
			if held := harness.TextOf("agent_message_chunk", editor.Updates()); held != answer {
				t.Fatalf("round %d: the editor holds %q, and should %q", n, held, answer)
			}
		}
		if got := front.record(session); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		front.sound()
		h.diedOften(kills, len(want)/2)
	})
}

// TestAnEditorAnswersAKilledServer: the server is killed while it asks for permission. The answer
// waits until it is back, what was asked is done once, and the prompt ends as if nothing had been.
func TestAnEditorAnswersAKilledServer(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		h := newNodeHost(t, db, "test", "FERMATA_SCRIPT_PROVIDER=true")
		h.server()
		front := newFront(t, h)
		front.call("POST", "/v1/providers", `{"name": "Script", "kind": "script", "is_default": true, "config": {"steps": [
			{"when": {"roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
			{"answer": {"text": "It is made."}}]}}`)
		editor := harness.NewEditor(t, front.url, "")
		session := editor.Open()
		front.call("PATCH", "/v1/sessions/"+session, `{"require_validation": true}`)
		asked := 0
		editor.Choose = func(r harness.EditorRequest) any {
			asked++
			h.kill()
			return harness.Option(r, "Approve")
		}
		if reason := editor.Prompt(session, "make it"); reason != "end_turn" {
			t.Errorf("it stops by %q", reason)
		}
		if held := harness.TextOf("agent_message_chunk", editor.Updates()); held != "I make it.It is made." {
			t.Errorf("it holds %q", held)
		}
		if died := h.died(); asked != 1 || died != 1 {
			t.Errorf("asked %d times, and killed %d times", asked, died)
		}
		zones := front.call("GET", "/v1/zones", "")
		if strings.Count(zones, `"Garden"`) != 1 {
			t.Errorf("the zones are %s", zones)
		}
	})
}

// call makes a request of the server's own API, and reads the answer.
func (f *front) call(method, path, body string) string {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), method, f.host.server().url+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		f.t.Fatalf("%s %s: %s %s (%v)", method, path, response.Status, text, err)
	}
	return string(text)
}
