package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// place stores a new message at the end of the record.
func (s *step) place(m *domain.Message) {
	m.WorkspaceID, m.SessionID = s.session.WorkspaceID, s.session.ID
	if m.ID == "" {
		m.ID = s.newID(domain.PrefixMessage)
	}
	if m.RoundID == "" {
		m.RoundID = s.session.State.RoundID
	}
	if m.RoundID == s.session.State.RoundID {
		m.RetryOf = s.session.State.RetryOf
	}
	if m.Timestamp.IsZero() {
		m.Timestamp = s.policy.Now
	}
	if m.Status == "" {
		m.Status = domain.MessageStored
	}
	noteUnread(s, m)
	weigh(s, m)
	noteOutside(s, m)
	s.change.Messages = append(s.change.Messages, m)
	s.emit(domain.LogEvent{Type: domain.LogMessageCreated, Message: m})
}

// noteUnread records in an answer or a summary which late results it was made without: in the prompt they
// follow it, because they are new to the AI.
func noteUnread(s *step, m *domain.Message) {
	st := &s.session.State
	switch {
	case len(st.Unread) == 0:
	case m.AI != nil:
		own := *m.AI
		own.Unread = st.Unread
		m.AI, st.Unread = &own, nil
	case m.System != nil && m.System.Type == domain.SystemContextSummary:
		m.System.Unread, st.Unread = st.Unread, nil
	}
}

// system stores a SYSTEM message and returns it.
func (s *step) system(kind domain.SystemType, summary string, results []domain.CommandResult, data string) *domain.Message {
	m := &domain.Message{Sender: domain.SenderSystem, System: &domain.SystemMessage{
		Type: kind, Summary: summary, CommandResults: results, FormattedData: data,
	}}
	s.place(m)
	return m
}

// systemForPeople stores a SYSTEM message whose summary is for people, in the workspace's language.
func systemForPeople(s *step, kind domain.SystemType, text domain.Text) *domain.Message {
	m := s.system(kind, text.In(s.language()), nil, "")
	m.System.Translations = text.Beside(s.language())
	return m
}

// personSaid stores words that a person wrote beside a decision.
func (s *step) personSaid(text string, by domain.Author, answersCall string) {
	if text == "" && answersCall == "" {
		return
	}
	m := &domain.Message{Sender: domain.SenderUser, Text: text, AnswersCall: answersCall}
	m.SetBy(by)
	s.place(m)
	onUserMessage(s, by)
}

// placeUser puts a user's message in its place: a new one, or one that waited.
func (s *step) placeUser(given *domain.Message) *domain.Message {
	own := *given
	m := &own
	m.RoundID, m.RetryOf = s.session.State.RoundID, s.session.State.RetryOf
	m.Sender = domain.SenderUser
	if m.Status != domain.MessageQueued {
		m.Status = domain.MessageStored
		s.place(m)
		return m
	}
	m.Status = domain.MessageStored
	weigh(s, m)
	noteOutside(s, m)
	if i := slices.Index(s.change.Messages, given); i >= 0 {
		// Kept and taken in the same step: it never waited.
		*given = *m
		s.change.Inbox = slices.DeleteFunc(s.change.Inbox, func(x *domain.InboxItem) bool { return x.MessageID == m.ID })
		m = given
	} else {
		s.change.PlacedMessages = append(s.change.PlacedMessages, m)
		s.emit(domain.LogEvent{Type: domain.LogMessageUpdated, Message: m})
	}
	leaveInbox(s, m.ID)
	return m
}

func leaveInbox(s *step, messageID string) {
	s.inbox = slices.DeleteFunc(s.inbox, func(x *domain.InboxItem) bool {
		if x.Message == nil || x.Message.ID != messageID {
			return false
		}
		if slices.ContainsFunc(s.policy.Inbox, func(given *domain.InboxItem) bool { return given.ID == x.ID }) {
			s.change.InboxDone = append(s.change.InboxDone, x.ID)
		}
		return true
	})
}

// removeCancelMessage deletes the cancellation text once the wait was answered.
func (s *step) removeCancelMessage() {
	w := s.session.State.Waiting
	if w == nil || w.CancelMessageID == "" {
		return
	}
	m := s.cancel
	if m == nil || m.ID != w.CancelMessageID {
		m = &domain.Message{
			ID: w.CancelMessageID, WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, RoundID: s.session.State.RoundID,
			Sender: domain.SenderSystem, Status: domain.MessageStored, Timestamp: w.At,
		}
	}
	s.change.DeletedMessages = append(s.change.DeletedMessages, m)
	s.emit(domain.LogEvent{Type: domain.LogMessageDeleted, Message: m})
	w.CancelMessageID, s.cancel = "", nil
}

// weigh adds a message to the estimate of the prompt, at three and a half bytes a token.
func weigh(s *step, m *domain.Message) {
	if m.Sender != domain.SenderAI { // an answer's tokens come with its usage
		s.session.State.ContextTokens += tokensOf(s, m)
	}
}

// tokensOf estimates what a message takes in the prompt.
func tokensOf(s *step, m *domain.Message) int {
	if m.ExcludeFromPrompt {
		return 0
	}
	size := len(m.Text)
	if m.Raw != nil {
		size += m.Raw.Bytes()
	}
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
	tokens := (size*2 + 6) / 7
	if files := m.Rich.Files(); len(files) > 0 {
		tokens += domain.FileTokens(files, s.limits().ContextBudgetTokens)
	}
	return tokens
}
