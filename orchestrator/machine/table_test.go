package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestEveryPairIsDecided: in every phase of every type, with and without the slot,
// set aside, poisoned, answered, each variant of each event is taken by a rule or
// refused by a line of the list; nothing falls through, nothing panics.
func TestEveryPairIsDecided(t *testing.T) {
	for _, kind := range []domain.SessionType{domain.Chat, domain.Seed, domain.Run, domain.Agent} {
		for _, phase := range domain.Phases {
			for _, s := range standings(kind, phase) {
				for _, e := range variants() {
					err := Accepts(s, e)
					if err != nil && domain.ErrorCode(err) == domain.CodeInternal {
						t.Errorf("%s in %s: %v", kind, phase, err)
						return
					}
					if _, err := Run(s, e, &domain.Policy{NewID: func(p string) string { return p + "_1" }, Settings: domain.DefaultSettings()}); domain.ErrorCode(err) == domain.CodeInternal && err != nil {
						t.Errorf("%s in %s: %v", kind, phase, err)
					}
				}
			}
		}
	}
}

// TestEveryPairIsWritten: a rule or a refusal names each pair of phase and event.
func TestEveryPairIsWritten(t *testing.T) {
	for _, phase := range domain.Phases {
		for _, e := range domain.Events {
			rule := slices.ContainsFunc(table, func(r rule) bool { return r.On == e.Name() && r.From.has(phase) })
			refusal := slices.ContainsFunc(refusals, func(r refusalRule) bool {
				return r.On != nil && r.names(e.Name()) && r.From.has(phase)
			})
			if !rule && !refusal {
				t.Errorf("%s in %s is neither a rule nor a refusal", e.Name(), phase)
			}
		}
	}
}

// standings are the ways in which a session can stand in a phase.
func standings(kind domain.SessionType, phase domain.Phase) []*domain.Session {
	base := domain.Session{ID: "ses_1", WorkspaceID: "default", Type: kind, Phase: phase, HoldsSlot: true}
	if phase.Waiting() || phase == domain.AwaitingSessionClosure {
		base.State.Waiting = &domain.WaitingContext{ApprovalID: "apr_1", CancelMessageID: "msg_1", Limit: budgetRoundTokens}
	}
	parked, suspended, given, poisoned, answered := base, base, base, base, base
	parked.HoldsSlot = false
	suspended.HoldsSlot, suspended.State.Suspended = false, true
	given.HoldsSlot, given.EndReason = false, domain.EndNetworkError
	poisoned.HoldsSlot, poisoned.State.Poisoned = false, true
	list := []*domain.Session{&base, &parked, &suspended, &given, &poisoned}
	if base.State.Waiting != nil {
		w := *base.State.Waiting
		w.Answer = &domain.WaitAnswer{Event: "ValidationReceived"}
		answered.State.Waiting = &w
		list = append(list, &answered)
	}
	return list
}

// variants are the events with what their rules look at.
func variants() []domain.Event {
	message := &domain.Message{ID: "msg_9", Rich: &domain.RichContent{LinearText: "hello"}}
	list := []domain.Event{}
	for _, e := range domain.Events {
		switch e := e.(type) {
		case domain.UserMessageSent:
			for _, how := range []domain.IfBusy{"", domain.IfBusyEnqueue, domain.IfBusySteer, domain.IfBusyInterrupt, domain.IfBusyReject} {
				list = append(list, domain.UserMessageSent{Message: message, IfBusy: how, Explicit: how != ""})
			}
		case domain.InterruptRequested:
			list = append(list, e, domain.InterruptRequested{PartialText: "so"}, domain.InterruptRequested{Then: &domain.UserMessageSent{Message: message}})
		case domain.SessionActivationRequested:
			list = append(list, e, domain.SessionActivationRequested{Recovery: true, Died: true})
		case domain.ValidationReceived:
			list = append(list, e, domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Approved: true}}}, domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Comment: "no"}}})
		case domain.AIResponseParsed:
			list = append(list, e, domain.AIResponseParsed{Answer: &domain.AIMessage{Completed: true}, Raw: &domain.RawAnswer{}},
				domain.AIResponseParsed{Answer: &domain.AIMessage{Module: &domain.Module{}}, Raw: &domain.RawAnswer{}})
		default:
			list = append(list, e)
		}
	}
	return list
}

