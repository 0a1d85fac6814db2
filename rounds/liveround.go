package rounds

import (
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// liveRound is a round as reconstructed from its events alone. A round that ends normally with an
// answer need not be read from the record: its events contain the same data. All other rounds are
// read.
type liveRound struct {
	initial     *Progress
	round       string // "" while the message is queued
	texts       []string
	interrupted bool // the newest answer was interrupted
	unusual     bool
	idle        bool
	phase       domain.Phase // in which the session is idle
	sessionName string       // at that time
	position    func() int64 // of the events that were passed on
}

// take applies an event, in the order of the log.
func (h *liveRound) take(e *api.Event) {
	switch e.Name {
	case string(domain.LogMessageCreated), string(domain.LogMessageUpdated), string(domain.LogMessageDeleted):
		h.message(e)
	case string(domain.LogAnswersChanged), string(domain.LogSessionEnded):
		h.unusual = true
	case string(domain.LogSessionStatus):
		if s := e.Session; s != nil && h.round != "" {
			h.idle, h.phase, h.sessionName = s.Status == domain.StatusIdle && api.Value(s.RoundID) == h.round, s.Phase, s.Name
		}
	}
}

func (h *liveRound) message(e *api.Event) {
	m := e.Message
	switch {
	case m.ID == h.initial.Message.ID:
		h.unusual = h.unusual || e.Name == string(domain.LogMessageDeleted)
		if m.Status != api.MessageStatusQueued {
			h.round = api.Value(m.RoundID)
		}
	case m.Sender == api.MessageSenderSYSTEM:
		h.unusual = h.unusual || m.SystemMessage == nil || m.SystemMessage.Type == domain.SystemNetworkError
	case h.round == "": // earlier rounds
	case m.Sender == api.MessageSenderAI && api.Value(m.RoundID) == h.round && e.Name == string(domain.LogMessageCreated):
		if h.interrupted = m.Status == api.MessageStatusInterrupted; m.ShownText() != "" {
			h.texts = append(h.texts, m.ShownText())
		}
	default:
		h.unusual = true // another round, or the answer to a question
	}
}

// isPlain reports whether the round has an answer, and nothing unusual has happened.
func (h *liveRound) isPlain() bool {
	return h != nil && h.round != "" && !h.unusual && !h.interrupted && len(h.texts) > 0
}

// repeats reports whether another event of the same commit contains what e contains: a session that
// becomes idle has two events, of which the second one is complete.
func (h *liveRound) repeats(e *api.Event) bool {
	return h.isPlain() && e.Name == string(domain.LogSessionPhase) &&
		e.Phase.Status == domain.StatusIdle && api.Value(e.Phase.RoundID) == h.round
}

// progress returns the progress of an idle round; nil where the record has to be read.
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
