package suite

import "github.com/fermata-dev/fermata/domain"

// UserTurn returns a user turn.
func UserTurn(texts ...string) *domain.Turn {
	t := &domain.Turn{Role: domain.TurnUser}
	for _, s := range texts {
		t.Blocks = append(t.Blocks, domain.Block{Kind: domain.BlockText, Text: s})
	}
	return t
}

// Answered is a turn of the model's.
func Answered(raw *domain.RawAnswer) *domain.Turn {
	return &domain.Turn{Role: domain.TurnAssistant, Blocks: []domain.Block{{Kind: domain.BlockAnswer, Answer: raw}}}
}

// Results is the turn with a result for each call of an answer, and with what texts are
// left over as the user's.
func Results(raw *domain.RawAnswer, texts ...string) *domain.Turn {
	t := &domain.Turn{Role: domain.TurnUser}
	for i := range raw.Calls {
		t.Blocks = append(t.Blocks, domain.Block{Kind: domain.BlockResult, CallID: raw.Calls[i].ID, Call: &raw.Calls[i], Text: texts[i]})
	}
	for _, s := range texts[len(raw.Calls):] {
		t.Blocks = append(t.Blocks, domain.Block{Kind: domain.BlockText, Text: s})
	}
	return t
}
