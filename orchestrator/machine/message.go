package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// place stores a new message at the end of the record.
func (t *turn) place(m *domain.Message) {
	m.WorkspaceID, m.SessionID = t.s.WorkspaceID, t.s.ID
	if m.ID == "" {
		m.ID = t.newID(domain.PrefixMessage)
	}
	if m.RoundID == "" {
		m.RoundID = t.s.State.RoundID
	}
	if m.Timestamp.IsZero() {
		m.Timestamp = t.p.Now
	}
	if m.Status == "" {
		m.Status = domain.MessageStored
	}
	t.weigh(m)
	t.c.Messages = append(t.c.Messages, m)
	t.emit(domain.LogEvent{Type: domain.LogMessageCreated, Message: m})
}

// system stores a SYSTEM message and gives it back.
func (t *turn) system(kind domain.SystemType, summary string, results []domain.CommandResult, data string) *domain.Message {
	m := &domain.Message{Sender: domain.SenderSystem, System: &domain.SystemMessage{
		Type: kind, Summary: summary, CommandResults: results, FormattedData: data,
	}}
	t.place(m)
	return m
}

// personSaid stores words that a person wrote beside a decision.
func (t *turn) personSaid(text string, by domain.Author, answersCall string) {
	if text == "" && answersCall == "" {
		return
	}
	m := &domain.Message{Sender: domain.SenderUser, Text: text, AnswersCall: answersCall}
	m.SetBy(by)
	t.place(m)
	t.heardFromUser(by)
}

// placeUser puts a user's message in its place: a new one, or one that waited.
func (t *turn) placeUser(given *domain.Message) *domain.Message {
	own := *given
	m := &own
	m.RoundID = t.s.State.RoundID
	m.Sender = domain.SenderUser
	if m.Status != domain.MessageQueued {
		m.Status = domain.MessageStored
		t.place(m)
		return m
	}
	m.Status = domain.MessageStored
	t.weigh(m)
	if i := slices.Index(t.c.Messages, given); i >= 0 {
		// Kept and taken in the same step: it never waited.
		*given = *m
		t.c.Inbox = slices.DeleteFunc(t.c.Inbox, func(x *domain.InboxItem) bool { return x.MessageID == m.ID })
		m = given
	} else {
		t.c.PlacedMessages = append(t.c.PlacedMessages, m)
		t.emit(domain.LogEvent{Type: domain.LogMessageUpdated, Message: m})
	}
	t.leaveInbox(m.ID)
	return m
}

func (t *turn) leaveInbox(messageID string) {
	t.inbox = slices.DeleteFunc(t.inbox, func(x *domain.InboxItem) bool {
		if x.Message == nil || x.Message.ID != messageID {
			return false
		}
		if slices.ContainsFunc(t.p.Inbox, func(given *domain.InboxItem) bool { return given.ID == x.ID }) {
			t.c.InboxDone = append(t.c.InboxDone, x.ID)
		}
		return true
	})
}

// remove deletes the wait's cancel message: what it says did not come true.
func (t *turn) removeCancelMessage() {
	w := t.s.State.Waiting
	if w == nil || w.CancelMessageID == "" {
		return
	}
	m := t.cancel
	if m == nil || m.ID != w.CancelMessageID {
		m = &domain.Message{
			ID: w.CancelMessageID, WorkspaceID: t.s.WorkspaceID, SessionID: t.s.ID, RoundID: t.s.State.RoundID,
			Sender: domain.SenderSystem, Status: domain.MessageStored, Timestamp: w.At,
		}
	}
	t.c.DeletedMessages = append(t.c.DeletedMessages, m)
	t.emit(domain.LogEvent{Type: domain.LogMessageDeleted, Message: m})
	w.CancelMessageID, t.cancel = "", nil
}

// weigh adds a message to the estimate of the prompt, at three and a half bytes a token.
func (t *turn) weigh(m *domain.Message) {
	if m.ExcludeFromPrompt || m.Sender == domain.SenderAI {
		return // an answer's tokens come with its usage
	}
	size := len(m.Text)
	if m.Rich != nil {
		size += len(m.Rich.LinearText)
	}
	if m.System != nil && m.System.Type.InPrompt() {
		size += len(m.System.Summary) + len(m.System.FormattedData)
		if m.System.FormattedData == "" {
			for _, r := range m.System.CommandResults {
				size += len(r.Text)
			}
		}
	}
	t.s.State.ContextTokens += (size*2 + 6) / 7
}
