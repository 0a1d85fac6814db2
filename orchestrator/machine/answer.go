package machine

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// countAnswer counts a call that was answered. The answer itself becomes a message
// once it has been read.
func countAnswer(s *step) {
	e := s.event.(domain.AIResponseReceived)
	before, st := nearBudgets(s), &s.session.State
	st.TotalRoundtrips++
	st.RoundRoundtrips++
	st.NetworkAttempts = 0
	st.Compacted, st.TooLong = false, 0
	noteAnswer(s, e)
	noteLeftOut(s, e.LeftOut)
	noteDescribed(s, e.Described)
	if e.Raw != nil && e.Raw.Model != "" {
		s.session.Model = e.Raw.Model
	}
	if e.Roundtrip != nil {
		if used := e.Roundtrip.Usage.Total(); used > 0 {
			st.ContextTokens = int(used)
		} else { // a provider that reports no usage: as it was measured
			st.ContextTokens = max(st.ContextTokens, e.Roundtrip.PromptTokens)
		}
		if e.Roundtrip.Model != "" {
			s.session.Model = e.Roundtrip.Model
		}
		recordCall(s, e.Roundtrip)
	}
	warnNearBudget(s, before)
}

// recordCall stores a call of the AI and its usage.
func recordCall(s *step, given *domain.Roundtrip) {
	if given == nil {
		return
	}
	for _, earlier := range given.Before {
		recordCall(s, earlier)
	}
	own, st := *given, &s.session.State
	r := &own
	r.Before = nil
	if r.ID == "" {
		r.ID = s.newID(domain.PrefixRoundtrip)
	}
	r.WorkspaceID, r.SessionID = s.session.WorkspaceID, s.session.ID
	r.SessionType, r.AutomationID = s.session.Type, s.session.AutomationID
	r.RoundID = st.RoundID
	r.Number = st.TotalRoundtrips
	if r.Reason == "" {
		r.Reason = st.NextReason
	}
	s.session.Usage = s.session.Usage.Plus(r.Usage)
	st.RoundTokens += r.Usage.Total()
	if r.Usage.Cost != nil {
		st.RoundCost += *r.Usage.Cost
		s.policy = withSpent(s.policy, *r.Usage.Cost)
		if sharesMoney(s) {
			mindSpent(s)
		}
	}
	if r.Outcome == domain.OutcomeTooLong {
		st.TooLong++
	}
	s.change.Roundtrips = append(s.change.Roundtrips, r)
	s.emit(domain.LogEvent{Type: domain.LogUsageUpdated, Usage: r})
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
func storeAnswer(s *step) {
	e, st := parsed(s), &s.session.State
	s.place(&domain.Message{ID: e.MessageID, Sender: domain.SenderAI, AI: e.Answer, Raw: e.Raw})
	st.AnswerID = lastMessage(s)
	st.ConsecutiveFormatErrors, st.Cuts = 0, 0
	if e.Answer.StopReason != "" {
		s.notice("warning", "answer_cut", cutText(s, e.Raw))
	}
	st.PendingActions, st.PendingCompleted = false, false
	st.ResultsGood = len(e.Commands.Queries)+len(e.Commands.Actions)+len(e.Commands.Refused) > 0
	s.planned = nil
	native := e.Raw.Protocol == domain.ProtocolNative
	st.Pending = &domain.PendingAnswer{
		Results:  append(refusedResults(s, e.Commands.Refused), controlResults(s)...),
		PostText: e.Answer.PostText,
		BackToAI: e.Answer.KeepControl || native && len(e.Raw.Calls) > 0,
		Guidance: guidance(s),
	}
	st.Pending.MayRest = native && !e.Answer.KeepControl && strings.TrimSpace(e.Answer.PreText) != "" &&
		len(e.Raw.Calls) == len(e.Commands.Actions) && st.Pending.Guidance == ""
	if automation(s) && len(e.Commands.Queries) == 0 {
		st.PendingCompleted = e.Answer.Completed
	}
	noteEnd(s)
	noteFinalText(s)
	goneBeyond(s, e.Commands.OverLimit)
}

// noteFinalText stores the final text of a run or an agent, for readers of the session without its
// messages.
func noteFinalText(s *step) {
	if text := parsed(s).Answer.FinalText(); automation(s) && text != "" {
		if len(text) > domain.MaxFinalText {
			text = strings.ToValidUTF8(text[:domain.MaxFinalText], "") + "…"
		}
		s.session.State.FinalText = text
	}
}

func lastMessage(s *step) string { return s.change.Messages[len(s.change.Messages)-1].ID }

func guidance(s *step) string {
	e := parsed(s)
	text := e.Guidance
	if automation(s) && e.Answer.StopReason != "" {
		text = strings.TrimPrefix(text+"\nYour answer "+endOf(e.Raw)+". What it had left to say is missing.", "\n")
	}
	if automation(s) && withModule(s) {
		if text != "" {
			text += "\n"
		}
		text += "The question was dropped: nobody can be asked here. Decide with what you know, and go on."
	}
	return text
}

// refusedResults writes down the calls that were refused before they could run.
func refusedResults(s *step, refused []*domain.Execution) []domain.CommandResult {
	var results []domain.CommandResult
	for _, x := range refused {
		own := *x
		if !own.Status.Final() {
			own.Status, own.Note = domain.ExecCancelled, "Not run."
		}
		results = append(results, domain.ResultOf(&own, s.language()))
	}
	return results
}

// controlResults answers the calls that are no commands, so that every call of a native answer has its
// result in every case.
func controlResults(s *step) []domain.CommandResult {
	e := parsed(s)
	carried := map[string]bool{}
	for _, list := range [][]*domain.Execution{e.Commands.Queries, e.Commands.Actions, e.Commands.Refused} {
		for _, x := range list {
			carried[x.CallID] = true
		}
	}
	if chat(s) {
		for _, c := range e.Answer.ClientCalls {
			carried[c.ID] = true // the program answers them
		}
	}
	question := questionCall(s, carried)
	var results []domain.CommandResult
	for _, call := range e.Raw.Calls {
		if carried[call.ID] || call.ID == question {
			continue
		}
		status, text := controlText(s, call.Name)
		results = append(results, domain.CommandResult{CallID: call.ID, Command: call.Name, Status: status, Text: text})
	}
	return results
}

// questionCall is the call that asks the person; its result is the person's answer.
func questionCall(s *step, carried map[string]bool) string {
	e := parsed(s)
	if !chat(s) || e.Answer.Module == nil {
		return ""
	}
	for _, call := range e.Raw.Calls {
		if call.Name == domain.AskUser && !carried[call.ID] {
			return call.ID
		}
	}
	return ""
}

func controlText(s *step, name string) (domain.ExecutionStatus, string) {
	e := parsed(s)
	ends := name == domain.Complete || name == domain.AskPrincipal && agent(s)
	switch {
	case name == domain.Complete && chat(s):
		return domain.ExecCancelled, "Ignored: a chat does not end by COMPLETE."
	case ends && len(e.Commands.Queries) > 0:
		return domain.ExecCancelled, "Ignored: finish first. Say " + name + " once the queries are answered."
	case ends && len(e.Commands.Actions) > 0:
		return domain.ExecSuccess, "Noted. It holds if every action of the answer succeeds."
	case ends:
		return domain.ExecSuccess, "Noted."
	case name == domain.AskUser && !chat(s):
		return domain.ExecCancelled, "Nobody can be asked here. Decide with what you know, and go on."
	case name == domain.AskUser && e.Answer.Module != nil:
		return domain.ExecCancelled, "Ignored: one question at a time."
	default:
		return domain.ExecCancelled, "Not run."
	}
}

// guideIgnored adds guidance about what a chat ignores, if any.
func guideIgnored(s *step) {
	guidePending(s, "Not all of the answer could be used.")
	s.closeAnswer()
}

// guideOn reminds an automation that neither asks, acts nor ends to continue.
func guideOn(s *step) {
	pending := s.pending()
	text := "Go on with the task, or say that it is completed."
	if pending.Guidance != "" {
		text = pending.Guidance + "\n" + text
	}
	s.system(domain.SystemGuidance, text, pending.Results, "")
	s.closeAnswer()
	s.session.State.NextReason, s.session.State.ResultsGood = domain.ReasonActionResult, false
}

// guidePending stores the results and the guidance that no series of commands carries.
func guidePending(s *step, text string) {
	pending := s.pending()
	if len(pending.Results) == 0 && pending.Guidance == "" {
		return
	}
	if pending.Guidance != "" {
		text = pending.Guidance
	}
	s.system(domain.SystemGuidance, text, pending.Results, "")
	pending.Results, pending.Guidance = nil, ""
	s.session.State.Pending = &pending
}

// pending is a copy of what is owed; the one in the state is never changed in place.
func (s *step) pending() domain.PendingAnswer {
	if s.session.State.Pending == nil {
		return domain.PendingAnswer{}
	}
	return *s.session.State.Pending
}

// closeAnswer: everything owed for the answer is in the record.
func (s *step) closeAnswer() {
	s.session.State.Pending = nil
	s.session.State.PendingActions = false
}

// Answers that cannot be used.

// endOf describes how an incomplete answer ended, as the end of a sentence about it.
func endOf(raw *domain.RawAnswer) string {
	switch {
	case raw.StopReason != domain.StopLength:
		return "ended before it was whole"
	case raw.CutLimit > 0:
		return fmt.Sprintf("was cut at its length limit (max_tokens is %d)", raw.CutLimit)
	}
	return "was cut at its length limit"
}

// cutText informs people that an answer is incomplete, and what to do.
func cutText(s *step, raw *domain.RawAnswer) domain.Text {
	name := visible.Line(s.session.Name)
	switch {
	case raw.StopReason != domain.StopLength:
		return domain.Say("“%s”: the answer ended before it was whole.", "« %s » : la réponse s’est terminée avant d’être complète.", name)
	case raw.CutLimit > 0:
		return domain.Say("“%s”: the answer was cut at its length limit of %d tokens. Ask to continue, or raise max_tokens.",
			"« %s » : la réponse a été coupée à sa limite de %d jetons. Demandez la suite, ou augmentez max_tokens.", name, raw.CutLimit)
	}
	return domain.Say("“%s”: the answer was cut at its length limit. Ask to continue, or raise max_tokens.",
		"« %s » : la réponse a été coupée à sa limite de longueur. Demandez la suite, ou augmentez max_tokens.", name)
}

// storeUnreadable stores an answer that could not be parsed, and gives the AI the reason.
func storeUnreadable(s *step) {
	e := s.event.(domain.ParseErrorOccurred)
	if e.Raw != nil && e.Raw.StopReason == domain.StopLength {
		s.session.State.Cuts++
	} else {
		s.session.State.Cuts = 0
	}
	if e.Misfit {
		s.session.State.Misfits++
	}
	results := refusedResults(s, e.Refused)
	reported := map[string]bool{}
	for _, r := range results {
		reported[r.CallID] = true
	}
	if e.Raw != nil {
		for _, call := range e.Raw.Calls {
			if !reported[call.ID] {
				results = append(results, notRun(call))
			}
		}
	}
	formatError(s, e.MessageID, &domain.AIMessage{PreText: domain.InvalidFormatText}, e.Raw, e.Problem, results)
}

// storeMisused refuses an answer that was read but may not be: each of its calls is
// answered CANCELLED.
func storeMisused(s *step) {
	e := parsed(s)
	var results []domain.CommandResult
	for _, list := range [][]*domain.Execution{e.Commands.Queries, e.Commands.Actions} {
		for _, x := range list {
			results = append(
				results,
				domain.CommandResult{CallID: x.CallID, Command: x.Command, Status: domain.ExecCancelled, Text: textNotRun},
			)
		}
	}
	results = append(results, refusedResults(s, e.Commands.Refused)...)
	reported := map[string]bool{}
	for _, r := range results {
		reported[r.CallID] = true
	}
	for _, call := range e.Raw.Calls {
		if !reported[call.ID] {
			results = append(results, notRun(call))
		}
	}
	problem := "Queries and actions may not stand in one answer. Read first, then act in the next answer."
	switch {
	case withClientCalls(s):
		problem = "Tools of the program that asked may not be called beside anything else. Call them alone, and send the rest after their results."
	case withModule(s):
		problem = "A question may not stand beside commands. Ask first, or act first."
	}
	formatError(s, e.MessageID, e.Answer, e.Raw, problem, results)
}

const textNotRun = "Not run: the answer could not be used as a whole."

func notRun(call domain.RawCall) domain.CommandResult {
	return domain.CommandResult{CallID: call.ID, Command: call.Name, Status: domain.ExecCancelled, Text: textNotRun}
}

func formatError(s *step, id string, answer *domain.AIMessage, raw *domain.RawAnswer, problem string, results []domain.CommandResult) {
	s.place(&domain.Message{ID: id, Sender: domain.SenderAI, AI: answer, Raw: raw})
	s.session.State.AnswerID = lastMessage(s)
	s.planned = nil
	s.system(domain.SystemFormatError, problem, results, "")
	s.session.State.ConsecutiveFormatErrors++
	s.session.State.NextReason, s.session.State.ResultsGood = domain.ReasonFormatErrorCorrection, false
	s.closeAnswer()
}
