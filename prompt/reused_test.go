package prompt

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

func words(role ai.TurnRole, texts ...string) *ai.Turn {
	t := &ai.Turn{Role: role}
	for _, text := range texts {
		t.Blocks = append(t.Blocks, ai.Block{Kind: ai.BlockText, Text: text})
	}
	return t
}

// TestReused: what comes after the first difference is not reused, be it the same.
func TestReused(t *testing.T) {
	turns := []*ai.Turn{words(ai.TurnUser, "one"), words(ai.TurnAssistant, "two"), words(ai.TurnUser, "three")}
	base := func() *ai.Prompt {
		return &ai.Prompt{System: "rules and rules", UserData: "data", Turns: turns, Tail: "now", Commands: []domain.CommandSpec{{Name: "ZONES"}}}
	}
	grown := base()
	grown.Turns = []*ai.Turn{turns[0], turns[1], words(ai.TurnUser, "three", "four")}
	again := base()
	again.Tail = "later"
	other := base()
	other.UserData = "other data"
	commands := base()
	commands.Commands = []domain.CommandSpec{{Name: "ZONES", Description: "All."}}
	definitions, rules := ai.DefinitionTokens(&base().Commands[0]), EstimateTokens(base().System)
	_, all := Reused(base(), base())
	for name, tt := range map[string]struct {
		p      *ai.Prompt
		reused int
	}{
		"the same with another time": {again, all},
		"a turn that has grown":      {grown, all},
		"other data":                 {other, definitions + rules},
		"another definition":         {commands, 0},
	} {
		if got, whole := Reused(base(), tt.p); got != tt.reused || whole < got {
			t.Errorf("%s: %d of %d are reused, want %d", name, got, whole, tt.reused)
		}
	}
}
