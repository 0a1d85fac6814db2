package rounds

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// heard is what a listener knows of a round that it was told of from the first event on. One that
// comes to rest with an answer, and with nothing unusual on its way, need not be read: the events
// have said all that the record says. Of everything else the record is asked.
type liveRound struct {
	initial     *Progress
	round       string // "" while the message waits for its place
	texts       []string
	interrupted bool // a person cut the newest answer
	unusual     bool
	idle        bool
	phase       domain.Phase // where
	sessionName string       // the session's, by then
	position    func() int64 // up to which everything was heard
}

// take learns from an event, in the order of the log.
func (h *liveRound) take(name string, e *Event) {
	switch name {
	case string(domain.LogMessageCreated), string(domain.LogMessageUpdated), string(domain.LogMessageDeleted):
		h.message(name, e)
	case string(domain.LogAnswersChanged), string(domain.LogSessionEnded):
		h.unusual = true
	case string(domain.LogSessionStatus):
		if s := e.Session; s != nil && h.round != "" {
			h.idle, h.phase, h.sessionName = s.Status == domain.StatusIdle && s.RoundID == h.round, s.Phase, s.Name
		}
	}
}

func (h *liveRound) message(name string, e *Event) {
	m := e.Message
	switch {
	case m == nil:
		h.unusual = true
	case m.ID == h.initial.Message.ID:
		h.unusual = h.unusual || name == string(domain.LogMessageDeleted)
		if m.Status != domain.MessageQueued {
			h.round = m.RoundID
		}
	case m.Sender == domain.SenderSystem:
		h.unusual = h.unusual || m.System == nil || m.System.Type == domain.SystemNetworkError
	case h.round == "": // others are before it
	case m.Sender == domain.SenderAI && m.RoundID == h.round && name == string(domain.LogMessageCreated):
		if h.interrupted = m.Status == domain.MessageInterrupted; e.AnswerText() != "" {
			h.texts = append(h.texts, e.AnswerText())
		}
	default:
		h.unusual = true // another round, or an answer to what was asked
	}
}

// plain says that the round has been answered, and nothing unusual has happened.
func (h *liveRound) isPlain() bool {
	return h != nil && h.round != "" && !h.unusual && !h.interrupted && len(h.texts) > 0
}

// follows says that what an event means is said by another one of the same commit: a session that
// comes to rest says so twice, and the second time with all that is told of it.
func (h *liveRound) repeats(name string, e *Event) bool {
	return h.isPlain() && name == string(domain.LogSessionPhase) && e.Status == domain.StatusIdle && e.RoundID == h.round
}

// standing is how the round stands, once it rests; nil where the record has to be asked.
func (h *liveRound) progress() *Progress {
	if !h.isPlain() || !h.idle {
		return nil
	}
	s := *h.initial.Session
	s.Phase, s.Name, s.LastSeq = h.phase, h.sessionName, h.position()
	s.QueuedAt, s.QueuePosition, s.State.Suspended, s.State.Poisoned = nil, 0, false, false
	if s.Status() != domain.StatusIdle {
		return nil
	}
	return &Progress{Session: &s, Message: h.initial.Message, State: Completed, Text: strings.Join(h.texts, "\n\n")}
}
