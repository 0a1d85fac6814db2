package suite

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// UserTurn returns a user turn.
func UserTurn(texts ...string) *ai.Turn {
	t := &ai.Turn{Role: ai.TurnUser}
	for _, s := range texts {
		t.Blocks = append(t.Blocks, ai.Block{Kind: ai.BlockText, Text: s})
	}
	return t
}

// Answered is a turn of the model's.
func Answered(raw *domain.RawAnswer) *ai.Turn {
	return &ai.Turn{Role: ai.TurnAssistant, Blocks: []ai.Block{{Kind: ai.BlockAnswer, Answer: raw}}}
}

// Results is the turn with a result for each call of an answer, and with what texts are
// left over as the user's.
func Results(raw *domain.RawAnswer, texts ...string) *ai.Turn {
	t := &ai.Turn{Role: ai.TurnUser}
	for i := range raw.Calls {
		t.Blocks = append(t.Blocks, ai.Block{Kind: ai.BlockResult, CallID: raw.Calls[i].ID, Call: &raw.Calls[i], Text: texts[i]})
	}
	for _, s := range texts[len(raw.Calls):] {
		t.Blocks = append(t.Blocks, ai.Block{Kind: ai.BlockText, Text: s})
	}
	return t
}
