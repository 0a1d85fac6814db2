package machine

import "github.com/fermata-dev/fermata/domain"

// newRound begins a round: what is counted for a round or in a row starts again.
func (t *turn) newRound(cause domain.Cause) {
	old := &t.s.State
	t.s.State = domain.SessionState{
		Waiting: old.Waiting, Recoveries: old.Recoveries, Poisoned: old.Poisoned, Suspended: old.Suspended, SuspendedAt: old.SuspendedAt,
		Validation: old.Validation, AskCompletion: old.AskCompletion, KeepsSlotUntil: old.KeepsSlotUntil,
		BegunAt:         old.BegunAt,
		TotalRoundtrips: old.TotalRoundtrips, CommandsRun: old.CommandsRun,
		ContextTokens: old.ContextTokens, WorkedMicros: old.WorkedMicros, Raises: old.Raises,
		RoundID: t.newID(domain.PrefixRound), RoundCause: cause, NextReason: domain.RoundtripReason(cause),
	}
}

// heardFromUser: a chat's limit of roundtrips counts since the last user message, and
// new words are no circle.
func (t *turn) heardFromUser() {
	if chat(t) {
		t.s.State.RoundRoundtrips = 0
		t.s.State.AnswerHashes = nil
	}
}

func beginRound(t *turn) {
	e := t.event.(domain.UserMessageSent)
	t.newRound(domain.CauseUserMessage)
	m := t.placeUser(e.Message)
	t.s.State.RoundMessageID = m.ID
	t.passEnrichments(m)
}

// passEnrichments goes on at once when a message refers to no data.
func (t *turn) passEnrichments(m *domain.Message) {
	if m.Rich == nil || len(m.Rich.Commands) == 0 {
		t.follow(domain.EnrichmentsExecuted{})
	}
}

func beginRoundAgain(t *turn) { t.newRound(domain.CauseManualTrigger) }

func requestedByHand(t *turn) {
	t.s.State.NextReason = domain.RoundtripReason(domain.CauseManualTrigger)
}

func beginRoundOfResult(t *turn) { t.newRound(domain.CauseExternalResult) }

func rememberRequest(t *turn) { t.s.State.PendingCause = domain.CauseManualTrigger }

func rememberResult(t *turn) { t.s.State.PendingCause = domain.CauseExternalResult }

func beginRemembered(t *turn) {
	reenter(t)
	t.newRound(t.s.State.PendingCause)
}

// storeEnrichments stores the data that the user's message refers to, after it.
func storeEnrichments(t *turn) {
	e := t.event.(domain.EnrichmentsExecuted)
	if len(e.Executions) == 0 {
		return
	}
	var results []domain.CommandResult
	for _, x := range e.Executions {
		results = append(results, domain.ResultOf(t.commandEnded(x), ""))
	}
	t.system(domain.SystemDataAdded, "The data that the message refers to.", results, e.Formatted)
}

// Messages that wait their turn.

// keepMessage keeps a message that the session cannot take now.
func keepMessage(t *turn) {
	e := t.event.(domain.UserMessageSent)
	own := *e.Message
	own.Status, own.Sender, own.RoundID = domain.MessageQueued, domain.SenderUser, ""
	own.WorkspaceID, own.SessionID = t.s.WorkspaceID, t.s.ID
	if own.ID == "" {
		own.ID = t.newID(domain.PrefixMessage)
	}
	if own.Timestamp.IsZero() {
		own.Timestamp = t.p.Now
	}
	t.c.Messages = append(t.c.Messages, &own)
	t.emit(domain.LogEvent{Type: domain.LogMessageCreated, Message: &own})
	how := domain.IfBusyEnqueue
	if e.IfBusy == domain.IfBusySteer {
		how = domain.IfBusySteer
	}
	item := &domain.InboxItem{
		ID: t.newID(domain.PrefixInbox), WorkspaceID: t.s.WorkspaceID, SessionID: t.s.ID, DedupeKey: e.DedupeKey,
		Kind: "message", IfBusy: how, MessageID: own.ID, CreatedAt: t.p.Now, Message: &own,
	}
	t.c.Inbox = append(t.c.Inbox, item)
	t.inbox = append(t.inbox, item)
}

// approachAI is the last step before the call: messages meant for this round join
// it, and the reason of the call is settled.
func (t *turn) approachAI() {
	for _, item := range append([]*domain.InboxItem(nil), t.inbox...) {
		if item.IfBusy == domain.IfBusySteer && item.Message != nil {
			t.placeUser(item.Message)
			t.heardFromUser()
		}
	}
	if t.oneCallLeft() {
		t.s.State.NextReason = domain.ReasonLimitNotification
	}
}

// steeredWithData is the next message meant for this round that refers to data: its
// queries run first.
func (t *turn) steeredWithData() *domain.Message {
	for _, item := range t.inbox {
		if m := item.Message; item.IfBusy == domain.IfBusySteer && m != nil && m.Rich != nil && len(m.Rich.Commands) > 0 {
			return m
		}
	}
	return nil
}

// joinWithEnrichments places the steering messages up to the first that refers to
// data, whose queries then run.
func joinWithEnrichments(t *turn) {
	e := t.event.(domain.UserMessageSent)
	for _, item := range append([]*domain.InboxItem(nil), t.inbox...) {
		if item.IfBusy != domain.IfBusySteer || item.Message == nil {
			continue
		}
		m := t.placeUser(item.Message)
		t.heardFromUser()
		if m.ID == e.Message.ID {
			t.s.State.RoundMessageID = m.ID
			return
		}
	}
}

func followWithMessage(t *turn) {
	switch e := t.event.(type) {
	case domain.InterruptRequested:
		if e.Then != nil {
			t.follow(*e.Then)
		}
	case domain.UserMessageSent:
		t.follow(e)
	}
}
