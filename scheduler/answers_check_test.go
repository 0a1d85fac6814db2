package scheduler

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestAnAnswerIsForWhatWasAsked: without an approval's id it counts for the one that was
// open when it came, never for one that was asked since.
func TestAnAnswerIsForWhatWasAsked(t *testing.T) {
	asked := func(kind domain.ApprovalKind) *domain.Approval { return &domain.Approval{ID: "apr_new", Kind: kind} }
	for name, c := range map[string]struct {
		approval *domain.Approval
		named    string // the approval's id that the answer gives
		open     string // when it came
		stale    bool
	}{
		"the same":                {asked(domain.ApprovalCompletion), "", "apr_new", false},
		"another one since":       {asked(domain.ApprovalCompletion), "", "apr_old", true},
		"nothing was asked":       {asked(domain.ApprovalCompletion), "", "", true},
		"named":                   {asked(domain.ApprovalCompletion), "apr_new", "", false},
		"money, another one":      {asked(domain.ApprovalBudget), "", "apr_old", true},
		"a question, another one": {asked(domain.ApprovalQuestion), "", "apr_old", true},
		"actions, another one":    {asked(domain.ApprovalActions), "", "apr_old", true},
		"actions, never looked":   {asked(domain.ApprovalActions), "apr_new", "", true},
	} {
		decision := domain.Decision{ApprovalID: c.named, Approved: true}
		x := answering{kind: c.approval.Kind, decision: decision, prepared: prepared{approval: c.open}}
		event, err := x.reply(&domain.View{}, c.approval)
		if stale := domain.ErrorCode(err) == domain.CodeValidationStale; stale != c.stale || (event == nil) != c.stale {
			t.Errorf("%s: %v %v", name, event, err)
		}
	}
}