// TestNoCallIsLost: whatever takes a session out of a call of the AI, each rule of the
// table that can, the call is in the record: as its own report says, or as cut.
func TestNoCallIsLost(t *testing.T) {
	began := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	policy := &domain.Policy{Now: began.Add(time.Minute), NewID: func(p string) string { return p + "_1" }, Settings: domain.DefaultSettings()}
	policy.Estimate = domain.CallEstimate{ProviderID: "prv_1", ProviderKind: "openai", Model: "m-1"}
	cut := map[string]bool{}
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run, domain.Agent} {
		for phase, purpose := range map[domain.Phase]string{domain.CallingAI: "answer", domain.CompactingContext: "compaction"} {
			for i, e := range append(variants(), variants()...) {
				s := &domain.Session{ID: "ses_1", Type: kind, Phase: phase, HoldsSlot: true, LastEventTime: policy.Now}
				s.State.CallSince = began
				if i >= len(variants()) {
					s.HoldsSlot, s.State.CallAside = false, true
				}
				step, err := Run(s, e, policy)
				if err != nil || reportsCall(e) {
					continue
				}
				calls, left := step.Change.Roundtrips, len(step.Change.Transitions) > 0
				switch {
				case !left && len(calls) == 0:
				case !left || len(calls) != 1:
					t.Errorf("%s in %s of a %s: %d calls are recorded (left: %v)", e.Name(), phase, kind, len(calls), left)
				case calls[0].ProviderID != "prv_1" || calls[0].ProviderKind != "openai" || calls[0].Model != "m-1":
					t.Errorf("%s in %s of a %s: nothing says what was called: %+v", e.Name(), phase, kind, calls[0])
				case calls[0].Outcome != domain.OutcomeCut || calls[0].Purpose != purpose || !calls[0].StartedAt.Equal(began):
					t.Errorf("%s in %s of a %s: recorded as %+v", e.Name(), phase, kind, calls[0])
				default:
					cut[e.Name()] = true
				}
			}
		}
	}
	for _, name := range []string{"StopRequested", "InterruptRequested", "UserMessageSent", "WatchdogExpired", "SessionSuspended", "SessionActivationRequested"} {
		if !cut[name] {
			t.Errorf("%s cuts no call", name)
		}
	}
}

// TestPhasesAreReachedAndLeft follows the arrows of the table.
func TestPhasesAreReachedAndLeft(t *testing.T) {
	reached := map[domain.Phase]bool{domain.Idle: true}
	for range domain.Phases {
		for _, a := range arrows() {
			if reached[a.from] {
				reached[a.to] = true
			}
		}
	}
	for _, p := range domain.Phases {
		if !reached[p] {
			t.Errorf("%s is never reached", p)
		}
		if !slices.ContainsFunc(arrows(), func(a arrow) bool { return a.from == p && a.to != p }) {
			t.Errorf("%s is never left", p)
		}
	}
}

// TestTheTableNamesEvents: a misspelt event would make a rule that never fits.
func TestTheTableNamesEvents(t *testing.T) {
	known := append(everyBut(), limitReached{}.Name(), budgetExceeded{}.Name())
	for _, r := range table {
		if !slices.Contains(known, r.On) {
			t.Errorf("a rule for %q, which is no event", r.On)
		}
		if len(r.From.list) == 0 && !r.From.onTheWay {
			t.Errorf("a rule for %s fits no phase", r.On)
		}
	}
	for _, r := range refusals {
		for _, on := range r.On {
			if !slices.Contains(known, on) {
				t.Errorf("a refusal of %q, which is no event", on)
			}
		}
	}
}

// TestEveryRuleIsCovered verifies that a transcript uses each line of the table, so that no
// line is unreachable because of the lines above it.
func TestEveryRuleIsCovered(t *testing.T) {
	original := table
	defer func() { table = original }()
	used := make([]bool, len(original))
	table = slices.Clone(original)
	for i := range table {
		table[i].Do = append(do{func(*step) { used[i] = true }}, original[i].Do...)
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		play(t, string(script))
	}
	for i, r := range original {
		if !used[i] {
			t.Errorf("no transcript uses %s", describe(r))
		}
	}
}

func describe(r rule) string {
	return fmt.Sprintf("%s on %s when %s -> %s", nameOf(r.From), r.On, guardNames(r.When), r.To)
}

