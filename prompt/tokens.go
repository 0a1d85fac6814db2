package prompt

import "github.com/fermata-dev/fermata/domain/ai"

// blockOverhead is the cost of a block besides its text: role, type, IDs. The longest wire format,
// OpenAI's, adds 31 bytes.
const blockOverhead = 9

// EstimateTokens estimates the tokens of a text: its bytes divided by 3.5, rounded up. It is
// slightly high for English and about right for scripts with three bytes per character.
func EstimateTokens(text string) int { return (len(text)*2 + 6) / 7 }

func estimateBlocks(blocks []ai.Block) int {
	sum := 0
	for i := range blocks {
		sum += estimateBlock(&blocks[i])
	}
	return sum
}

func estimateBlock(b *ai.Block) int {
	sum := blockOverhead + EstimateTokens(b.Text)
	if b.Kind == ai.BlockPicture {
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
