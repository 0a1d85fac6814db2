package prompt

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// gathering builds the current user turn: first a result for each native call of the answer before
// it, in the order of the calls, then texts.
type gathering struct {
	mark Marker
	gathered
	calls    []*domain.RawCall // of the previous answer
	answered []bool            // by call; until then a placeholder is its result
	blocks   []ai.Block
	tokens   int
	turn     *ai.Turn // as built last; nil after a change
	shared   bool     // the blocks were returned: results are changed in a copy
}

// gathered are the messages of a user turn.
type gathered struct {
	messages []*domain.Message
	speakers []string // the speaker line before each of them, or ""
}

func (g *gathered) add(m *domain.Message, speaker string) {
	g.messages, g.speakers = append(g.messages, m), append(g.speakers, speaker)
}

// expecting begins the user turn that follows an assistant turn.
func expecting(answer []ai.Block, mark Marker) gathering {
	var calls []*domain.RawCall
	for _, b := range answer {
		if b.Answer == nil {
			continue
		}
		for i := range b.Answer.Calls {
			calls = append(calls, &b.Answer.Calls[i])
		}
	}
	return freshGathering(calls, mark)
}

func freshGathering(calls []*domain.RawCall, mark Marker) gathering {
	g := gathering{mark: mark, calls: calls, answered: make([]bool, len(calls))}
	for _, call := range calls {
		g.text(ai.Block{Kind: ai.BlockResult, CallID: call.ID, Call: call, Text: missingResult(call.Name)})
	}
	return g
}

// add adds a USER or SYSTEM message after its speaker line.
func (g *gathering) add(m *domain.Message, speaker string) {
	g.gathered.add(m, speaker)
	if speaker != "" {
		g.text(ai.Block{Kind: ai.BlockText, Text: speaker})
	}
	if m.Sender == domain.SenderUser {
		words := userText(m)
		if m.AnswersCall == "" || !g.result(m.AnswersCall, words, false) {
			g.text(ai.Block{Kind: ai.BlockText, Text: words})
		}
		for _, b := range g.mark.segmentBlocks(m.Rich) {
			g.text(b)
		}
		return
	}
	g.texts(g.systemTexts(m))
}

func (g *gathering) addAll(list gathered) {
	for i, m := range list.messages {
		g.add(m, list.speakers[i])
	}
}

func (g *gathering) texts(list []string) {
	for _, text := range list {
		g.text(ai.Block{Kind: ai.BlockText, Text: text})
	}
}

// result sets the result of a call that has none yet; false if there is no such call.
func (g *gathering) result(callID, text string, isError bool) bool {
	for i, call := range g.calls {
		if g.answered[i] || call.ID != callID {
			continue
		}
		if g.shared {
			g.blocks, g.shared = slices.Clone(g.blocks), false
		}
		g.tokens += EstimateTokens(text) - EstimateTokens(g.blocks[i].Text)
		g.blocks[i].Text, g.blocks[i].IsError = text, isError
		g.answered[i], g.turn = true, nil
		return true
	}
	return false
}

func (g *gathering) text(b ai.Block) {
	g.blocks = append(g.blocks, b)
	g.tokens += estimateBlock(&b)
	g.turn = nil
}

// continueNotice is used if an API requires a user turn and there is no message: for a repeated round, or
// between two answers.
var continueNotice = Notice("GUIDANCE", "Go on.")

// build returns the turn in its current state. Later texts are appended after the returned ones, so
// the blocks are shared rather than copied.
func (g *gathering) build() *ai.Turn {
	if g.turn != nil {
		return g.turn
	}
	if len(g.blocks) == 0 {
		g.turn = &ai.Turn{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: continueNotice}}}
		return g.turn
	}
	n := len(g.blocks)
	g.turn = &ai.Turn{Role: ai.TurnUser, Blocks: g.blocks[:n:n]}
	g.shared = true
	return g.turn
}

func (g *gathering) cost() int {
	if len(g.blocks) == 0 {
		return blockOverhead + EstimateTokens(continueNotice)
	}
	return g.tokens
}
