package machine

import (
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

// The program that sent a message may have tools of its own. When the AI calls them, the session waits as
// for a person's answer: the program runs them and sends the results, which are external content.

// withClientCalls: the answer calls tools of the program that sent the message.
func withClientCalls(s *step) bool { return len(parsed(s).Answer.ClientCalls) > 0 }

// waitsForClient: the program is awaited; what was refused beside its tools is stored with their results.
func waitsForClient(s *step) bool { return chat(s) && withClientCalls(s) }

// clientBesideOthers: such calls must be alone, since the others would have to wait too.
func clientBesideOthers(s *step) bool {
	c := parsed(s).Commands
	return withClientCalls(s) && (withModule(s) || len(c.Queries)+len(c.Actions) > 0)
}

// clientAnswers: the wait is for the program.
func clientAnswers(s *step) bool {
	w := s.session.State.Waiting
	return w != nil && w.Kind == domain.WaitClient
}

// callInWords is a call for people. Its parameters are shown in full beside it.
func callInWords(c domain.ClientCall) string {
	const longest = 200 // bytes of the parameters, which a model can make as long as an answer
	return visible.Line(c.Name) + " " + shorten.Characters(visible.Line(string(c.Params)), longest)
}

// askClient waits for the program. The cancel message holds a result for each call, so that the
// history is whole if it never comes back.
func askClient(s *step) {
	calls, results := parsed(s).Answer.ClientCalls, s.pending().Results
	a := &domain.Approval{Kind: domain.ApprovalClientCalls}
	var unanswered []domain.CommandResult
	names := make([]string, len(calls))
	for i, c := range calls {
		a.Actions = append(a.Actions, domain.ApprovalAction{ID: c.ID, Command: c.Name, Params: c.Params, Text: callInWords(c)})
		unanswered = append(unanswered, domain.CommandResult{
			CallID: c.ID, Command: c.Name, Status: domain.ExecCancelled, Text: "The program that has this tool did not answer.",
		})
		names[i] = visible.Line(c.Name)
	}
	a.Ask(domain.Say("Waits for the program that called: %s", "Attend le programme appelant : %s", strings.Join(names, ", ")), s.language())
	cancel := s.system(domain.SystemCommunicationCancelled, "The program that asked did not run its tools.", append(unanswered, results...), "")
	s.waitFor(domain.WaitingContext{Kind: domain.WaitClient, MessageID: s.session.State.AnswerID}, cancel, a)
}

// storeClientResults replaces the cancel message by the program's results. No person has written: counters
// since the last user message continue, and the round acts with no more rights than the sender of the
// results.
func storeClientResults(s *step) {
	d, st := s.decision(), &s.session.State
	results := clientResults(s, d.Results)
	id := domain.ClientResultsID(st.Waiting.ApprovalID)
	s.settle(domain.ApprovalStatusApproved)
	s.removeCancelMessage()
	pending := s.pending()
	s.place(&domain.Message{ID: id, Sender: domain.SenderSystem, System: &domain.SystemMessage{
		Type: domain.SystemDataAdded, Summary: "What the program that asked answered to its tools.",
		CommandResults: results,
	}})
	if pending.Guidance != "" {
		s.system(domain.SystemGuidance, pending.Guidance, nil, "")
	}
	s.closeAnswer()
	st.RoundRole = s.session.ActsAs().AtMost(orMember(d.By.Role))
	st.NextReason = domain.ReasonDataResponse
}

// clientResults are those of the cancel message, with the received ones in their places.
func clientResults(s *step, brought []domain.ClientResult) []domain.CommandResult {
	var results []domain.CommandResult
	if s.cancel != nil && s.cancel.System != nil {
		results = slices.Clone(s.cancel.System.CommandResults)
	}
	for i := range results {
		r := &results[i]
		for _, b := range brought {
			if b.CallID == r.CallID {
				r.Status, r.Text, r.From = domain.ExecSuccess, b.Text, domain.From(domain.OriginClient, r.Command)
			}
		}
	}
	return results
}
