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
	what     string
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
func (t *turn) budgets() []budget {
	st, own, l := &t.s.State, t.s.Budgets, t.limits()
	tokens, cost := t.reservation()
	var list []budget
	add := func(b budget, max *float64) {
		if max != nil {
			b.own, b.limit = *max, *max+t.granted(b)
			list = append(list, b)
		}
	}
	if max := first(own.MaxTokensPerRound, l.MaxTokensPerRound); max != nil {
		limit := float64(*max)
		add(budget{name: budgetRoundTokens, scope: "round", period: st.RoundID, what: t.say("tokens for a round", "jetons par tour"),
			used: float64(st.RoundTokens), reserved: float64(tokens)}, &limit)
	}
	add(budget{name: budgetRoundCost, scope: "round", period: st.RoundID, what: t.say("money for a round", "dépense par tour"), money: true,
		used: st.RoundCost, reserved: cost}, first(own.MaxCostPerRound, l.MaxCostPerRound))
	var spent float64
	if t.s.Usage.Cost != nil {
		spent = *t.s.Usage.Cost
	}
	add(budget{name: budgetSessionCost, scope: "session", what: t.say("money for this session", "dépense de cette session"), money: true,
		used: spent, reserved: cost}, first(own.MaxCostPerSession, l.MaxCostPerSession))
	if t.s.AutomationID != "" {
		add(budget{name: budgetAutomationDay, scope: "automation_day", period: t.p.Spent.Day, what: t.say("this automation's money for a day", "dépense de cette automatisation par jour"),
			money: true, used: t.p.Spent.AutomationToday, reserved: cost}, own.MaxCostPerDay)
	}
	add(t.dayBudget(cost), l.MaxCostPerDay)
	add(t.monthBudget(cost), l.MaxCostPerMonth)
	return list
}

func (t *turn) dayBudget(cost float64) budget {
	return budget{name: budgetDayCost, scope: "day", period: t.p.Spent.Day, what: t.say("the workspace's money for a day", "dépense de l’espace de travail par jour"), money: true,
		used: t.p.Spent.Today, reserved: cost + t.p.Spent.Reserved}
}

