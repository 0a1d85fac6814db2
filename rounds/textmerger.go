package rounds

import (
	"strings"
	"unicode/utf8"
)

// TextMerger merges the streamed and the stored text of messages for a client that cannot take text
// back: each character is sent once. When a call of the AI is repeated after a crash, the new text
// continues after the prefix that it shares with the earlier one.
type TextMerger struct {
	// StreamJSON sends the text of a JSON object like any other; otherwise it is sent when it is complete.
	StreamJSON bool

	id       string // of the message that is being streamed
	text     string // received so far
	sent     string // sent of this message, or of the one that it replaces
	complete string // id of the last complete message: late deltas of it are ignored
}

// Add takes a delta that begins at an offset in characters, and returns the text to send. restarted
// reports that the text differs from what was sent before: more is then all of it.
func (s *TextMerger) Add(id string, offset int, text string) (more string, restarted bool) {
	if id == s.complete {
		return "", false
	}
	if id != s.id {
		s.id, s.text = id, ""
	}
	have := utf8.RuneCountInString(s.text)
	if offset > have {
		return "", false // the stored message contains the missing part
	}
	runes := []rune(text)
	if have-offset >= len(runes) {
		return "", false
	}
	s.text += string(runes[have-offset:])
	if !s.StreamJSON && isJSONAnswer(s.text) {
		return "", false
	}
	return s.advance(s.text)
}

// isJSONAnswer reports whether the answer is a JSON object.
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
		return "", false // not yet past what was sent
	}
	s.sent = text
	return text, true
}

// Complete takes a stored message, and returns the text that was not sent yet. An interrupted answer
// may have been streamed a little further than it is stored.
func (s *TextMerger) Complete(id, text string, cut bool) (more string, restarted bool) {
	switch {
	case text == "", cut && strings.HasPrefix(s.sent, text):
	case len(text) < len(s.sent):
		more, restarted = text, true
	default:
		more, restarted = s.advance(text)
	}
	*s = TextMerger{StreamJSON: s.StreamJSON, complete: id}
	return more, restarted
}

// Reset forgets what was sent: the message will not be continued.
func (s *TextMerger) Reset() { *s = TextMerger{StreamJSON: s.StreamJSON, complete: s.complete} }

// Resume starts from text the client already has.
func (s *TextMerger) Resume(sent string) {
	*s = TextMerger{StreamJSON: s.StreamJSON, sent: sent, complete: s.complete}
}

// Sent returns what the client has of the current message.
func (s *TextMerger) Sent() string { return s.sent }

// LastComplete returns the id of the last complete message.
func (s *TextMerger) LastComplete() string { return s.complete }
