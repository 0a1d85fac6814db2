package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

const (
	// noteSize is the size of a result that was cut to a note, in bytes.
	noteSize = 240
	// summaryShare is the divisor of the room for a summary: a quarter.
	summaryShare = 4
)

// leftOut replaces omitted older turns.
var leftOut = Notice("NOTE", "Earlier messages are left out here, because the conversation is too long.")

// Size estimates a whole prompt in tokens; turns is the estimate of its turns.
func Size(p *ai.Prompt, turns int) int {
	return EstimateTokens(p.System) + EstimateTokens(p.UserData) + EstimateTokens(p.Tail) +
		EstimateTokens(string(p.AnswerSchema)) + sizeOfCommands(p.Commands) + turns
}

// Parts estimates the parts of a prompt, whose sum is its Size.
func Parts(p *ai.Prompt, turns int) domain.PromptSize {
	return domain.PromptSize{
		PromptTokens: Size(p, turns),
		Rules:        EstimateTokens(p.System) + EstimateTokens(string(p.AnswerSchema)),
		Commands:     sizeOfCommands(p.Commands), Data: EstimateTokens(p.UserData), History: EstimateTokens(p.Tail) + turns,
	}
}

func sizeOfCommands(specs []domain.CommandSpec) int {
	sum := 0
	for i := range specs {
		sum += ai.DefinitionTokens(&specs[i])
	}
	return sum
}

// Fit reduces turns to a room, in tokens. First, results are cut to notes, the largest first; then
// a long summary is shortened and the oldest turns are dropped; finally the results of the current
// turn are cut. The person's message in the last turn is never cut, so the result may still be too
// large: newSize is its size. The given turns are not modified, and the result is valid: every call
// has its result, and turns alternate.
func Fit(turns []*ai.Turn, size, room int) (fitted []*ai.Turn, newSize int) {
	if size <= room {
		return turns, size
	}
	f := &fitting{turns: slices.Clone(turns), size: size, room: room}
	f.cutResults(0, len(turns)-1)
	f.cutSummary()
	f.dropTurns()
	f.cutResults(0, len(f.turns))
	return f.turns, f.size
}

// EstimateTurns sums the sizes of turns.
func EstimateTurns(turns []*ai.Turn) int {
	sum := 0
	for _, t := range turns {
		sum += estimateBlocks(t.Blocks)
	}
	return sum
}

type fitting struct {
	turns []*ai.Turn
	size  int
	room  int
}

type place struct{ turn, block, bytes int }

// cutResults cuts results within these turns, the largest first.
func (f *fitting) cutResults(from, to int) {
	if f.size <= f.room {
		return
	}
	var places []place
	for i := from; i < to; i++ {
		for j := range f.turns[i].Blocks {
			if b := &f.turns[i].Blocks[j]; canBeNote(b) {
				places = append(places, place{i, j, len(b.Text)})
			}
		}
	}
	slices.SortStableFunc(places, func(x, y place) int { return y.bytes - x.bytes })
	copied := map[int]bool{}
	for _, p := range places {
		if f.size <= f.room {
			return
		}
		turn := f.turns[p.turn]
		if !copied[p.turn] {
			turn = &ai.Turn{Role: turn.Role, Blocks: slices.Clone(turn.Blocks)}
			f.turns[p.turn], copied[p.turn] = turn, true
		}
		b := &turn.Blocks[p.block]
		f.size -= EstimateTokens(b.Text)
		if b.Text = note(b); b.File != nil {
			b.Why = domain.FileCut
		}
		f.size += EstimateTokens(b.Text)
	}
}

// canBeNote reports whether a block is a result or data, but not a summary.
func canBeNote(b *ai.Block) bool {
	head, _ := outsideHead(b.Text)
	if len(b.Text)-head <= 2*noteSize || isSummaryBlock(b) {
		return false
	}
	return b.Kind == ai.BlockResult || b.Kind == ai.BlockText && isServerText(b.Text)
}

func isSummaryBlock(b *ai.Block) bool {
	return b.Kind == ai.BlockText && strings.HasPrefix(b.Text, tagOpen+` type="`+string(domain.SystemContextSummary)+`"`)
}

// note returns the beginning of a result with a remark that it was cut. A block of external content
// keeps its tags.
func note(b *ai.Block) string {
	head, end := outsideHead(b.Text)
	if end == "" && b.Kind == ai.BlockText {
		end = tagClose
	}
	kept := head + noteSize
	text := fmt.Sprintf(
		"%s\n[… %d more characters are left out here, because the conversation is too long. Ask again for what you need of them.]",
		cleanText(strings.ToValidUTF8(b.Text[:kept], "")),
		len(b.Text)-kept,
	)
	return strings.TrimSuffix(text+"\n"+end, "\n")
}

// dropTurns drops the oldest turns, each answer together with the turn before it, until the rest
// fits or only the last turn is left. A summary is kept.
func (f *fitting) dropTurns() {
	if f.size <= f.room {
		return
	}
	rest := f.size - estimateBlocks(f.turns[0].Blocks) // of the turns after the first
	for from := 2; from < len(f.turns); from += 2 {
		rest -= estimateBlocks(f.turns[from-1].Blocks) + estimateBlocks(f.turns[from].Blocks)
		first := f.beginning(from)
		size := rest + estimateBlocks(first.Blocks)
		if size > f.room && from+2 < len(f.turns) {
			continue
		}
		f.turns = append([]*ai.Turn{first}, f.turns[from+1:]...)
		f.size = size
		return
	}
}

// beginning converts the turn at from to the first turn of a history.
func (f *fitting) beginning(from int) *ai.Turn {
	blocks := keptBlocks(f.turns[0])
	for _, b := range f.turns[from].Blocks {
		if b.Kind != ai.BlockResult {
			blocks = append(blocks, b)
			continue
		}
		// Its call was dropped: keep the result as text.
		said, block := splitOutside(b.Text)
		blocks = append(blocks, ai.Block{Kind: ai.BlockText, Text: Notice("RESULT", resultName(&b)+said)})
		if block != "" {
			blocks = append(blocks, ai.Block{Kind: ai.BlockText, Text: block})
		}
	}
	return &ai.Turn{Role: ai.TurnUser, Blocks: blocks}
}

func resultName(b *ai.Block) string {
	if b.Call == nil {
		return ""
	}
	return "[" + b.Call.Name + "]\n"
}

// keptBlocks returns what is kept of dropped turns: the summary at the beginning, and the remark that
// turns are missing.
func keptBlocks(first *ai.Turn) []ai.Block {
	var kept []ai.Block
	for i := range first.Blocks {
		if isSummaryBlock(&first.Blocks[i]) {
			kept = append(kept, first.Blocks[i])
		}
	}
	return append(kept, ai.Block{Kind: ai.BlockText, Text: leftOut})
}

// cutSummary shortens a long summary to its share: the later turns are more relevant.
func (f *fitting) cutSummary() {
	if f.size <= f.room || len(f.turns) == 0 {
		return
	}
	most := max(f.room/summaryShare*7/2, noteSize)
	first := f.turns[0]
	for j := range first.Blocks {
		if !isSummaryBlock(&first.Blocks[j]) || len(first.Blocks[j].Text) <= most {
			continue
		}
		own := &ai.Turn{Role: first.Role, Blocks: slices.Clone(first.Blocks)}
		own.Blocks[j].Text = CutMiddle(own.Blocks[j].Text, most)
		f.turns[0] = own
	}
	f.size = EstimateTurns(f.turns)
}
