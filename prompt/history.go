package prompt

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// History holds the messages of one session as the turns of a prompt. It is kept in memory between
// AI calls and appended to, so that the next prompt only costs what is new. Rebuilt from the stored
// messages, it has the same turns, byte for byte.
//
// A History belongs to one goroutine. The result of Turns may be read by others indefinitely: it is
// never modified afterwards.
type History struct {
	protocol domain.Protocol
	mark     Marker
	// slots holds the closed turns, followed by the open one as returned last, if any. The first
	// `shared` slots are visible to callers and never overwritten in place.
	slots  []*ai.Turn
	closed int
	shared int
	tokens int // of the closed turns
	// files reports whether a turn references files. Most chats have none.
	files  bool
	open   gathering
	people speakers
}

// NewHistory returns an empty history for a protocol. External content is enclosed in blocks with
// these marks.
func NewHistory(protocol domain.Protocol, mark Marker) *History {
	return &History{protocol: protocol, mark: mark, open: gathering{mark: mark}}
}

// Append adds the next message. Messages that are not for the AI (excluded, superseded, queued,
// network errors, timeouts) are ignored. A CONTEXT_SUMMARY replaces everything before it and
// becomes the first user turn.
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

// takeUnread removes from the open turn what arrived while an answer or a summary was generated,
// and was not part of its prompt.
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

// answer closes the open user turn and appends the assistant turn.
func (t *History) answer(m *domain.Message) {
	blocks := answerBlocks(m, t.protocol)
	unread := t.takeUnread(m)
	t.tokens += t.open.cost() + estimateBlocks(blocks)
	t.put(t.closed, t.open.build())
	t.put(t.closed+1, &ai.Turn{Role: ai.TurnAssistant, Blocks: blocks, Round: m.RoundID})
	t.closed += 2
	t.open = expecting(blocks, t.mark)
	t.open.addAll(unread)
}

// Remove removes a message: the cancellation of a wait that was then approved. This is possible
// until the next answer; false means that the history must be rebuilt.
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

// Turns returns all turns, ending with a user turn. Turns returned before are the same objects,
// except for the last one if it has grown since.
func (t *History) Turns() []*ai.Turn {
	t.put(t.closed, t.open.build())
	t.shared = t.closed + 1
	return t.slots[: t.closed+1 : t.closed+1]
}

// Files returns the files referenced by the turns, without duplicates.
func (t *History) Files() []string {
	turns := t.Turns()
	if !t.files {
		return nil
	}
	return filesOf(turns)
}

// Tokens estimates the size of the history.
func (t *History) Tokens() int { return t.tokens + t.open.cost() }

// put writes a slot. If callers can see it, the slice is copied, which happens only when a returned
// user turn has grown.
func (t *History) put(i int, turn *ai.Turn) {
	t.files = t.files || hasFiles(turn)
	if i < t.shared {
		if t.slots[i] == turn {
			return
		}
		t.slots = append(make([]*ai.Turn, 0, 2*(i+1)), t.slots[:i]...)
		t.shared = 0
	}
	t.slots = append(t.slots[:i], turn)
}

// inPrompt reports whether a message is for the AI.
func inPrompt(m *domain.Message) bool {
	if m == nil || m.ExcludeFromPrompt || m.Superseded || m.Status == domain.MessageQueued {
		return false
	}
	return m.System == nil || m.System.Type.InPrompt()
}

func isSummary(m *domain.Message) bool {
	return m.System != nil && m.System.Type == domain.SystemContextSummary
}
