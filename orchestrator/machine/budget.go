package machine

import (
	"fmt"
	"math"

	"github.com/fermata-dev/fermata/domain"
)

// budget is a limit of tokens or money with what counts against it.
type budget struct {
	name     string
	scope    string // of a BudgetQuestion
	period   string // what a person grants beyond it ends with its period
	what     domain.Text
	money    bool
	own      float64 // the limit as it is set
	limit    float64 // with what a person granted beyond it
	used     float64
	reserved float64 // by the next call, and by the calls of others that are under way
}

const (
	budgetRoundTokens   = "max_tokens_per_round"
	budgetRoundCost     = "max_cost_per_round"
	budgetSessionCost   = "max_cost_per_session"
	budgetDayCost       = "max_cost_per_day"
	budgetMonthCost     = "max_cost_per_month"
	budgetAutomationDay = "automation_max_cost_per_day"
	noticeAt            = 0.8
	noticeAtPercentage  = 80
)

// budgets are those in force: a person's own limit on the session comes before the
// workspace's, and what was granted beyond them is added.
func budgets(s *step) []budget {
	st, own, l := &s.session.State, s.session.Budgets, s.limits()
	tokens, cost := reservation(s)
	var list []budget
	add := func(b budget, max *float64) {
		if max != nil {
			b.own, b.limit = *max, *max+granted(s, b)
			list = append(list, b)
		}
	}
	if max := first(own.MaxTokensPerRound, l.MaxTokensPerRound); max != nil {
		limit := float64(*max)
		add(budget{name: budgetRoundTokens, scope: domain.BudgetOfRound, period: st.RoundID,
			what: domain.Say("tokens for a round", "jetons par tour"),
			used: float64(st.RoundTokens), reserved: float64(tokens)}, &limit)
	}
	add(budget{name: budgetRoundCost, scope: domain.BudgetOfRound, period: st.RoundID,
		what: domain.Say("money for a round", "dépense par tour"), money: true,
		used: st.RoundCost, reserved: cost}, first(own.MaxCostPerRound, l.MaxCostPerRound))
	var spent float64
	if s.session.Usage.Cost != nil {
		spent = *s.session.Usage.Cost
	}
	add(budget{name: budgetSessionCost, scope: domain.BudgetOfSession,
		what: domain.Say("money for this session", "dépense de cette session"), money: true,
		used: spent, reserved: cost}, first(own.MaxCostPerSession, l.MaxCostPerSession))
	if s.session.AutomationID != "" {
		add(automationBudget(s, cost), own.MaxCostPerDay)
	}
	add(dayBudget(s, cost), l.MaxCostPerDay)
	add(monthBudget(s, cost), l.MaxCostPerMonth)
	return list
}

func automationBudget(s *step, cost float64) budget {
	what := domain.Say("this automation's money for a day", "dépense de cette automatisation par jour")
	return budget{name: budgetAutomationDay, scope: "automation_day", period: s.policy.Spent.Day, what: what, money: true,
		used: s.policy.Spent.AutomationToday, reserved: cost}
}

func dayBudget(s *step, cost float64) budget {
	what := domain.Say("the workspace's money for a day", "dépense de l’espace de travail par jour")
	return budget{name: budgetDayCost, scope: "day", period: s.policy.Spent.Day, what: what, money: true,
		used: s.policy.Spent.Today, reserved: cost + s.policy.Spent.Reserved}
}

func monthBudget(s *step, cost float64) budget {
	what := domain.Say("the workspace's money for a month", "dépense de l’espace de travail par mois")
	return budget{name: budgetMonthCost, scope: "month", period: s.policy.Spent.Month, what: what, money: true,
		used: s.policy.Spent.ThisMonth, reserved: cost + s.policy.Spent.Reserved}
}

