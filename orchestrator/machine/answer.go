package machine

import (
	"github.com/fermata-dev/fermata/domain"
)

// Names of the control commands, whose calls the machine itself answers.
const (
	callAskUser  = "ASK_USER"
	callComplete = "COMPLETE"
)

// countAnswer counts a call that was answered. The answer itself becomes a message
// once it has been read.
func countAnswer(t *turn) {
	e := t.event.(domain.AIResponseReceived)
	before, st := t.nearBudgets(), &t.s.State
	st.TotalRoundtrips++
	st.RoundRoundtrips++
	st.NetworkAttempts = 0
	st.Compacted, st.TooLong = false, 0
	t.noteAnswer(e)
	if e.Raw != nil && e.Raw.Model != "" {
		t.s.Model = e.Raw.Model
	}
	if e.Roundtrip != nil {
		if used := e.Roundtrip.Usage.Total(); used > 0 {
			st.ContextTokens = int(used)
		} else { // a provider that does not say what it used: as it was measured
			st.ContextTokens = max(st.ContextTokens, e.Roundtrip.PromptTokens)
		}
		if e.Roundtrip.Model != "" {
			t.s.Model = e.Roundtrip.Model
		}
		t.recordCall(e.Roundtrip)
	}
	t.warnNearBudget(before)
}

// recordCall keeps a call of the AI and what it used.
func (t *turn) recordCall(given *domain.Roundtrip) {
	if given == nil {
		return
	}
	for _, earlier := range given.Before {
		t.recordCall(earlier)
	}
	own, st := *given, &t.s.State
	r := &own
	r.Before = nil
	if r.ID == "" {
		r.ID = t.newID(domain.PrefixRoundtrip)
	}
	r.WorkspaceID, r.SessionID = t.s.WorkspaceID, t.s.ID
	r.SessionType, r.AutomationID = t.s.Type, t.s.AutomationID
	r.RoundID = st.RoundID
	r.Number = st.TotalRoundtrips
	if r.Reason == "" {
		r.Reason = st.NextReason
	}
	t.s.Usage = t.s.Usage.Plus(r.Usage)
	st.RoundTokens += r.Usage.Total()
	if r.Usage.Cost != nil {
		st.RoundCost += *r.Usage.Cost
		t.p = withSpent(t.p, *r.Usage.Cost)
		if t.sharesMoney() {
			t.mindSpent()
		}
	}
	if r.Outcome == domain.OutcomeTooLong {
		st.TooLong++
	}
	t.c.Roundtrips = append(t.c.Roundtrips, r)
	t.emit(domain.LogEvent{Type: domain.LogUsageUpdated, Usage: r})
}

// withSpent counts a cost against the workspace's day and month within this step,
// on a copy: the policy given is not changed.
func withSpent(p *domain.Policy, cost float64) *domain.Policy {
	own := *p
	own.Spent = own.Spent.Plus(cost)
	return &own
}

// storeAnswer puts the AI's answer in its place and notes what is owed for it: a
// result for each call that no command carries, the post text, the way back.
func storeAnswer(t *turn) {
	e, st := parsed(t), &t.s.State
	t.place(&domain.Message{ID: e.MessageID, Sender: domain.SenderAI, AI: e.Answer, Raw: e.Raw})
	st.AnswerID = t.lastMessage()
	st.ConsecutiveFormatErrors = 0
	st.PendingActions, st.PendingCompleted = false, false
	st.ResultsGood = len(e.Commands.Queries)+len(e.Commands.Actions)+len(e.Commands.Refused) > 0
	t.planned = nil
	st.Pending = &domain.PendingAnswer{
		Results:  append(t.refusedResults(e.Commands.Refused), t.controlResults()...),
		PostText: e.Answer.PostText,
		BackToAI: e.Answer.KeepControl || e.Raw.Protocol == domain.ProtocolNative && len(e.Raw.Calls) > 0,
		Guidance: t.guidance(),
	}
	if automation(t) && len(e.Commands.Queries) == 0 {
		st.PendingCompleted = e.Answer.Completed
	}
	t.goneBeyond(e.Commands.OverLimit)
}

func (t *turn) lastMessage() string { return t.c.Messages[len(t.c.Messages)-1].ID }

func (t *turn) guidance() string {
	e := parsed(t)
	text := e.Guidance
	if automation(t) && withModule(t) {
		if text != "" {
			text += "\n"
		}
		text += "The question was dropped: nobody can be asked here. Decide with what you know, and go on."
	}
	return text
}

// refusedResults writes down the calls that were refused before they could run.
func (t *turn) refusedResults(refused []*domain.Execution) []domain.CommandResult {
	var results []domain.CommandResult
	for _, x := range refused {
		own := *x
		if !own.Status.Final() {
			own.Status, own.Note = domain.ExecCancelled, "Not run."
		}
		results = append(results, domain.ResultOf(&own, ""))
	}
	return results
}

// controlResults answers the calls that are no commands, so that every call of a
// native answer has its result whatever comes of it.
func (t *turn) controlResults() []domain.CommandResult {
	e := parsed(t)
	carried := map[string]bool{}
	for _, list := range [][]*domain.Execution{e.Commands.Queries, e.Commands.Actions, e.Commands.Refused} {
		for _, x := range list {
			carried[x.CallID] = true
		}
	}
	question := t.questionCall(carried)
	var results []domain.CommandResult
	for _, call := range e.Raw.Calls {
		if carried[call.ID] || call.ID == question {
			continue
		}
		status, text := t.controlText(call.Name)
		results = append(results, domain.CommandResult{CallID: call.ID, Command: call.Name, Status: status, Text: text})
	}
	return results
}

