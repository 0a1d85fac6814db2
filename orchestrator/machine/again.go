package machine

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Answering again: another try at the last question of a chat. The plan, what is superseded
// by it, was made of the record before (branch.PlanRetry).

// retryPlan is that of the request; nil: the round is continued.
func retryPlan(s *step) *domain.RetryPlan {
	e, _ := s.event.(domain.RoundRequested)
	return e.Plan
}

// reworded: the next try begins with a message of its own.
func reworded(s *step) bool {
	p := retryPlan(s)
	return p != nil && p.Message != nil
}

func supersedeAnswers(s *step) {
	if p := retryPlan(s); p != nil {
		markMessages(s, p.Superseded, nil)
	}
}

func chooseAnswer(s *step) {
	p := s.event.(domain.AnswerChosen).Plan
	markMessages(s, p.Superseded, p.Current)
}

// markMessages removes messages from the prompt, and returns others to it. Their content stays.
func markMessages(s *step, superseded, current []*domain.Message) {
	if len(superseded)+len(current) == 0 {
		return
	}
	event := &domain.AnswersChanged{SessionID: s.session.ID, Superseded: []string{}, Current: []string{}}
	for _, m := range superseded {
		s.session.State.ContextTokens = max(0, s.session.State.ContextTokens-tokensOf(s, m))
		event.Superseded = append(event.Superseded, marked(s, m, true))
	}
	for _, m := range current {
		s.session.State.ContextTokens += tokensOf(s, m)
		event.Current = append(event.Current, marked(s, m, false))
	}
	s.emit(domain.LogEvent{Type: domain.LogAnswersChanged, Answers: event})
}

func marked(s *step, given *domain.Message, superseded bool) string {
	m := *given
	m.Superseded = superseded
	s.change.MarkedMessages = append(s.change.MarkedMessages, &m)
	return m.ID
}

// askedAgain is what the request asks to be remembered until its round begins.
func askedAgain(s *step) *domain.Again {
	p := retryPlan(s)
	if p == nil {
		return nil
	}
	own := p.Again
	own.Remains = remains(p.Remains)
	if p.Message != nil {
		own.MessageID = p.Message.ID
	}
	return &own
}

// beginAgain makes the round that has just begun the next try of its question, or continues the one that
// broke off, with its counters.
func beginAgain(s *step, a *domain.Again, before domain.SessionState) {
	if a == nil {
		return
	}
	st := &s.session.State
	st.RetryOf, st.RoundProvider, st.RoundModel = a.Of, a.ProviderID, a.Model
	if a.RoundID == "" {
		return
	}
	st.RoundID, st.RoundMessageID = a.RoundID, before.RoundMessageID
	st.RoundTokens, st.RoundCost = before.RoundTokens, before.RoundCost
	keepCounts(st, before)
	st.AnswerHashes, st.Circle = before.AnswerHashes, before.Circle
}

// noteRemains informs the AI of the changes of an earlier try: it does not see that try, but its changes
// remain.
func noteRemains(s *step, a *domain.Again) {
	if a == nil || a.Remains == "" {
		return
	}
	s.system(domain.SystemGuidance, "An earlier answer to this request was taken back. What it had done stays done; "+
		"look at the data before you do it once more:\n"+a.Remains, nil, "")
}

// beginReworded begins the next try with its own message.
func beginReworded(s *step) {
	a := askedAgain(s)
	s.session.State.Again = a
	beginWith(s, retryPlan(s).Message)
}

// keepReworded keeps the message until the chat has the slot.
func keepReworded(s *step) {
	s.session.State.Again = askedAgain(s)
	keep(s, domain.UserMessageSent{Message: retryPlan(s).Message})
}

// remains lists what stays of earlier tries, by the names of the commands alone: their parameters may be
// external content.
func remains(executions []*domain.Execution) string {
	var order []string
	times := map[string]int{}
	for _, x := range executions {
		line := x.Command + ", " + string(x.Status)
		if times[line]++; times[line] == 1 {
			order = append(order, line)
		}
	}
	var out strings.Builder
	for _, line := range order {
		fmt.Fprintf(&out, "- %s (%d)\n", line, times[line])
	}
	return strings.TrimSuffix(out.String(), "\n")
}
