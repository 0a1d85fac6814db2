// Package speech tells a text that comes piece by piece to somebody from whom nothing can be
// taken back.
package speech

import (
	"strings"
	"unicode/utf8"
)

// Text tells messages one after the other, each character once. Where a call of the AI is made
// again (the server was killed), the new text goes on behind what the old one had in common with it.
type Text struct {
	id   string // the message that comes
	text string // what of it has come
	told string // what was told of it, or of the one whose place it takes
	done string // the message that was told whole: pieces of it may come late
}

// Piece takes a part of a text that begins at a character. anew says that it departs from what
// was told: more is then all of it.
func (s *Text) Piece(id string, offset int, text string) (more string, anew bool) {
	if id == s.done {
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
	if structured(s.text) {
		return "", false
	}
	return s.reach(s.text)
}

// structured: the answer is an object, whose text is shown when it has been read.
func structured(text string) bool {
	text = strings.TrimLeft(text, " \n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "```json")
}

func (s *Text) reach(text string) (more string, anew bool) {
	switch {
	case strings.HasPrefix(text, s.told):
		more, s.told = text[len(s.told):], text
		return more, false
	case strings.HasPrefix(s.told, text):
		return "", false // on its way through what was told
	}
	s.told = text
	return text, true
}

// Whole takes a message as it is stored: what of it was not told yet. One that was cut may have
// been told a little further than it is kept.
func (s *Text) Whole(id, text string, cut bool) (more string, anew bool) {
	switch {
	case text == "", cut && strings.HasPrefix(s.told, text):
	case len(text) < len(s.told):
		more, anew = text, true
	default:
		more, anew = s.reach(text)
	}
	*s = Text{done: id}
	return more, anew
}

// Over forgets what was told: nothing more comes of it.
func (s *Text) Over() { *s = Text{done: s.done} }

// Hold begins with what somebody was told before.
func (s *Text) Hold(told string) { *s = Text{told: told, done: s.done} }

// Told returns what the client has of the present message.
func (s *Text) Told() string { return s.told }

// Done is the message that was told whole last.
func (s *Text) Done() string { return s.done }
