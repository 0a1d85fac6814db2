// Package speech tells a text that comes piece by piece to somebody from whom nothing can be
// taken back.
package rounds

import (
	"strings"
	"unicode/utf8"
)

// Text tells messages one after the other, each character once. Where a call of the AI is made
// again (the server was killed), the new text goes on behind what the old one had in common with it.
type TextMerger struct {
	id       string // the message that comes
	text     string // what of it has come
	sent     string // what was told of it, or of the one whose place it takes
	complete string // the message that was told whole: pieces of it may come late
}

// Piece takes a part of a text that begins at a character. anew says that it departs from what
// was told: more is then all of it.
func (s *TextMerger) Add(id string, offset int, text string) (more string, restarted bool) {
	if id == s.complete {
		return "", false
	}
	if id != s.id {
		s.id, s.text = id, ""
	}
	have := utf8.RuneCountInString(s.text)
	if offset > have {
		return "", false // the message itself brings what is missing here
	}
	runes := []rune(text)
	if have-offset >= len(runes) {
		return "", false
	}
	s.text += string(runes[have-offset:])
	if isJSONAnswer(s.text) {
		return "", false
	}
	return s.advance(s.text)
}

// structured: the answer is an object, whose text is shown when it has been read.
func isJSONAnswer(text string) bool {
	text = strings.TrimLeft(text, " \n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "```json")
}

func (s *TextMerger) advance(text string) (more string, restarted bool) {
	switch {
	case strings.HasPrefix(text, s.sent):
		more, s.sent = text[len(s.sent):], text
		return more, false
	case strings.HasPrefix(s.sent, text):
		return "", false // on its way through what was told
	}
	s.sent = text
	return text, true
}

// Whole takes a message as it is stored: what of it was not told yet. One that was cut may have
// been told a little further than it is kept.
func (s *TextMerger) Complete(id, text string, cut bool) (more string, restarted bool) {
	switch {
	case text == "", cut && strings.HasPrefix(s.sent, text):
	case len(text) < len(s.sent):
		more, restarted = text, true
	default:
		more, restarted = s.advance(text)
	}
	*s = TextMerger{complete: id}
	return more, restarted
}

// Over forgets what was told: nothing more comes of it.
func (s *TextMerger) Reset() { *s = TextMerger{complete: s.complete} }

// Hold begins with what somebody was told before.
func (s *TextMerger) Resume(sent string) { *s = TextMerger{sent: sent, complete: s.complete} }

// Told returns what the client has of the present message.
func (s *TextMerger) Sent() string { return s.sent }

// Done is the message that was told whole last.
func (s *TextMerger) LastComplete() string { return s.complete }
