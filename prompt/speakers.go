package prompt

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

// speakers tracks who speaks in a session. As long as it is one person, no names are added; from
// the second person on, the AI is informed of each change. Earlier turns stay unchanged, for the
// cache.
type speakers struct {
	id, name string // the last speaker; "": none since the summary
	several  bool
}

// line returns the speaker line before a message of another person than before, or "".
func (s *speakers) line(m *domain.Message) string {
	if m.Sender != domain.SenderUser || m.SenderID == "" || m.SenderID == s.id {
		return ""
	}
	name, before := speakerName(m), s.name
	s.several = s.several || s.id != ""
	s.id, s.name = m.SenderID, name
	switch {
	case !s.several:
		return ""
	case before == "" || before == name:
		return Notice("SPEAKER", name+" writes from here on.")
	}
	return Notice("SPEAKER", name+" writes from here on. Before, it was "+before+".")
}

// afterSummary resets the speaker: earlier names are no longer in the prompt.
func (s *speakers) afterSummary() speakers {
	if !s.several {
		return *s
	}
	return speakers{several: true}
}

// maxSpeaker bounds a name, in bytes, with the three of an ellipsis.
const maxSpeaker = 103

// speakerName returns a person's name on one line, without tags.
func speakerName(m *domain.Message) string {
	name := strings.Join(strings.Fields(visible.Line(firstOf(m.SenderName, m.SenderID))), " ")
	return shorten.Bytes(name, maxSpeaker)
}
