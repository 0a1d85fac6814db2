package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A chat client has instructions of its own for every answer. They stand at the head of the
// first message of its session, between these, so that a model can tell where they end.
const (
	instructionsHead = "Instructions of the chat client:\n"
	instructionsTail = "\n(The chat client's instructions end here.)\n\n"
)

// ClientInstructions are the instructions of a chat client, as they stand before what a person says.
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

// longestFirstWords is how many characters a session is called by, at most, that nobody gave a name.
const longestFirstWords = 60

// FirstWords are what a session is called by that nobody gave a name: the beginning of the first
// line that says something, cut between words.
func FirstWords(text string) string {
	for line := range strings.Lines(OwnWords(text)) {
		line = VisibleLine(strings.Join(strings.Fields(line), " "))
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
