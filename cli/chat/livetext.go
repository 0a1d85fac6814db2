package chat

import "github.com/fermata-dev/fermata/rounds"

// liveText is the streaming answer.
type liveText struct {
	rounds.TextMerger
	id string
}

// add returns the part of a delta that was not displayed.
func (l *liveText) add(id string, offset int, text string) string {
	l.id = id
	more, _ := l.Add(id, offset, text)
	return more
}

// drop discards a text; it returns false if nothing of it was displayed.
func (l *liveText) drop(id string) bool {
	was := l.id == id && l.Sent() != ""
	l.id = ""
	l.Reset()
	return was
}

// finish returns the part of the finished text that was not displayed; begun reports whether its
// beginning was. Of an interrupted answer less may be stored than was displayed.
func (l *liveText) finish(id, text string, interrupted bool) (rest string, begun bool) {
	begun = l.Sent() != ""
	l.id = ""
	rest, restarted := l.Complete(id, text, interrupted)
	return rest, begun && !restarted
}