func (t *turn) monthBudget(cost float64) budget {
	return budget{name: budgetMonthCost, scope: "month", period: t.p.Spent.Month, what: t.say("the workspace's money for a month", "dépense de l’espace de travail par mois"), money: true,
		used: t.p.Spent.ThisMonth, reserved: cost + t.p.Spent.Reserved}
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
func (t *turn) reservation() (tokens int64, cost float64) {
	return t.p.Estimate.Reserve(t.promptTokens())
}

// promptTokens estimates the whole of the next prompt. What stands before the
// conversation is in it once a call, or a summary, has measured it.
func (t *turn) promptTokens() int {
	st := &t.s.State
	if st.TotalRoundtrips == 0 && !st.Compacted {
		return st.ContextTokens + t.fixedTokens()
	}
	return st.ContextTokens
}

// fixedTokens estimates what stands before the conversation.
func (t *turn) fixedTokens() int {
	if t.p.Estimate.Before == nil {
		return 0
	}
	return t.p.Estimate.Before()
}

// reserve holds money back for the call that begins, and lets it go where none is
// under way.
func (t *turn) reserve() {
	t.s.State.ReservedCost = 0
	if !t.s.Phase.Effect().CallsAI() || !t.hasSlot() || setAside(t) {
		return
	}
	if t.sharesMoney() {
		_, t.s.State.ReservedCost = t.reservation()
		t.mindSpent()
	}
}

// sharesMoney: there is a budget that other sessions draw on too.
func (t *turn) sharesMoney() bool {
	for _, l := range []domain.Limits{t.p.Settings.Limits.Chat, t.p.Settings.Limits.Automation} {
		if l.MaxCostPerDay != nil || l.MaxCostPerMonth != nil {
			return true
		}
	}
	return t.s.AutomationID != "" && t.s.Budgets.MaxCostPerDay != nil
}

// mindSpent makes the change hold only while nobody else has spent anything.
func (t *turn) mindSpent() {
	if t.c.Spent == nil {
		spent := t.spent
		t.c.Spent = &spent
	}
}

func (b budget) exceeded() bool { return b.used >= b.limit || b.used+b.reserved > b.limit }

func (b budget) amount(v float64) string {
	if b.money {
		return fmt.Sprintf("$%.4g", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// says tells of a budget that has no room for the next call.
func (t *turn) says(b budget) string {
	if b.used >= b.limit {
		return t.say("The budget of %s is used up: %s of %s.", "Le budget « %s » est épuisé : %s sur %s.", b.what, b.amount(b.used), b.amount(b.limit))
	}
	return t.say("The budget of %[1]s has no room for the next call, which may need up to %[2]s: %[3]s of %[4]s are used.",
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

func (t *turn) budgetGate() domain.Event {
	for _, b := range t.budgets() {
		if b.exceeded() {
			return budgetExceeded{b.name, t.says(b), b.question()}
		}
	}
	return nil
}

// askBudget opens the question whether to go on. The message that stays if nobody
// says yes is stored first.
func askBudget(t *turn) {
	e := t.event.(budgetExceeded)
	cancel := t.system(domain.SystemLimitReached, e.text+t.say(" The work stops here.", " Le travail s’arrête ici."), nil, "")
	t.because(e.limit)
	t.c.Limits = append(t.c.Limits, e.limit)
	t.waitFor(domain.WaitingContext{Kind: domain.WaitBudget, Limit: e.limit}, cancel, &domain.Approval{
		Kind: domain.ApprovalBudget, Text: e.text + t.say(" Go on?", " Continuer ?"), Budget: e.question,
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
		granted := b.own + math.Max(0, b.used+b.reserved-b.limit)
		if e.Decision.Limit != nil {
			granted = *e.Decision.Limit - b.limit
		}
		t.grant(b, max(granted, 0))
	}
	t.settle(domain.ApprovalStatusApproved)
	t.removeCancelMessage()
}

// granted is what a person added to a budget for its present period.
func (t *turn) granted(b budget) float64 {
	var sum float64
	for _, r := range t.s.State.Raises {
		if r.Limit == b.name && r.Period == b.period {
			sum += r.More
		}
	}
	return sum
}

// grant adds to a budget. A session's own limit is raised itself; the others are
// lifted for this session and the present period, since the settings are for an
// administrator to change.
func (t *turn) grant(b budget, more float64) {
	if b.name == budgetSessionCost {
		limit := b.limit + more
		t.s.Budgets.MaxCostPerSession = &limit
		return
	}
	raises := []domain.Raise{{Limit: b.name, Period: b.period, More: more}}
	for _, r := range t.s.State.Raises {
		if r.Limit != b.name || r.Period == b.period { // else its period is over
			raises = append(raises, r)
		}
	}
	t.s.State.Raises = raises
}

// warnNearBudget tells people once when a call takes a budget over 80 %. The
// workspace's budgets are looked at for both kinds of session, whichever has called.
func (t *turn) warnNearBudget(before []budget) {
	for i, b := range t.nearBudgets() {
		if i < len(before) && before[i].used < noticeAt*b.limit && b.used >= noticeAt*b.limit {
			t.notice("warning", "budget_near", t.say("%d %% of the budget of %s is used: %s of %s.", "%d %% du budget « %s » sont utilisés : %s sur %s.",
				noticeAtPercentage, b.what, b.amount(b.used), b.amount(b.limit)))
		}
	}
}

// nearBudgets are the session's budgets, and those of the workspace that the other
// kind of session has.
func (t *turn) nearBudgets() []budget {
	list, own, others := t.budgets(), t.limits(), t.p.Settings.Limits.Chat
	if chat(t) {
		others = t.p.Settings.Limits.Automation
	}
	for _, o := range []struct {
		b         budget
		max, mine *float64
	}{
		{t.dayBudget(0), others.MaxCostPerDay, own.MaxCostPerDay},
		{t.monthBudget(0), others.MaxCostPerMonth, own.MaxCostPerMonth},
	} {
		if o.max != nil && (o.mine == nil || *o.mine != *o.max) {
			o.b.own, o.b.limit = *o.max, *o.max
			list = append(list, o.b)
		}
	}
	return list
}
