package prompt

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// speakers remembers who speaks in a conversation. As long as it is one person, nothing
// is said of them; from the second on, the AI is told whenever another one speaks. What
// stands before stays as it was, so that caches hit.
type speakers struct {
	id, name string // who spoke last; "": nobody did since the summary
	several  bool
}

// line is what stands before a message of somebody else than before, "" where nothing
// does.
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

// afterSummary: the messages that said who spoke are gone.
func (s *speakers) afterSummary() speakers {
	if !s.several {
		return *s
	}
	return speakers{several: true}
}

// maxSpeaker bounds a name, in bytes.
const maxSpeaker = 100

// speakerName is what somebody is called, on one line that looks like nothing else.
func speakerName(m *domain.Message) string {
	name := strings.Join(strings.Fields(domain.VisibleLine(firstOf(m.SenderName, m.SenderID))), " ")
	return cut(name, maxSpeaker)
}