// TestMoneyIsCounted: what a call costs counts at once against each budget of money,
// and a person's yes lifts just the one that was reached.
func TestMoneyIsCounted(t *testing.T) {
	for _, name := range []string{budgetRoundCost, budgetSessionCost, budgetDayCost, budgetMonthCost} {
		t.Run(name, func(t *testing.T) {
			w, one, cost := newWorld(t, domain.Chat), 1.0, 1.5
			l := &w.settings.Limits.Chat
			for id, limit := range map[string]**float64{budgetRoundCost: &l.MaxCostPerRound, budgetSessionCost: &l.MaxCostPerSession, budgetDayCost: &l.MaxCostPerDay, budgetMonthCost: &l.MaxCostPerMonth} {
				if id == name {
					*limit = &one
				}
			}
			must := func(e domain.Event) *domain.Step {
				t.Helper()
				step, err := w.do(e)
				if err != nil {
					t.Fatal(err)
				}
				return step
			}
			must(domain.UserMessageSent{Message: w.message("look")})
			received, parsed := w.answer("looking", []part{{"query", "ZONES"}})
			received.Roundtrip.Usage.Cost = &cost
			must(received)
			must(parsed)
			ran, _ := w.ran(0, "")
			// The day's and month's spending come with the policy: here of another session.
			p := w.policy()
			p.Spent = domain.Spent{Today: cost, ThisMonth: cost}
			step, err := Run(w.s, ran, p)
			if err != nil {
				t.Fatal(err)
			}
			if step.Session.Phase != domain.WaitingBudget || step.Session.State.Waiting.Limit != name {
				t.Fatalf("the budget did not stop the round: %s %+v", step.Session.Phase, step.Session.State.Waiting)
			}
			p.Open, p.CancelMessage = step.Change.Approvals, step.Change.Messages[len(step.Change.Messages)-1]
			limit := 5.0
			step, err = Run(step.Session, domain.BudgetRaised{Answer: domain.Answer{Decision: domain.Decision{Approved: true, Limit: &limit}}}, p)
			if err != nil || step.Session.Phase != domain.CallingAI {
				t.Fatalf("raised, but: %v %v", step, err)
			}
		})
	}
}

// TestReservation: a call is not begun when the budget has no room for it.
func TestReservation(t *testing.T) {
	w := newWorld(t, domain.Chat)
	tokens := int64(1000)
	w.s.Budgets.MaxTokensPerRound = &tokens
	w.reserve = 4000
	step, err := w.do(domain.UserMessageSent{Message: w.message("hello")})
	if err != nil || step.Session.Phase != domain.WaitingBudget {
		t.Fatalf("a call of 4000 tokens in a budget of 1000: %v %v", step.Session.Phase, err)
	}
	step, err = w.do(domain.BudgetRaised{Answer: domain.Answer{Decision: domain.Decision{Approved: true}}})
	if err != nil || step.Effect != domain.DoCallAI {
		t.Fatalf("after as much again as is needed: %v %v", step, err)
	}
}

// TestEditedParams: what a person changed is what is written as approved.
func TestEditedParams(t *testing.T) {
	w := newWorld(t, domain.Chat)
	received, parsed := w.answer("so", []part{{"action", "CREATE_ZONE"}, {"validate", ""}})
	for _, e := range []domain.Event{domain.UserMessageSent{Message: w.message("make")}, received, parsed} {
		if _, err := w.do(e); err != nil {
			t.Fatal(err)
		}
	}
	edited := *w.executions["exe_1"]
	edited.Params, edited.Digest = []byte(`{"name":"Garden"}`), "d2"
	if _, err := w.do(domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Approved: true}}, Edited: []*domain.Execution{&edited}}); err != nil {
		t.Fatal(err)
	}
	x := w.executions["exe_1"]
	if x.Status != domain.ExecApproved || x.Digest != "d2" || string(x.Params) != `{"name":"Garden"}` || x.ApprovalID != "apr_1" {
		t.Fatalf("the approved action is %+v", x)
	}
	if a := w.approvals["apr_1"]; a.Status != domain.ApprovalStatusApproved {
		t.Fatalf("the approval is %+v", a)
	}
	if _, err := w.do(domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Approved: true}}}); domain.ErrorCode(err) != domain.CodeWrongPhase {
		t.Fatalf("a second yes: %v", err)
	}
}

// TestAnotherApproval: an answer to a card that is no longer shown is refused.
func TestAnotherApproval(t *testing.T) {
	s := standings(domain.Chat, domain.WaitingValidation)[0]
	err := Accepts(s, domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{ApprovalID: "apr_0", Approved: true}}})
	if domain.ErrorCode(err) != domain.CodeValidationResolved {
		t.Fatalf("got %v", err)
	}
}

// TestTotalWork: waits do not count, work in parts adds up.
func TestTotalWork(t *testing.T) {
	w := newWorld(t, domain.Run)
	if _, err := w.do(domain.SessionActivationRequested{}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.now = w.now.Add(9 * time.Minute)
		if w.s.Phase == domain.ExecutingEnrichments {
			if _, err := w.do(domain.EnrichmentsExecuted{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := w.do(domain.NetworkErrorOccurred{}); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Hour)
		if _, err := w.do(domain.SchedulerHeartbeat{Driven: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := time.Duration(w.s.State.WorkedMicros) * time.Microsecond; got != 27*time.Minute {
		t.Fatalf("worked %s", got)
	}
	w.now = *w.s.WakeAt
	if step, err := w.do(domain.SchedulerHeartbeat{Driven: true}); err != nil || step.Session.State.Waiting.Reason != domain.EndTimeout {
		t.Fatalf("after 30 minutes: %v", err)
	}
}
