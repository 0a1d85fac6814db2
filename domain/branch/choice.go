package branch

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// PlanChoice makes the try that a message of the last round belongs to the current one. nil: the message
// does not exist or is not part of an answer.
func PlanChoice(record []*domain.Message, id string) *domain.ChoicePlan {
	round := LastRound(record)
	i := slices.IndexFunc(round, func(m *domain.Message) bool { return m.ID == id })
	if i < 0 || len(round) == 0 {
		return nil
	}
	p := &domain.ChoicePlan{RoundID: round[i].RoundID}
	belongs := tryOf(round, p.RoundID)
	for _, m := range round {
		switch current := belongs(m); {
		case current && m.Superseded:
			p.Current = append(p.Current, m)
		case !current && !m.Superseded:
			p.Superseded = append(p.Superseded, m)
		}
	}
	return p
}

// tryOf returns a predicate for the messages of a round that belong to one of its tries: the answer, its
// question and external results.
func tryOf(round []*domain.Message, try string) func(*domain.Message) bool {
	own := false // the try has its own words
	for _, m := range round {
		own = own || m.RoundID == try && m.Sender == domain.SenderUser && m.Rich != nil
	}
	asked := questionOf(round, try)
	return func(m *domain.Message) bool { return m.RoundID == try || isExternalResult(m) || !own && asked[m.ID] }
}

// questionOf returns the messages that were the question when a try began: those that remain of the latest
// earlier try with words of its own.
func questionOf(round []*domain.Message, try string) map[string]bool {
	words := ""
	for _, m := range round {
		if m.RoundID == try {
			break
		}
		if m.Sender == domain.SenderUser && m.Rich != nil {
			words = m.RoundID
		}
	}
	asked := map[string]bool{}
	answered, refers := false, false
	for _, m := range round {
		if m.RoundID != words {
			continue
		}
		kept := staysInPlace(m, answered, refers)
		refers = kept && m.Rich != nil && len(m.Rich.Commands) > 0
		answered = answered || m.Sender == domain.SenderAI
		asked[m.ID] = kept
	}
	return asked
}
