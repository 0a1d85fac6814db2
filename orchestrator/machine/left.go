package machine

import "github.com/fermata-dev/fermata/domain"

// Left is what a session may still use of the budgets of its round and its own, in equal parts
// for so many agents that begin: each is checked before its calls, and what they use is counted
// in the session only when they have ended. nil: there is no such budget.
func Left(session *domain.Session, p *domain.Policy, agents int) domain.Budgets {
	var left domain.Budgets
	for _, b := range budgets(begin(session, domain.AgentsStarted{}, p)) {
		part := max(0, b.limit-b.used) / float64(max(1, agents))
		switch b.name {
		case budgetRoundTokens:
			left.MaxTokensPerRound = new(int64(part))
		case budgetRoundCost:
			left.MaxCostPerRound = &part
		case budgetSessionCost:
			left.MaxCostPerSession = &part
		}
	}
	return left
}
