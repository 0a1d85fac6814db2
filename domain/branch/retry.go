package branch

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// LastRound is the end of a record: every try at its last question, in order.
func LastRound(record []*domain.Message) []*domain.Message {
	if len(record) == 0 || record[len(record)-1].Group() == "" {
		return nil
	}
	group := record[len(record)-1].Group()
	first := len(record)
	for first > 0 && record[first-1].Group() == group {
		first--
	}
	return record[first:]
}

// PlanRetry decides which messages of a record's last round a retry supersedes. With new words, all of
// them; otherwise the user's messages, the data they refer to and external results stay. A round that
// broke off without an answer is continued where it stopped. nil: there is no round.
func PlanRetry(record []*domain.Message, ask *domain.RetryRequest) *domain.RetryPlan {
	round := LastRound(record)
	if len(round) == 0 {
		return nil
	}
	p := &domain.RetryPlan{Again: domain.Again{ProviderID: ask.ProviderID, Model: ask.Model}}
	if ask.Message == nil && brokeOff(round) {
		last := round[lastCurrent(round)]
		p.RoundID, p.Of = last.RoundID, last.RetryOf
		return p
	}
	if ask.Message == nil {
		p.Words = earlierWords(round)
	}
	p.Of = round[0].Group()
	p.Superseded = answersIn(round, ask.Message != nil || p.Words != nil)
	return p
}

// earlierWords are the current words of a round where others were said after them, and nil
// where they are the latest.
func earlierWords(round []*domain.Message) *domain.Message {
	var current *domain.Message
	for _, m := range slices.Backward(round) {
		switch {
		case m.Sender != domain.SenderUser || m.Rich == nil:
		case !m.Superseded:
			current = m
		case current == nil:
			return firstWords(round)
		}
	}
	return nil
}

func firstWords(round []*domain.Message) *domain.Message {
	for _, m := range round {
		if m.Sender == domain.SenderUser && m.Rich != nil && !m.Superseded {
			return m
		}
	}
	return nil
}

// answersIn are the current messages of a round that another try takes the place of.
func answersIn(round []*domain.Message, reworded bool) []*domain.Message {
	var out []*domain.Message
	answered, refers := map[string]bool{}, false
	for _, m := range round {
		kept := !reworded && staysInPlace(m, answered[m.RoundID], refers)
		refers = kept && m.Rich != nil && len(m.Rich.Commands) > 0
		answered[m.RoundID] = answered[m.RoundID] || m.Sender == domain.SenderAI
		if !kept && !m.Superseded && !(reworded && isExternalResult(m)) {
			out = append(out, m)
		}
	}
	return out
}

// staysInPlace reports whether a message belongs to the question and not to the answer. answered: its
// round has answered before it; refers: the message before it refers to data.
func staysInPlace(m *domain.Message, answered, refers bool) bool {
	switch {
	case m.Sender == domain.SenderAI:
		return false
	case m.Sender == domain.SenderUser:
		return m.Rich != nil
	case isExternalResult(m):
		return true
	case m.System.Type == domain.SystemDataAdded:
		return refers || !answered
	default:
		return !answered && m.System.Type == domain.SystemContextSummary
	}
}

func isExternalResult(m *domain.Message) bool {
	return m.System != nil && m.System.Type == domain.SystemExternalResult
}

// brokeOff reports whether the newest message of the round records that the AI could not be called.
func brokeOff(round []*domain.Message) bool {
	i := lastCurrent(round)
	return i >= 0 && round[i].System != nil && round[i].System.Type == domain.SystemNetworkError
}

func lastCurrent(round []*domain.Message) int {
	for i, m := range slices.Backward(round) {
		if !m.Superseded {
			return i
		}
	}
	return -1
}

// Effects lists the executions of a superseded answer that still matter: they changed something, may have
// changed something, or are still running outside.
func Effects(executions []*domain.Execution) []*domain.Execution {
	var out []*domain.Execution
	for _, x := range executions {
		if x.Kind != domain.KindAction {
			continue
		}
		switch x.Status {
		case domain.ExecSuccess, domain.ExecUnknown, domain.ExecStarted, domain.ExecPending:
			out = append(out, x)
		}
	}
	return out
}