func first[T any](values ...*T) *T {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// reservation is what the next call may use at most.
func reservation(s *step) (tokens int64, cost float64) {
	return s.policy.Estimate.Reserve(promptTokens(s))
}

// promptTokens estimates the whole of the next prompt. What precedes the history is included once a call,
// or a summary, has measured it.
func promptTokens(s *step) int {
	st := &s.session.State
	if st.TotalRoundtrips == 0 && !st.Compacted {
		return st.ContextTokens + fixedTokens(s)
	}
	return st.ContextTokens
}

// fixedTokens estimates what precedes the history.
func fixedTokens(s *step) int {
	if s.policy.Estimate.Before == nil {
		return 0
	}
	return s.policy.Estimate.Before()
}

// reserve holds money back for the call that begins, and lets it go where none is
// under way.
func reserve(s *step) {
	s.session.State.ReservedCost = 0
	if !s.session.Phase.Effect().CallsAI() || !withSlot(s) || setAside(s) {
		return
	}
	if sharesMoney(s) {
		_, s.session.State.ReservedCost = reservation(s)
		mindSpent(s)
	}
}

// sharesMoney: there is a budget that other sessions draw on too.
func sharesMoney(s *step) bool {
	for _, l := range []domain.Limits{s.policy.Settings.Limits.Chat, s.policy.Settings.Limits.Automation} {
		if l.MaxCostPerDay != nil || l.MaxCostPerMonth != nil {
			return true
		}
	}
	return s.session.AutomationID != "" && s.session.Budgets.MaxCostPerDay != nil
}

// mindSpent makes the change conditional on the amounts spent being unchanged.
func mindSpent(s *step) {
	if s.change.Spent == nil {
		spent := s.spent
		s.change.Spent = &spent
	}
}

func (b budget) exceeded() bool { return b.used >= b.limit || b.used+b.reserved > b.limit }

func (b budget) amount(v float64) string {
	if b.money {
		return fmt.Sprintf("$%.4g", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// budgetText describes a budget that has no room for the next call.
func budgetText(b budget) domain.Text {
	if b.used >= b.limit {
		return domain.Say("The budget of %s is used up: %s of %s.", "Le budget « %s » est épuisé : %s sur %s.",
			b.what, b.amount(b.used), b.amount(b.limit))
	}
	return domain.Say("The budget of %[1]s has no room for the next call, which may need up to %[2]s: %[3]s of %[4]s are used.",
		"Le budget « %[1]s » ne suffit pas pour le prochain appel, qui peut demander jusqu’à %[2]s : %[3]s sur %[4]s sont utilisés.",
		b.what, b.amount(b.reserved), b.amount(b.used), b.amount(b.limit))
}

func (b budget) question() *domain.BudgetQuestion {
	unit := "tokens"
	if b.money {
		unit = "USD"
	}
	return &domain.BudgetQuestion{Limit: b.name, Scope: b.scope, Unit: unit, Max: b.limit, Spent: b.used, Reserved: b.reserved}
}

func budgetGate(s *step) domain.Event {
	for _, b := range budgets(s) {
		if b.exceeded() {
			return budgetExceeded{b.name, budgetText(b), b.question()}
		}
	}
	return nil
}

// askBudget opens the question whether to continue. The message for the case without an approval is stored
// first.
func askBudget(s *step) {
	e := s.event.(budgetExceeded)
	text := domain.Join(" ", e.text, domain.Say("The work stops here.", "Le travail s’arrête ici."))
	cancel := systemForPeople(s, domain.SystemLimitReached, text)
	s.because(e.limit)
	s.change.Limits = append(s.change.Limits, e.limit)
	asked := &domain.Approval{Kind: domain.ApprovalBudget, Budget: e.question}
	asked.Ask(domain.Join(" ", e.text, domain.Say("Go on?", "Continuer ?")), s.language())
	s.waitFor(domain.WaitingContext{Kind: domain.WaitBudget, Limit: e.limit}, cancel, asked)
}

// raiseBudget stores the new limit: the one the person gave, or as much again.
func raiseBudget(s *step) {
	e := s.event.(domain.BudgetRaised)
	w := s.session.State.Waiting
	for _, b := range budgets(s) {
		if b.name != w.Limit {
			continue
		}
		granted := b.own + math.Max(0, b.used+b.reserved-b.limit)
		if e.Decision.Limit != nil {
			granted = *e.Decision.Limit - b.limit
		}
		grant(s, b, max(granted, 0))
	}
	s.settle(domain.ApprovalStatusApproved)
	s.removeCancelMessage()
}

// granted is what a person added to a budget for its present period.
func granted(s *step, b budget) float64 {
	var sum float64
	for _, r := range s.session.State.Raises {
		if r.Limit == b.name && r.Period == b.period {
			sum += r.More
		}
	}
	return sum
}

// grant adds to a budget. A session's own limit is raised itself; the others are
// lifted for this session and the present period, since the settings are for an
// administrator to change.
func grant(s *step, b budget, more float64) {
	if b.name == budgetSessionCost {
		limit := b.limit + more
		s.session.Budgets.MaxCostPerSession = &limit
		return
	}
	raises := []domain.Raise{{Limit: b.name, Period: b.period, More: more}}
	for _, r := range s.session.State.Raises {
		if r.Limit != b.name || r.Period == b.period { // else its period is over
			raises = append(raises, r)
		}
	}
	s.session.State.Raises = raises
}

// warnNearBudget notifies people once when a call takes a budget over 80 %. The workspace's budgets are
// checked for both kinds of session, whichever has called.
func warnNearBudget(s *step, before []budget) {
	for i, b := range nearBudgets(s) {
		if i < len(before) && before[i].used < noticeAt*b.limit && b.used >= noticeAt*b.limit {
			s.notice("warning", "budget_near", domain.Say("%d %% of the budget of %s is used: %s of %s.",
				"%d %% du budget « %s » sont utilisés : %s sur %s.",
				noticeAtPercentage, b.what, b.amount(b.used), b.amount(b.limit)))
		}
	}
}

// nearBudgets are the session's budgets, and those of the workspace that the other
// kind of session has.
func nearBudgets(s *step) []budget {
	list, own, others := budgets(s), s.limits(), s.policy.Settings.Limits.Chat
	if chat(s) {
		others = s.policy.Settings.Limits.Automation
	}
	for _, o := range []struct {
		b         budget
		max, mine *float64
	}{
		{dayBudget(s, 0), others.MaxCostPerDay, own.MaxCostPerDay},
		{monthBudget(s, 0), others.MaxCostPerMonth, own.MaxCostPerMonth},
	} {
		if o.max != nil && (o.mine == nil || *o.mine != *o.max) {
			o.b.own, o.b.limit = *o.max, *o.max
			list = append(list, o.b)
		}
	}
	return list
}
