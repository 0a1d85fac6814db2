package ai

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/internal/visible"
)

// A chat client has its own instructions for every answer. They are put at the start of the first message
// of its session, between these marks, so that a model can find their end.
const (
	instructionsHead = "Instructions of the chat client:\n"
	instructionsTail = "\n(The chat client's instructions end here.)\n\n"
)

// ClientInstructions puts a chat client's instructions between their marks.
func ClientInstructions(text string) string { return instructionsHead + text + instructionsTail }

// OwnWords are the words of a message without the instructions of a chat client before them.
func OwnWords(text string) string {
	if rest, found := strings.CutPrefix(text, instructionsHead); found {
		if _, own, ended := strings.Cut(rest, instructionsTail); ended {
			return own
		}
	}
	return text
}

// longestFirstWords limits the generated name of a session, in characters.
const longestFirstWords = 60

// FirstWords generates the name of a session: the beginning of the first non-empty line, cut between
// words.
func FirstWords(text string) string {
	for line := range strings.Lines(OwnWords(text)) {
		line = visible.Line(strings.Join(strings.Fields(line), " "))
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) <= longestFirstWords {
			return line
		}
		cut := string([]rune(line)[:longestFirstWords])
		if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
			cut = cut[:at]
		}
		return strings.TrimRightFunc(cut, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:.", r) }) + "…"
	}
	return ""
}
