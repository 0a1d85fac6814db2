package machine

import (
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// budget is a limit of tokens or money with what counts against it.
type budget struct {
	name    string
	what    string
	money   bool
	limit   float64
	used    float64
	reserve float64
}

const (
	budgetRoundTokens  = "max_tokens_per_round"
	budgetRoundCost    = "max_cost_per_round"
	budgetSessionCost  = "max_cost_per_session"
	budgetDayCost      = "max_cost_per_day"
	budgetMonthCost    = "max_cost_per_month"
	noticeAt           = 0.8
	noticeAtPercentage = 80
)

// budgets are those in force: a person's own limit on the session comes before the
// workspace's, and what was granted beyond them is added.
func (t *turn) budgets() []budget {
	st, own, l := &t.s.State, t.s.Budgets, t.limits()
	var list []budget
	if max := first(own.MaxTokensPerRound, l.MaxTokensPerRound); max != nil {
		list = append(list, budget{name: budgetRoundTokens, what: "tokens for a round",
			limit: float64(*max + st.RaisedTokens), used: float64(st.RoundTokens), reserve: float64(t.p.ReserveTokens)})
	}
	var spent float64
	if t.s.Usage.Cost != nil {
		spent = *t.s.Usage.Cost
	}
	for _, b := range []struct {
		name, what string
		max        *float64
		used       float64
	}{
		{budgetRoundCost, "money for a round", first(own.MaxCostPerRound, l.MaxCostPerRound), st.RoundCost},
		{budgetSessionCost, "money for this session", first(own.MaxCostPerSession, l.MaxCostPerSession), spent},
		{budgetDayCost, "the workspace's money for a day", l.MaxCostPerDay, t.p.SpentToday},
		{budgetMonthCost, "the workspace's money for a month", l.MaxCostPerMonth, t.p.SpentThisMonth},
	} {
		if b.max != nil {
			list = append(list, budget{name: b.name, what: b.what, money: true,
				limit: *b.max + st.RaisedCost, used: b.used, reserve: t.p.ReserveCost})
		}
	}
	return list
}

func first[T any](values ...*T) *T {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

func (b budget) exceeded() bool { return b.used >= b.limit || b.used+b.reserve > b.limit }

func (b budget) amount(v float64) string {
	if b.money {
		return fmt.Sprintf("$%.4g", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (t *turn) budgetGate() domain.Event {
	for _, b := range t.budgets() {
		if b.exceeded() {
			return budgetExceeded{b.name, fmt.Sprintf("The budget of %s is used up: %s of %s.", b.what, b.amount(b.used), b.amount(b.limit))}
		}
	}
	return nil
}

// askBudget opens the question whether to go on. The message that stays if nobody
// says yes is stored first.
func askBudget(t *turn) {
	e := t.event.(budgetExceeded)
	cancel := t.system(domain.SystemLimitReached, e.text+" The work stops here.", nil, "")
	t.because(e.limit)
	t.waitFor(domain.WaitingContext{Kind: domain.WaitBudget, Limit: e.limit}, cancel, &domain.Approval{
		Kind: domain.ApprovalBudget, Text: e.text + " Go on?",
	})
}

// raiseBudget stores the new limit: the one the person gave, or as much again.
func raiseBudget(t *turn) {
	e := t.event.(domain.BudgetRaised)
	w := t.s.State.Waiting
	for _, b := range t.budgets() {
		if b.name != w.Limit {
			continue
		}
		granted := b.limit
		if e.Decision.Limit != nil {
			granted = *e.Decision.Limit - b.limit
		} else if over := b.used + b.reserve - b.limit; over > 0 {
			granted += over
		}
		t.grant(b, max(granted, 0))
	}
	t.settle(domain.ApprovalApproved)
	t.removeCancelMessage()
}

func (t *turn) grant(b budget, more float64) {
	switch {
	case b.name == budgetRoundTokens:
		t.s.State.RaisedTokens += int64(more)
	case b.name == budgetSessionCost:
		limit := b.limit - t.s.State.RaisedCost + more
		t.s.Budgets.MaxCostPerSession = &limit
	default:
		t.s.State.RaisedCost += more
	}
}

// warnNearBudget tells people once when a call takes a budget over 80 %.
func (t *turn) warnNearBudget(before []budget) {
	for i, b := range t.budgets() {
		if i < len(before) && before[i].used < noticeAt*b.limit && b.used >= noticeAt*b.limit {
			t.notice("warning", "budget_near", fmt.Sprintf("%d %% of the budget of %s is used: %s of %s.",
				noticeAtPercentage, b.what, b.amount(b.used), b.amount(b.limit)))
		}
	}
}