// questionCall is the call that asks the person; its result is the person's answer.
func (t *turn) questionCall(carried map[string]bool) string {
	e := parsed(t)
	if !chat(t) || e.Answer.Module == nil {
		return ""
	}
	for _, call := range e.Raw.Calls {
		if call.Name == callAskUser && !carried[call.ID] {
			return call.ID
		}
	}
	return ""
}

func (t *turn) controlText(name string) (domain.ExecutionStatus, string) {
	e := parsed(t)
	switch {
	case name == callComplete && chat(t):
		return domain.ExecCancelled, "Ignored: a chat does not end by COMPLETE."
	case name == callComplete && len(e.Commands.Queries) > 0:
		return domain.ExecCancelled, "Ignored: finish first. Say COMPLETE once the queries are answered."
	case name == callComplete && len(e.Commands.Actions) > 0:
		return domain.ExecSuccess, "Noted. It holds if every action of the answer succeeds."
	case name == callComplete:
		return domain.ExecSuccess, "Noted."
	case name == callAskUser && !chat(t):
		return domain.ExecCancelled, "Nobody can be asked here. Decide with what you know, and go on."
	case name == callAskUser && e.Answer.Module != nil:
		return domain.ExecCancelled, "Ignored: one question at a time."
	default:
		return domain.ExecCancelled, "Not run."
	}
}

// tellUnheard answers what a chat ignores; without it there is nothing to say.
func tellUnheard(t *turn) {
	t.tellPending("Not all of the answer could be used.")
	t.closeAnswer()
}

// guideOn tells an automation that neither asks, acts nor ends to go on.
func guideOn(t *turn) {
	pending := t.pending()
	text := "Go on with the task, or say that it is completed."
	if pending.Guidance != "" {
		text = pending.Guidance + "\n" + text
	}
	t.system(domain.SystemGuidance, text, pending.Results, "")
	t.closeAnswer()
	t.s.State.NextReason, t.s.State.ResultsGood = domain.ReasonActionResult, false
}

// tellPending stores the results and the guidance that no series of commands carries.
func (t *turn) tellPending(text string) {
	pending := t.pending()
	if len(pending.Results) == 0 && pending.Guidance == "" {
		return
	}
	if pending.Guidance != "" {
		text = pending.Guidance
	}
	t.system(domain.SystemGuidance, text, pending.Results, "")
	pending.Results, pending.Guidance = nil, ""
	t.s.State.Pending = &pending
}

// pending is a copy of what is owed; the one in the state is never changed in place.
func (t *turn) pending() domain.PendingAnswer {
	if t.s.State.Pending == nil {
		return domain.PendingAnswer{}
	}
	return *t.s.State.Pending
}

// closeAnswer: everything owed for the answer is in the record.
func (t *turn) closeAnswer() {
	t.s.State.Pending = nil
	t.s.State.PendingActions = false
}

// Answers that cannot be used.

// storeUnreadable keeps an answer that could not be read, and tells the AI why.
func storeUnreadable(t *turn) {
	e := t.event.(domain.ParseErrorOccurred)
	results := t.refusedResults(e.Refused)
	told := map[string]bool{}
	for _, r := range results {
		told[r.CallID] = true
	}
	if e.Raw != nil {
		for _, call := range e.Raw.Calls {
			if !told[call.ID] {
				results = append(results, notRun(call))
			}
		}
	}
	t.formatError(e.MessageID, &domain.AIMessage{PreText: domain.InvalidFormatText}, e.Raw, e.Problem, results)
}

// storeMisused refuses an answer that was read but may not be: each of its calls is
// answered CANCELLED.
func storeMisused(t *turn) {
	e := parsed(t)
	var results []domain.CommandResult
	for _, list := range [][]*domain.Execution{e.Commands.Queries, e.Commands.Actions} {
		for _, x := range list {
			results = append(results, domain.CommandResult{CallID: x.CallID, Command: x.Command, Status: domain.ExecCancelled, Text: textNotRun})
		}
	}
	results = append(results, t.refusedResults(e.Commands.Refused)...)
	told := map[string]bool{}
	for _, r := range results {
		told[r.CallID] = true
	}
	for _, call := range e.Raw.Calls {
		if !told[call.ID] {
			results = append(results, notRun(call))
		}
	}
	problem := "Queries and actions may not stand in one answer. Read first, then act in the next answer."
	if withModule(t) {
		problem = "A question may not stand beside commands. Ask first, or act first."
	}
	t.formatError(e.MessageID, e.Answer, e.Raw, problem, results)
}

const textNotRun = "Not run: the answer could not be used as a whole."

func notRun(call domain.RawCall) domain.CommandResult {
	return domain.CommandResult{CallID: call.ID, Command: call.Name, Status: domain.ExecCancelled, Text: textNotRun}
}

func (t *turn) formatError(id string, answer *domain.AIMessage, raw *domain.RawAnswer, problem string, results []domain.CommandResult) {
	t.place(&domain.Message{ID: id, Sender: domain.SenderAI, AI: answer, Raw: raw})
	t.s.State.AnswerID = t.lastMessage()
	t.planned = nil
	t.system(domain.SystemFormatError, problem, results, "")
	t.s.State.ConsecutiveFormatErrors++
	t.s.State.NextReason, t.s.State.ResultsGood = domain.ReasonFormatErrorCorrection, false
	t.closeAnswer()
}
