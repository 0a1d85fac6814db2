package machine

import "github.com/fermata-dev/fermata/domain"

// newRound begins a round: counters of a round or in a row start again. It acts with the rights of by, its
// author. An external result for a chat begins one too, but no person has written: counters since the last
// user message continue.
func newRound(s *step, cause domain.Cause, by domain.Author) {
	old := s.session.State
	s.session.State = domain.SessionState{
		Waiting: old.Waiting, Poisoned: old.Poisoned, Suspended: old.Suspended, SuspendedAt: old.SuspendedAt,
		KeepsSlotUntil: old.KeepsSlotUntil, BegunAt: old.BegunAt, Taint: old.Taint, WorkedMicros: old.WorkedMicros, Raises: old.Raises,
		AddedCommands: old.AddedCommands,
		RoundState: domain.RoundState{
			RoundID: s.newID(domain.PrefixRound), RoundCause: cause, NextReason: domain.RoundtripReason(cause),
			RoundBy: by.ID, RoundByName: by.Name, RoundRole: by.Role, RoundPayer: old.RoundPayer,
		},
		Counters: domain.Counters{
			TotalRoundtrips: old.TotalRoundtrips, CommandsRun: old.CommandsRun, ContextTokens: old.ContextTokens,
		},
		RunTerms: old.RunTerms,
	}
	switch cause {
	case domain.CauseExternalResult:
		keepCounts(&s.session.State, old)
		keepWork(&s.session.State, old)
	case domain.CauseManualTrigger: // the same question, of the same program
		s.session.State.RoundTools = old.RoundTools
	}
}

// keepCounts keeps the counters since the last user message and in a row.
func keepCounts(st *domain.SessionState, old domain.SessionState) {
	st.RoundRoundtrips = old.RoundRoundtrips
	st.ConsecutiveDataQueries, st.ConsecutiveActionRetries = old.ConsecutiveDataQueries, old.ConsecutiveActionRetries
	st.ConsecutiveFormatErrors = old.ConsecutiveFormatErrors
}

