package prompt

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestFingerprintsDistinguishPrompts: the same prompt has the same one, every change of
// it another, also where a text only moves from one part to the next.
func TestFingerprintsDistinguishPrompts(t *testing.T) {
	say := func(role domain.TurnRole, text string) *domain.Turn {
		return &domain.Turn{Role: role, Blocks: []domain.Block{{Kind: domain.BlockText, Text: text}}}
	}
	make := func(change func(*domain.Prompt)) string {
		p := &domain.Prompt{
			System: "ab", UserData: "c", Tail: "now", Protocol: domain.ProtocolNative,
			Turns:    []*domain.Turn{say(domain.TurnUser, "hello"), say(domain.TurnAssistant, "hi"), say(domain.TurnUser, "more")},
			Commands: []domain.CommandSpec{{Name: "ZONES"}},
		}
		change(p)
		return Fingerprint(p)
	}
	seen := map[string]string{make(func(*domain.Prompt) {}): "the prompt itself"}
	for name, change := range map[string]func(*domain.Prompt){
		"level 1":            func(p *domain.Prompt) { p.System = "abc" },
		"moved to level 2":   func(p *domain.Prompt) { p.System, p.UserData = "a", "bc" },
		"a turn":             func(p *domain.Prompt) { p.Turns[2] = say(domain.TurnUser, "less") },
		"a role":             func(p *domain.Prompt) { p.Turns[2] = say(domain.TurnAssistant, "more") },
		"the order of turns": func(p *domain.Prompt) { p.Turns[0], p.Turns[2] = p.Turns[2], p.Turns[0] },
		"a turn fewer":       func(p *domain.Prompt) { p.Turns = p.Turns[:1] },
		"the time":           func(p *domain.Prompt) { p.Tail = "later" },
		"the commands":       func(p *domain.Prompt) { p.Commands = nil },
		"the protocol":       func(p *domain.Prompt) { p.Protocol = domain.ProtocolJSON },
	} {
		h := make(change)
		if other, known := seen[h]; known {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[h] = name
	}
	if again := make(func(*domain.Prompt) {}); seen[again] != "the prompt itself" || len(again) != 64 {
		t.Errorf("the same prompt again has %q", again)
	}
	turn := say(domain.TurnUser, "kept")
	first := Fingerprint(&domain.Prompt{Turns: []*domain.Turn{turn}})
	if turn.Digest.Load() == nil || Fingerprint(&domain.Prompt{Turns: []*domain.Turn{turn}}) != first {
		t.Error("a turn is digested each time, or not the same")
	}
}
