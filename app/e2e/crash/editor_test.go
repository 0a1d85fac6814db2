package crash

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestAnEditorThroughKills: the server is killed in the middle of answers, and the editor's
// prompt goes on: no round is lost, none is doubled, and each character is told once.
func TestAnEditorThroughKills(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		rounds := 4
		if harness.Long {
			rounds = 100
		}
		h := newNodeHost(t, db, "test", "FERMATA_SCRIPT_PROVIDER=true")
		h.server()
		front := newFront(t, h)
		front.script(rounds)
		editor := harness.NewEditor(t, front.url, "")
		session := editor.Open()
		var want []string
		for n := range rounds {
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
		if died := h.died(); died < rounds/2 {
			t.Errorf("the server was killed %d times in %d rounds", died, rounds)
		}
	})
}