// onUserMessage handles a person's message: a chat's limit of roundtrips counts since the last one, and
// what follows new input is no circle. If several people write in a round, it acts with the rights of the
// lowest: a person cannot use another's round to exceed their rights.
func onUserMessage(s *step, by domain.Author) {
	st := &s.session.State
	st.RoundRole = s.session.ActsAs().AtMost(orMember(by.Role))
	st.ResultsGood, st.OverLimit, st.Cuts = false, "", 0
	st.AnswerHashes, st.Circle = nil, nil
	if chat(s) {
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

// authorBefore is the author of the previous round, for one that continues it.
func authorBefore(s *step) domain.Author {
	return domain.Author{ID: s.session.State.RoundBy, Name: s.session.State.RoundByName, Role: s.session.ActsAs()}
}

// requestedBy is who asks for the last round once more. It is not their words that are carried
// out, so they lend no rights to it.
func requestedBy(s *step) domain.Author {
	e, _ := s.event.(domain.RoundRequested)
	return domain.Author{ID: e.By.ID, Name: e.By.Name, Role: s.session.ActsAs().AtMost(orMember(e.By.Role))}
}

func beginRound(s *step) {
	e := s.event.(domain.UserMessageSent)
	beginWith(s, e.Message)
	s.session.State.RoundTrace = e.Trace
}

// beginWith begins a round with a person's message: a new question, or an old one in other
// words.
func beginWith(s *step, given *domain.Message) {
	by := given.By()
	by.Role = orMember(by.Role)
	before := s.session.State
	wanted := before.Again
	if wanted != nil && wanted.MessageID != given.ID {
		wanted = nil
	}
	newRound(s, domain.CauseUserMessage, by)
	beginAgain(s, wanted, before)
	m := s.placeUser(given)
	s.session.State.RoundMessageID, s.session.State.RoundPayer = m.ID, m.Payer
	if m.Tools != nil {
		s.session.State.RoundTools = m.ID
	}
	noteRemains(s, wanted)
	passEnrichments(s, m)
}

// passEnrichments continues at once when a message refers to no data.
func passEnrichments(s *step, m *domain.Message) {
	if m.Rich == nil || len(m.Rich.Commands) == 0 {
		s.follow(domain.EnrichmentsExecuted{})
	}
}

func beginRoundAgain(s *step) {
	a, before := askedAgain(s), s.session.State
	newRound(s, domain.CauseManualTrigger, requestedBy(s))
	beginAgain(s, a, before)
	noteRemains(s, a)
}

func requestedByHand(s *step) {
	s.session.State.NextReason = domain.RoundtripReason(domain.CauseManualTrigger)
}

func beginRoundOfResult(s *step) { newRound(s, domain.CauseExternalResult, authorBefore(s)) }

func rememberRequest(s *step) {
	s.session.State.PendingCause, s.session.State.Again = domain.CauseManualTrigger, askedAgain(s)
	by := requestedBy(s)
	s.session.State.RoundBy, s.session.State.RoundByName, s.session.State.RoundRole = by.ID, by.Name, by.Role
}

// rememberResult: a late result begins a round of its own once the chat rests with the slot, unless a call
// reads it before.
func rememberResult(s *step) { s.session.State.PendingCause = domain.CauseExternalResult }

func beginRemembered(s *step) {
	reenter(s)
	before := s.session.State
	newRound(s, before.PendingCause, authorBefore(s))
	beginAgain(s, before.Again, before)
	noteRemains(s, before.Again)
}

// storeEnrichments stores the data that the user's message refers to, after it.
func storeEnrichments(s *step) {
	e := s.event.(domain.EnrichmentsExecuted)
	if len(e.Executions) == 0 {
		return
	}
	var results []domain.CommandResult
	for _, x := range e.Executions {
		results = append(results, domain.ResultOf(s.commandEnded(x), s.language()))
	}
	s.system(domain.SystemDataAdded, "The data that the message refers to.", results, e.Formatted)
}

// Messages that wait their turn.

// keepMessage keeps a message that the session cannot take now.
func keepMessage(s *step) { keep(s, s.event.(domain.UserMessageSent)) }

func keep(s *step, e domain.UserMessageSent) {
	own := *e.Message
	own.Status, own.Sender, own.RoundID = domain.MessageQueued, domain.SenderUser, ""
	own.WorkspaceID, own.SessionID = s.session.WorkspaceID, s.session.ID
	if own.ID == "" {
		own.ID = s.newID(domain.PrefixMessage)
	}
	if own.Timestamp.IsZero() {
		own.Timestamp = s.policy.Now
	}
	s.change.Messages = append(s.change.Messages, &own)
	s.emit(domain.LogEvent{Type: domain.LogMessageCreated, Message: &own})
	how := domain.IfBusyEnqueue
	if e.IfBusy == domain.IfBusySteer {
		how = domain.IfBusySteer
	}
	item := &domain.InboxItem{
		ID: s.newID(domain.PrefixInbox), WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, DedupeKey: e.DedupeKey,
		Kind: "message", IfBusy: how, MessageID: own.ID, CreatedAt: s.policy.Now, Message: &own,
		Trace: e.Trace,
	}
	s.change.Inbox = append(s.change.Inbox, item)
	s.inbox = append(s.inbox, item)
}

// approachAI is the last step before the call: messages meant for this round join
// it, and the reason of the call is settled.
func approachAI(s *step) {
	for _, item := range append([]*domain.InboxItem(nil), s.inbox...) {
		if item.IfBusy == domain.IfBusySteer && item.Message != nil {
			onUserMessage(s, s.placeUser(item.Message).By())
		}
	}
	warnCircle(s)
	if oneCallLeft(s) {
		s.session.State.NextReason = domain.ReasonLimitNotification
	}
}

// steeredWithData is the next message meant for this round that refers to data: its
// queries run first.
func steeredWithData(s *step) *domain.Message {
	for _, item := range s.inbox {
		if m := item.Message; item.IfBusy == domain.IfBusySteer && m != nil && m.Rich != nil && len(m.Rich.Commands) > 0 {
			return m
		}
	}
	return nil
}

// joinWithEnrichments places the steering messages up to the first that refers to data, whose queries then
// run.
func joinWithEnrichments(s *step) {
	e := s.event.(domain.UserMessageSent)
	for _, item := range append([]*domain.InboxItem(nil), s.inbox...) {
		if item.IfBusy != domain.IfBusySteer || item.Message == nil {
			continue
		}
		m := s.placeUser(item.Message)
		onUserMessage(s, m.By())
		if m.ID == e.Message.ID {
			s.session.State.RoundMessageID = m.ID
			return
		}
	}
}

func followWithMessage(s *step) {
	switch e := s.event.(type) {
	case domain.InterruptRequested:
		if e.Then != nil {
			s.follow(*e.Then)
		}
	case domain.UserMessageSent:
		s.follow(e)
	}
}
