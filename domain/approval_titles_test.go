package domain

import "testing"

// Each kind of approval has a title of its own, in each language.
func TestApprovalTitles(t *testing.T) {
	kinds := []ApprovalKind{
		ApprovalActions, ApprovalQuestion, ApprovalBudget, ApprovalCompletion, ApprovalOutcome, ApprovalPoisoned, ApprovalReconnect,
		ApprovalClientCalls,
	}
	if len(approvalTitles) != len(kinds) {
		t.Errorf("%d titles for %d kinds", len(approvalTitles), len(kinds))
	}
	seen := map[string]bool{}
	for _, kind := range kinds {
		title := kind.Title(1)
		for _, text := range []string{title.EN, title.FR} {
			if text == "" || seen[text] {
				t.Errorf("%s: %q", kind, text)
			}
			seen[text] = true
		}
	}
	if other := ApprovalKind("of a newer version").Title(0); other.EN != "Fermata needs you" || other.FR == "" {
		t.Errorf("an unknown kind: %v", other)
	}
}

func TestTitlesCount(t *testing.T) {
	one := &Approval{Kind: ApprovalActions, Actions: make([]ApprovalAction, 1)}
	three := &Approval{Kind: ApprovalActions, Actions: make([]ApprovalAction, 3)}
	for _, c := range []struct {
		of   []*Approval
		want Text
	}{
		{[]*Approval{one}, Text{"A change needs your approval", "Une modification attend votre accord"}},
		{[]*Approval{three}, Text{"3 changes need your approval", "3 modifications à approuver"}},
		{[]*Approval{one, three}, Text{"2 requests need your answer", "2 demandes en attente"}},
	} {
		if got := TitleOf(c.of); got != c.want {
			t.Errorf("%v", got)
		}
	}
}
