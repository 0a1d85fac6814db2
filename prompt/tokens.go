package prompt

import "github.com/fermata-dev/fermata/domain"

// blockOverhead is what a block costs beside its text: role, kind, ids. The longest wire, OpenAI's, has 31
// bytes around it.
const blockOverhead = 9

// EstimateTokens guesses how many tokens a text has: its bytes by 3.5, rounded up. It
// errs on the high side for English and is about right for scripts of three bytes a
// character.
func EstimateTokens(text string) int { return (len(text)*2 + 6) / 7 }

func estimateBlocks(blocks []domain.Block) int {
	sum := 0
	for i := range blocks {
		sum += estimateBlock(&blocks[i])
	}
	return sum
}

func estimateBlock(b *domain.Block) int {
	sum := blockOverhead + EstimateTokens(b.Text)
	if b.Kind == domain.BlockPicture {
		return sum + b.File.PictureTokens()
	}
	if b.Answer == nil {
		return sum
	}
	sum += EstimateTokens(b.Answer.Text)
	for i := range b.Answer.Calls {
		call := &b.Answer.Calls[i]
		sum += blockOverhead + EstimateTokens(call.Name) + EstimateTokens(call.Arguments)
	}
	for _, thought := range b.Answer.Thinking {
		sum += EstimateTokens(thought.Text)
	}
	return sum
}
