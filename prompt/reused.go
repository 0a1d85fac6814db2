package prompt

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// Reused estimates how many tokens of a prompt are the beginning of an earlier one, and so may be in the provider's
// cache: the commands, the rules, what the workspace wrote, and the turns, as far as they are the same. whole is the
// estimate of the prompt without its tail, which changes with each call.
func Reused(before, p *ai.Prompt) (reused, whole int) {
	parts := []struct {
		same   bool
		tokens int
	}{
		{slices.EqualFunc(before.Commands, p.Commands, sameDefinition), sizeOfCommands(p.Commands)},
		{before.System == p.System, EstimateTokens(p.System)},
		{before.UserData == p.UserData, EstimateTokens(p.UserData)},
	}
	same := true
	for _, part := range parts {
		whole += part.tokens
		if same = same && part.same; same {
			reused += part.tokens
		}
	}
	for i, turn := range p.Turns {
		whole += estimateBlocks(turn.Blocks)
		if !same || i >= len(before.Turns) {
			continue
		}
		old := before.Turns[i]
		if same = old == turn || *digest(old) == *digest(turn); same {
			reused += estimateBlocks(turn.Blocks)
		} else {
			reused += sameBlocks(old, turn)
		}
	}
	return reused, whole
}

func sameDefinition(a, b domain.CommandSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Params) == string(b.Params)
}

// sameBlocks estimates the blocks with which both turns begin. The last user turn of a prompt may have grown.
func sameBlocks(old, turn *ai.Turn) int {
	if old.Role != turn.Role {
		return 0
	}
	sum := 0
	for i := range min(len(old.Blocks), len(turn.Blocks)) {
		a, b := &old.Blocks[i], &turn.Blocks[i]
		if a.Kind != b.Kind || a.Text != b.Text || a.CallID != b.CallID || a.Answer != b.Answer {
			break
		}
		sum += estimateBlock(b)
	}
	return sum
}
