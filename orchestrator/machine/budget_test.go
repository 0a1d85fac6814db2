package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// priced is a model at one dollar for a thousand tokens, whose answers have 1,000.
var priced = domain.CallEstimate{MaxTokens: 1000, Price: func(u domain.Usage) *float64 {
	cost := float64(u.Total()) / 1000
	return &cost
}}

// said is the step that a message of the person leads to.
func said(t *testing.T, w *world, p *domain.Policy) *domain.Step {
	t.Helper()
	step, err := Run(w.s, domain.UserMessageSent{Message: w.message("hello")}, p)
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// TestMoneyIsReserved: what a call may cost is held back before it begins, and let go
// with its outcome.
func TestMoneyIsReserved(t *testing.T) {
	w := newWorld(t, domain.Chat)
	w.settings.Limits.Chat.MaxCostPerDay = new(2.0)
	p := w.policy()
	p.Estimate, p.Spent = priced, domain.Spent{Day: "2030-01-02", Today: 0.5}
	step := said(t, w, p)
	held := step.Session.State.ReservedCost
	if step.Effect != domain.DoCallAI || held < 1 || held > 1.1 {
		t.Fatalf("%s reserved %v", step.Session.Phase, held)
	}
	if step.Change.Spent == nil || !step.Change.Spent.Same(p.Spent) {
		t.Fatalf("the change holds whatever others spend: %+v", step.Change.Spent)
	}
	for name, e := range map[string]domain.Event{
		"an answer":     domain.AIResponseReceived{MessageID: "msg_9", Raw: &domain.RawAnswer{Text: "Hi"}, Roundtrip: &domain.Roundtrip{Usage: domain.Usage{Cost: new(0.2)}}},
		"a failure":     domain.NetworkErrorOccurred{Problem: "gone"},
		"an interrupt":  domain.InterruptRequested{By: "ada"},
		"a stop":        domain.StopRequested{By: "ada"},
		"a lost server": domain.SystemErrorOccurred{Code: "x"},
	} {
		after, err := Run(step.Session, e, p)
		if err != nil || after.Session.State.ReservedCost != 0 {
			t.Errorf("after %s %v is still reserved: %v", name, after.Session.State.ReservedCost, err)
		}
	}
	aside, err := Run(step.Session, domain.SessionSuspended{}, p)
	if err != nil || aside.Session.State.ReservedCost != held {
		t.Errorf("for the call that continues without the slot %v is reserved: %v", aside.Session.State.ReservedCost, err)
	}
	if cut, err := Run(aside.Session, domain.SessionSuspended{}, p); err != nil || cut.Session.State.ReservedCost != 0 {
		t.Errorf("after it was cut %v is still reserved: %v", cut.Session.State.ReservedCost, err)
	}
	again, err := Run(step.Session, domain.SessionActivationRequested{Recovery: true}, p)
	if err != nil || again.Session.State.ReservedCost != held {
		t.Errorf("after a crash %v is reserved: %v", again.Session.State.ReservedCost, err)
	}
}

// TestOthersReserve: the money that another session's call may cost is not there.
func TestOthersReserve(t *testing.T) {
	w := newWorld(t, domain.Chat)
	w.settings.Limits.Chat.MaxCostPerMonth = new(2.0)
	p := w.policy()
	p.Estimate, p.Spent = priced, domain.Spent{Month: "2030-01", Reserved: 1.01}
	step := said(t, w, p)
	if step.Session.Phase != domain.WaitingBudget {
		t.Fatalf("two calls of a dollar and more in a budget of two: %s", step.Session.Phase)
	}
	q := step.Change.Approvals[0].Budget
	if q == nil || q.Limit != budgetMonthCost || q.Scope != "month" || q.Unit != "USD" || q.Max != 2 || q.Spent != 0 || q.Reserved < 2 {
		t.Fatalf("the question is %+v", q)
	}
}

// TestARaiseIsForItsPeriod: what a person grants for a day is there for later rounds of
// that day, for this budget alone, and gone the next day.
func TestARaiseIsForItsPeriod(t *testing.T) {
	w := newWorld(t, domain.Chat)
	l := &w.settings.Limits.Chat
	l.MaxCostPerDay, l.MaxCostPerRound = new(1.0), new(20.0)
	p := w.policy()
	p.Spent = domain.Spent{Day: "2030-01-02", Today: 5}
	step := said(t, w, p)
	p.Open, p.CancelMessage = step.Change.Approvals, nil
	step, err := Run(step.Session, domain.BudgetRaised{Answer: domain.Answer{Decision: domain.Decision{Approved: true, Limit: new(8.0)}}}, p)
	if err != nil || step.Session.Phase != domain.CallingAI {
		t.Fatalf("raised: %v", err)
	}
	step, err = Run(step.Session, domain.InterruptRequested{}, p)
	if err != nil {
		t.Fatal(err)
	}
	w.s, p.Open = step.Session, nil
	for _, c := range []struct {
		day   string
		spent float64
		want  domain.Phase
	}{
		{"2030-01-02", 7.9, domain.CallingAI}, {"2030-01-02", 8, domain.WaitingBudget}, {"2030-01-03", 0.9, domain.CallingAI}, {"2030-01-03", 1, domain.WaitingBudget},
	} {
		p.Spent = domain.Spent{Day: c.day, Today: c.spent}
		if got := said(t, w, p).Session.Phase; got != c.want {
			t.Errorf("%v spent on %s: %s, want %s", c.spent, c.day, got, c.want)
		}
	}
	for _, b := range budgets(begin(step.Session, domain.SchedulerHeartbeat{}, p)) {
		if b.name == budgetRoundCost && b.limit != 20 {
			t.Errorf("the round's budget was raised too: %+v", b)
		}
	}
}

// TestAnAutomationsDay: all runs of an automation share its budget of a day; a chat
// has none.
func TestAnAutomationsDay(t *testing.T) {
	for kind, want := range map[domain.SessionType]domain.Phase{domain.Run: domain.WaitingBudget, domain.Chat: domain.CallingAI} {
		w := newWorld(t, kind)
		w.s.Budgets.MaxCostPerDay = new(3.0)
		p := w.policy()
		p.Spent = domain.Spent{Day: "2030-01-02", AutomationToday: 3}
		var e domain.Event = domain.UserMessageSent{Message: w.message("hello")}
		if kind == domain.Run {
			w.s.AutomationID, e = "aut_1", domain.EnrichmentsExecuted{}
		}
		step, err := Run(w.s, e, p)
		if err != nil || step.Session.Phase != want {
			t.Fatalf("%s: %s %v", kind, step.Session.Phase, err)
		}
		if kind == domain.Run && step.Session.State.Waiting.Limit != budgetAutomationDay {
			t.Errorf("it waits for %+v", step.Session.State.Waiting)
		}
	}
}

// TestNoticesAreSentOnce verifies that the call that takes a budget over 80 % emits a notice, for both kinds of
// session if the budget is the workspace's, and that later calls do not.
func TestNoticesAreSentOnce(t *testing.T) {
	w := newWorld(t, domain.Chat)
	w.settings.Limits.Chat.MaxCostPerDay, w.settings.Limits.Automation.MaxCostPerDay = new(10.0), new(5.0)
	w.settings.Limits.Automation.MaxCostPerMonth = new(100.0)
	w.spent = domain.Spent{Day: "2030-01-02", Month: "2030-01", Today: 3, ThisMonth: 50}
	notices := 0
	for i, want := range []int{1, 1, 2, 2} { // 4.5, 6, 8.1, 9.6 dollars
		cost := []float64{1.5, 1.5, 2.1, 1.5}[i]
		if _, err := w.do(domain.UserMessageSent{Message: w.message("look")}); err != nil {
			t.Fatal(err)
		}
		received, parsed := w.answer("so", nil)
		received.Hash, received.Roundtrip.Usage.Cost = "", &cost
		step, err := w.do(received)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range step.Change.Events {
			if e.Notice != nil && e.Notice.Code == "budget_near" {
				notices++
			}
		}
		if notices != want {
			t.Errorf("call %d: %d notices in all, want %d", i+1, notices, want)
		}
		w.spent = w.spent.Plus(cost)
		if _, err := w.do(parsed); err != nil {
			t.Fatal(err)
		}
	}
}
