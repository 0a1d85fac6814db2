package prompt

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// longestShown bounds one block of a transcript, in bytes: a summary does not need the middle of a
// long list. If the transcript is still too long, it is rendered with the next smaller limit, and
// finally cut in the middle, so that the summary request itself is not too long.
var longestShown = []int{12_000, 4_000, 1_000, 300}

// DefaultTranscript is the length of a transcript without a budget, in tokens. No transcript is
// shorter than LeastTranscript.
const (
	DefaultTranscript = 80_000
	LeastTranscript   = 500
)

//go:embed summary.md
var summaryInstructions string

// SummaryRequest requests a summary of older turns, in the workspace's language, with a transcript
// of limited length. The turns are sent as a transcript in one user turn: no commands are offered,
// and APIs reject a history with calls then.
func SummaryRequest(turns []*ai.Turn, language string, tokens int) *ai.Prompt {
	longest, text := max(tokens, LeastTranscript)*7/2, ""
	for _, limit := range longestShown {
		if text = transcript(turns, limit); len(text) <= longest {
			break
		}
	}
	text = "<transcript>\n" + CutMiddle(text, longest) + "</transcript>\n\nWrite the summary of this transcript now."
	return &ai.Prompt{
		System:   strings.ReplaceAll(strings.TrimSpace(summaryInstructions), "{language}", languageName(language)),
		Turns:    []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: text}}}},
		Protocol: domain.ProtocolNative,
	}
}

func transcript(turns []*ai.Turn, limit int) string {
	var b strings.Builder
	for _, turn := range turns {
		for i := range turn.Blocks {
			writeTranscript(&b, turn.Role, &turn.Blocks[i], limit)
		}
	}
	return b.String()
}

func writeTranscript(b *strings.Builder, role ai.TurnRole, block *ai.Block, limit int) {
	line := func(who, text string) {
		if text = strings.TrimSpace(text); text != "" {
			text = strings.ReplaceAll(CutMiddle(text, limit), "</transcript", "<_/transcript")
			b.WriteString(who + ": " + text + "\n\n")
		}
	}
	switch {
	case block.Kind == ai.BlockAnswer && block.Answer != nil:
		line("ASSISTANT", block.Answer.Text)
		for _, call := range block.Answer.Calls {
			line("ASSISTANT calls "+call.Name, call.Arguments)
		}
	case block.Kind == ai.BlockResult && block.Call != nil:
		line("RESULT of "+block.Call.Name, block.Text)
	case role == ai.TurnAssistant:
		line("ASSISTANT", block.Text)
	case isOutsideBlock(block.Text):
		line("WORDS FROM OUTSIDE", block.Text)
	case isServerText(block.Text):
		line("SERVER", block.Text)
	default:
		line("PERSON", block.Text)
	}
}

// Excerpt replaces a summary that the model failed to write: beginning and end of the transcript,
// at most limit bytes.
func Excerpt(turns []*ai.Turn, limit int) string {
	return CutMiddle(strings.TrimSpace(transcript(turns, longestShown[len(longestShown)-1])), limit)
}

// LatestWords returns the person's last message, unchanged, at most limit bytes ("" if none). It is
// appended to a summary, so that the current request is not paraphrased.
func LatestWords(turns []*ai.Turn, limit int) string {
	for _, turn := range slices.Backward(turns) {
		if turn.Role != ai.TurnUser {
			continue
		}
		var words []string
		for _, b := range turn.Blocks {
			if b.Kind == ai.BlockText && !isServerText(b.Text) {
				words = append(words, b.Text)
			}
		}
		if len(words) > 0 {
			return CutMiddle(strings.Join(words, "\n\n"), limit)
		}
	}
	return ""
}

func isServerText(text string) bool { return strings.HasPrefix(text, tagOpen+` type="`) }
