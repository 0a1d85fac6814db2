package prompt

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// TestFingerprintsDistinguishPrompts: the same prompt has the same one, every change of
// it another, also where a text only moves from one part to the next.
func TestFingerprintsDistinguishPrompts(t *testing.T) {
	say := func(role ai.TurnRole, text string) *ai.Turn {
		return &ai.Turn{Role: role, Blocks: []ai.Block{{Kind: ai.BlockText, Text: text}}}
	}
	make := func(change func(*ai.Prompt)) string {
		p := &ai.Prompt{
			System: "ab", UserData: "c", Tail: "now", Protocol: domain.ProtocolNative,
			Turns:    []*ai.Turn{say(ai.TurnUser, "hello"), say(ai.TurnAssistant, "hi"), say(ai.TurnUser, "more")},
			Commands: []domain.CommandSpec{{Name: "ZONES"}},
		}
		change(p)
		return Fingerprint(p)
	}
	seen := map[string]string{make(func(*ai.Prompt) {}): "the prompt itself"}
	for name, change := range map[string]func(*ai.Prompt){
		"level 1":            func(p *ai.Prompt) { p.System = "abc" },
		"moved to level 2":   func(p *ai.Prompt) { p.System, p.UserData = "a", "bc" },
		"a turn":             func(p *ai.Prompt) { p.Turns[2] = say(ai.TurnUser, "less") },
		"a role":             func(p *ai.Prompt) { p.Turns[2] = say(ai.TurnAssistant, "more") },
		"the order of turns": func(p *ai.Prompt) { p.Turns[0], p.Turns[2] = p.Turns[2], p.Turns[0] },
		"a turn fewer":       func(p *ai.Prompt) { p.Turns = p.Turns[:1] },
		"the time":           func(p *ai.Prompt) { p.Tail = "later" },
		"the commands":       func(p *ai.Prompt) { p.Commands = nil },
		"the protocol":       func(p *ai.Prompt) { p.Protocol = domain.ProtocolJSON },
	} {
		h := make(change)
		if other, known := seen[h]; known {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[h] = name
	}
	if again := make(func(*ai.Prompt) {}); seen[again] != "the prompt itself" || len(again) != 64 {
		t.Errorf("the same prompt again has %q", again)
	}
	turn := say(ai.TurnUser, "kept")
	first := Fingerprint(&ai.Prompt{Turns: []*ai.Turn{turn}})
	if turn.Digest.Load() == nil || Fingerprint(&ai.Prompt{Turns: []*ai.Turn{turn}}) != first {
		t.Error("a turn is digested each time, or not the same")
	}
}
