package prompt

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// History is the conversation of one session as the turns of a prompt. It is kept in
// memory between calls of the AI and appended to, so that the next prompt costs what
// is new. Built anew from the stored messages it has the same turns, byte for byte.
//
// A History belongs to one goroutine. What Turns hands out may be read by others for
// ever: it is never changed afterwards.
type History struct {
	protocol domain.Protocol
	mark     Marker
	// slots holds the closed turns, and after them perhaps the open one as it was last
	// handed out. The first `shared` slots can be seen by callers: they are never
	// overwritten in place.
	slots  []*domain.Turn
	closed int
	shared int
	tokens int // of the closed turns
	// files: some turn refers to a file. Most chats have none, and pay nothing for it.
	files  bool
	open   gathering
	people speakers
}

// NewHistory makes an empty history for a provider that speaks this protocol, in which
// words from outside stand in blocks with these marks.
func NewHistory(protocol domain.Protocol, mark Marker) *History {
	return &History{protocol: protocol, mark: mark, open: gathering{mark: mark}}
}

// Append adds a message in its place. Messages that are not for the AI (excluded,
// superseded, queued, network errors, timeouts) are passed over. A CONTEXT_SUMMARY drops all that
// stands before it and becomes the first user turn.
func (t *History) Append(m *domain.Message) {
	if !inPrompt(m) {
		return
	}
	if m.Sender == domain.SenderAI {
		t.answer(m)
		return
	}
	if !isSummary(m) {
		t.open.add(m, t.people.line(m))
		return
	}
	unread := t.takeUnread(m)
	*t = History{protocol: t.protocol, mark: t.mark, open: gathering{mark: t.mark}, people: t.people.afterSummary()}
	t.open.add(m, t.people.line(m))
	t.open.addAll(unread)
}

// takeUnread takes out of the open turn what came while an answer or a summary was made, and
// was not part of the prompt for it.
func (t *History) takeUnread(m *domain.Message) (taken gathered) {
	unread := m.Unread()
	if len(unread) == 0 {
		return taken
	}
	kept := gathered{}
	for i, given := range t.open.messages {
		if slices.Contains(unread, given.ID) && given.System != nil && given.System.Type == domain.SystemExternalResult {
			taken.add(given, t.open.speakers[i])
		} else {
			kept.add(given, t.open.speakers[i])
		}
	}
	if len(taken.messages) > 0 {
		t.open = freshGathering(t.open.calls, t.mark)
		t.open.addAll(kept)
	}
	return taken
}

// answer closes the open user turn and adds the assistant's turn after it.
func (t *History) answer(m *domain.Message) {
	blocks := answerBlocks(m, t.protocol)
	unread := t.takeUnread(m)
	t.tokens += t.open.cost() + estimateBlocks(blocks)
	t.put(t.closed, t.open.build())
	t.put(t.closed+1, &domain.Turn{Role: domain.TurnAssistant, Blocks: blocks, Round: m.RoundID})
	t.closed += 2
	t.open = expecting(blocks, t.mark)
	t.open.addAll(unread)
}

// Remove takes a message out again: the cancel message of a wait that a person ended
// with a yes. It can do so while no answer has followed; false means that the history
// must be rebuilt from the messages.
func (t *History) Remove(id string) bool {
	at := -1
	for i, m := range t.open.messages {
		if m.ID == id {
			at = i
		}
	}
	if at < 0 || isSummary(t.open.messages[at]) {
		return false
	}
	rest, lines := t.open.messages, t.open.speakers
	t.open = freshGathering(t.open.calls, t.mark)
	for i, m := range rest {
		if i != at {
			t.open.add(m, lines[i])
		}
	}
	return true
}

// Turns gives the conversation so far, ending with a user turn. Turns that were given
// before are the same objects, but for the last one if it has grown since.
func (t *History) Turns() []*domain.Turn {
	t.put(t.closed, t.open.build())
	t.shared = t.closed + 1
	return t.slots[: t.closed+1 : t.closed+1]
}

// Files are those that the turns refer to, each once. Only a history that has some is gone
// through.
func (t *History) Files() []string {
	turns := t.Turns()
	if !t.files {
		return nil
	}
	return filesOf(turns)
}

// Tokens estimates the size of the conversation.
func (t *History) Tokens() int { return t.tokens + t.open.cost() }

// put writes a slot. A slot that a caller can see is written in a copy, which happens
// only when a user turn grows after it was handed out.
func (t *History) put(i int, turn *domain.Turn) {
	t.files = t.files || hasFiles(turn)
	if i < t.shared {
		if t.slots[i] == turn {
			return
		}
		t.slots = append(make([]*domain.Turn, 0, 2*(i+1)), t.slots[:i]...)
		t.shared = 0
	}
	t.slots = append(t.slots[:i], turn)
}

// inPrompt says whether a message is for the AI at all.
func inPrompt(m *domain.Message) bool {
	if m == nil || m.ExcludeFromPrompt || m.Superseded || m.Status == domain.MessageQueued {
		return false
	}
	return m.System == nil || m.System.Type.InPrompt()
}

func isSummary(m *domain.Message) bool {
	return m.System != nil && m.System.Type == domain.SystemContextSummary
}
