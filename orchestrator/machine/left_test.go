package machine

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestWhatIsLeftForAgents: in equal parts, never below nothing, with what a person granted; and no
// budget where the caller has none.
func TestWhatIsLeftForAgents(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*domain.Session, *domain.Policy)
		agents int
		tokens string
		round  string
		own    string
	}{
		"none": {func(*domain.Session, *domain.Policy) {}, 1, "none", "none", "none"},
		"of the session's own": {func(s *domain.Session, _ *domain.Policy) {
			s.Budgets = domain.Budgets{MaxTokensPerRound: new(int64(1000)), MaxCostPerRound: new(2.0), MaxCostPerSession: new(5.0)}
		}, 1, "700", "1.5", "4"},
		"for two": {func(s *domain.Session, _ *domain.Policy) {
			s.Budgets = domain.Budgets{MaxTokensPerRound: new(int64(1000)), MaxCostPerSession: new(5.0)}
		}, 2, "350", "none", "2"},
		"of the workspace's": {func(_ *domain.Session, p *domain.Policy) {
			p.Settings.Limits.Chat.MaxTokensPerRound = new(int64(500))
		}, 1, "200", "none", "none"},
		"granted": {func(s *domain.Session, _ *domain.Policy) {
			s.Budgets.MaxTokensPerRound = new(int64(300))
			s.State.Raises = []domain.Raise{{Limit: budgetRoundTokens, Period: s.State.RoundID, More: 50}}
		}, 1, "50", "none", "none"},
		"used up": {func(s *domain.Session, _ *domain.Policy) {
			s.Budgets.MaxTokensPerRound, s.Budgets.MaxCostPerSession = new(int64(10)), new(0.5)
		}, 4, "0", "none", "0"},
	} {
		w := newWorld(t, domain.Chat)
		w.s.State.RoundID, w.s.State.RoundTokens, w.s.State.RoundCost = "rnd_1", 300, 0.5
		w.s.Usage.Cost = new(1.0)
		p := w.policy()
		p.Settings.Limits.Chat.MaxTokensPerRound = nil
		c.change(w.s, p)
		left := Left(w.s, p, c.agents)
		if got := []string{leftOf(left.MaxTokensPerRound), leftOf(left.MaxCostPerRound), leftOf(left.MaxCostPerSession)}; got[0] != c.tokens ||
			got[1] != c.round || got[2] != c.own || left.MaxCostPerDay != nil {
			t.Errorf("%s: left are %v", name, got)
		}
	}
}

func leftOf[T any](value *T) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprint(*value)
}

// TestARoundKeepsTheTermsOfItsRun: without its list of commands a run would be offered every external command.
func TestARoundKeepsTheTermsOfItsRun(t *testing.T) {
	terms := domain.RunTerms{Validation: "refuse", AskCompletion: true, Commands: []string{"SHOP_ORDER"}}
	s := begin(&domain.Session{Type: domain.Run, State: domain.SessionState{RunTerms: terms}}, domain.ExternalResultReceived{},
		&domain.Policy{NewID: func(p string) string { return p + "_1" }})
	newRound(s, domain.CauseExternalResult, domain.Author{})
	if got := s.session.State.RunTerms; !reflect.DeepEqual(got, terms) {
		t.Errorf("the round has the terms %+v", got)
	}
}

// TestARoundKeepsTheAddedCommands: definitions that the AI asked for are offered for the rest of the session.
func TestARoundKeepsTheAddedCommands(t *testing.T) {
	added := []string{"SHOP.ORDER"}
	s := begin(&domain.Session{Type: domain.Chat, State: domain.SessionState{AddedCommands: added}}, domain.UserMessageSent{},
		&domain.Policy{NewID: func(p string) string { return p + "_1" }})
	newRound(s, domain.CauseUserMessage, domain.Author{})
	if got := s.session.State.AddedCommands; !reflect.DeepEqual(got, added) {
		t.Errorf("the round has %v", got)
	}
}
