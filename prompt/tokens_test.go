package prompt

import "github.com/fermata-dev/fermata/domain"

// estimateMessage guesses what a message adds to the prompt, in tokens; 0 for one
// that is never sent.
func estimateMessage(m *domain.Message) int {
	if !inPrompt(m) {
		return 0
	}
	if m.Sender == domain.SenderAI {
		return estimateBlocks(answerBlocks(m, domain.ProtocolNative))
	}
	var g gathering
	g.add(m, "")
	return g.tokens
}
