package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// The part of an answer that a person cut stays in the prompt. What its model had read counts.
func TestACutAnswerHasReadWhatItsPromptHeld(t *testing.T) {
	page := domain.From(domain.OriginMCP, "Web")
	for name, text := range map[string]string{"with words": "It says", "before a word": ""} {
		w := newWorld(t, domain.Chat)
		w.s.Phase, w.s.State.RoundID, w.s.State.RoundCause = domain.CallingAI, "rnd_1", domain.CauseUserMessage
		p := w.policy()
		p.Estimate.Described = []domain.Provenance{*page}
		step, err := Run(w.s, domain.InterruptRequested{By: "ada", MessageID: "msg_9", PartialText: text}, p)
		if err != nil {
			t.Fatal(err)
		}
		if tainted := step.Session.State.Taint != nil; tainted != (text != "") {
			t.Errorf("%s: the taint is %+v", name, step.Session.State.Taint)
		}
	}
}
