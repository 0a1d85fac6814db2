package prompt

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// gathering is the user turn that is still open: first one result for each native
// call of the answer before it, in the order of the calls, then texts.
type gathering struct {
	mark Marker
	gathered
	calls    []*domain.RawCall // of the answer before
	answered []bool            // by call; until then its result says that there is none
	blocks   []domain.Block
	tokens   int
	turn     *domain.Turn // as last built; nil when something came since
	shared   bool         // the blocks were handed out: a result is changed in a copy
}

// gathered is what a user turn is made of.
type gathered struct {
	messages []*domain.Message
	speakers []string // the line that stands before each of them, "" for none
}

func (g *gathered) add(m *domain.Message, speaker string) {
	g.messages, g.speakers = append(g.messages, m), append(g.speakers, speaker)
}

// expecting opens the user turn that follows an assistant's turn.
func expecting(answer []domain.Block, mark Marker) gathering {
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
		g.text(domain.Block{Kind: domain.BlockResult, CallID: call.ID, Call: call, Text: missingResult(call.Name)})
	}
	return g
}

// add takes in a USER or SYSTEM message, behind the line that says who speaks.
func (g *gathering) add(m *domain.Message, speaker string) {
	g.gathered.add(m, speaker)
	if speaker != "" {
		g.text(domain.Block{Kind: domain.BlockText, Text: speaker})
	}
	if m.Sender == domain.SenderUser {
		words := personsWords(m)
		if m.AnswersCall == "" || !g.result(m.AnswersCall, words, false) {
			g.text(domain.Block{Kind: domain.BlockText, Text: words})
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
		g.text(domain.Block{Kind: domain.BlockText, Text: text})
	}
}

// result fills the place of a call that has no result yet; false if there is none.
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

func (g *gathering) text(b domain.Block) {
	g.blocks = append(g.blocks, b)
	g.tokens += estimateBlock(&b)
	g.turn = nil
}

// goOn stands where an API wants a user turn and nobody said anything: a round that
// was asked for again, two answers in a row.
var goOn = Notice("GUIDANCE", "Go on.")

// build gives the turn as it is now. Later texts go behind what was handed out, so the
// blocks are shared, not copied.
func (g *gathering) build() *domain.Turn {
	if g.turn != nil {
		return g.turn
	}
	if len(g.blocks) == 0 {
		g.turn = &domain.Turn{Role: domain.TurnUser, Blocks: []domain.Block{{Kind: domain.BlockText, Text: goOn}}}
		return g.turn
	}
	n := len(g.blocks)
	g.turn = &domain.Turn{Role: domain.TurnUser, Blocks: g.blocks[:n:n]}
	g.shared = true
	return g.turn
}

func (g *gathering) cost() int {
	if len(g.blocks) == 0 {
		return blockOverhead + EstimateTokens(goOn)
	}
	return g.tokens
}
