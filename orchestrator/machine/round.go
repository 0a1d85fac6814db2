package machine

import "github.com/fermata-dev/fermata/domain"

// newRound begins a round: what is counted for a round or in a row starts again. It acts
// with the rights of by, who caused it. A result from outside that comes to a chat begins
// one too, but nobody has spoken: what is counted since the last user message goes on.
func (t *turn) newRound(cause domain.Cause, by domain.Author) {
	old := t.s.State
	t.s.State = domain.SessionState{
		Waiting: old.Waiting, Poisoned: old.Poisoned, Suspended: old.Suspended, SuspendedAt: old.SuspendedAt,
		Validation: old.Validation, AskCompletion: old.AskCompletion, KeepsSlotUntil: old.KeepsSlotUntil,
		BegunAt:         old.BegunAt,
		TotalRoundtrips: old.TotalRoundtrips, CommandsRun: old.CommandsRun,
		ContextTokens: old.ContextTokens, WorkedMicros: old.WorkedMicros, Raises: old.Raises,
		RoundID: t.newID(domain.PrefixRound), RoundCause: cause, NextReason: domain.RoundtripReason(cause),
		RoundBy: by.ID, RoundRole: by.Role,
	}
	if st := &t.s.State; cause == domain.CauseExternalResult {
		st.RoundRoundtrips, st.AnswerHashes, st.Circle = old.RoundRoundtrips, old.AnswerHashes, old.Circle
		st.ConsecutiveDataQueries, st.ConsecutiveActionRetries = old.ConsecutiveDataQueries, old.ConsecutiveActionRetries
		st.ConsecutiveFormatErrors = old.ConsecutiveFormatErrors
	}
}

// heardFromUser: a chat's limit of roundtrips counts since the last user message, and
// what comes after new words is no circle. Where several people speak in a round, it acts
// with the rights of the least of them: nobody does through another's round what they may
// not do.
func (t *turn) heardFromUser(by domain.Author) {
	st := &t.s.State
	st.RoundRole = t.s.ActsAs().AtMost(orMember(by.Role))
	st.ResultsGood, st.OverLimit = false, ""
	st.AnswerHashes, st.Circle = nil, nil
	if chat(t) {
		st.RoundRoundtrips = 0
	}
}

// orMember: what was accepted before roles were recorded has the rights of a member,
// who may send messages and no more.
func orMember(r domain.Role) domain.Role {
	if r == "" {
		return domain.RoleMember
	}
	return r
}

// authorBefore is on whose behalf the round before acted: one that goes on from it does
// so too.
func (t *turn) authorBefore() domain.Author {
	return domain.Author{ID: t.s.State.RoundBy, Role: t.s.ActsAs()}
}

// again is who asks for the last round once more. It is not their words that are carried
// out, so they lend no rights to it.
func (t *turn) again() domain.Author {
	e, _ := t.event.(domain.RoundRequested)
	return domain.Author{ID: e.By.ID, Role: t.s.ActsAs().AtMost(orMember(e.By.Role))}
}

func beginRound(t *turn) {
	e := t.event.(domain.UserMessageSent)
	by := e.Message.By()
	by.Role = orMember(by.Role)
	t.newRound(domain.CauseUserMessage, by)
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

func beginRoundAgain(t *turn) { t.newRound(domain.CauseManualTrigger, t.again()) }

func requestedByHand(t *turn) {
	t.s.State.NextReason = domain.RoundtripReason(domain.CauseManualTrigger)
}

func beginRoundOfResult(t *turn) { t.newRound(domain.CauseExternalResult, t.authorBefore()) }

func rememberRequest(t *turn) {
	t.s.State.PendingCause = domain.CauseManualTrigger
	by := t.again()
	t.s.State.RoundBy, t.s.State.RoundRole = by.ID, by.Role
}

func rememberResult(t *turn) { t.s.State.PendingCause = domain.CauseExternalResult }

func beginRemembered(t *turn) {
	reenter(t)
	t.newRound(t.s.State.PendingCause, t.authorBefore())
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
			t.heardFromUser(t.placeUser(item.Message).By())
		}
	}
	t.tellCircle()
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
		t.heardFromUser(m.By())
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
