package prompt

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// longestShown bounds one block of a transcript, in bytes: a summary does not need
// the middle of a long list. A transcript that is still too long is made again with
// shorter blocks, and cut in its middle at last, so that the request for a summary is
// not itself too long.
var longestShown = []int{12_000, 4_000, 1_000, 300}

// DefaultTranscript is how long a transcript may be where no budget says otherwise, in
// tokens; no transcript is shorter than LeastTranscript.
const (
	DefaultTranscript = 80_000
	LeastTranscript   = 500
)

//go:embed summary.md
var summaryInstructions string

// SummaryRequest asks for a summary of older turns, in the workspace's language, with a
// transcript of at most so many tokens. The
// conversation goes in as a transcript within one user turn: no commands are offered,
// and an API that is offered none takes no history with calls.
func SummaryRequest(turns []*domain.Turn, language string, tokens int) *domain.Prompt {
	longest, text := max(tokens, LeastTranscript)*7/2, ""
	for _, limit := range longestShown {
		if text = transcript(turns, limit); len(text) <= longest {
			break
		}
	}
	text = "<transcript>\n" + shorten(text, longest) + "</transcript>\n\nWrite the summary of this transcript now."
	return &domain.Prompt{
		System:   strings.ReplaceAll(strings.TrimSpace(summaryInstructions), "{language}", languageName(language)),
		Turns:    []*domain.Turn{{Role: domain.TurnUser, Blocks: []domain.Block{{Kind: domain.BlockText, Text: text}}}},
		Protocol: domain.ProtocolNative,
	}
}

func transcript(turns []*domain.Turn, limit int) string {
	var b strings.Builder
	for _, turn := range turns {
		for i := range turn.Blocks {
			writeTranscript(&b, turn.Role, &turn.Blocks[i], limit)
		}
	}
	return b.String()
}

func writeTranscript(b *strings.Builder, role domain.TurnRole, block *domain.Block, limit int) {
	line := func(who, text string) {
		if text = strings.TrimSpace(text); text != "" {
			text = strings.ReplaceAll(shorten(text, limit), "</transcript", "<_/transcript")
			b.WriteString(who + ": " + text + "\n\n")
		}
	}
	switch {
	case block.Kind == domain.BlockAnswer && block.Answer != nil:
		line("ASSISTANT", block.Answer.Text)
		for _, call := range block.Answer.Calls {
			line("ASSISTANT calls "+call.Name, call.Arguments)
		}
	case block.Kind == domain.BlockResult && block.Call != nil:
		line("RESULT of "+block.Call.Name, block.Text)
	case role == domain.TurnAssistant:
		line("ASSISTANT", block.Text)
	case ofOutside(block.Text):
		line("WORDS FROM OUTSIDE", block.Text)
	case ofServer(block.Text):
		line("SERVER", block.Text)
	default:
		line("PERSON", block.Text)
	}
}

// Excerpt stands for a summary that the model did not give: the beginning and the end
// of what was said, at most limit bytes.
func Excerpt(turns []*domain.Turn, limit int) string {
	return shorten(strings.TrimSpace(transcript(turns, longestShown[len(longestShown)-1])), limit)
}

// Shorten keeps the beginning and the end of a long text, at most limit bytes.
func Shorten(text string, limit int) string { return shorten(text, limit) }

// LatestWords is what the person said last, word for word, at most limit bytes ("" if
// nothing): it is put behind a summary, so that the present request does not reach the
// model in another's words.
func LatestWords(turns []*domain.Turn, limit int) string {
	for _, turn := range slices.Backward(turns) {
		if turn.Role != domain.TurnUser {
			continue
		}
		var words []string
		for _, b := range turn.Blocks {
			if b.Kind == domain.BlockText && !ofServer(b.Text) {
				words = append(words, b.Text)
			}
		}
		if len(words) > 0 {
			return shorten(strings.Join(words, "\n\n"), limit)
		}
	}
	return ""
}

func ofServer(text string) bool { return strings.HasPrefix(text, tagOpen+` type="`) }

// shorten keeps the beginning and the end of a long text, and says so.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const gap = "\n[… cut here …]\n"
	head := max(0, limit*2/3-len(gap))
	tail := text[len(text)-limit/3:]
	return cleanText(strings.ToValidUTF8(text[:head], "")) + gap + cleanText(strings.ToValidUTF8(tail, ""))
}
