package machine

import (
	"cmp"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// askOutcome asks a person what became of an action that was sent and of which no clear
// answer came: what was sent, when, and to whom.
func askOutcome(s *step, x *domain.Execution) {
	at := s.policy.Now
	if x.StartedAt != nil {
		at = *x.StartedAt
	}
	to, _, _ := strings.Cut(x.Command, ".")
	s.openApproval(&domain.Approval{
		Kind: domain.ApprovalOutcome,
		Text: s.say("%s was sent to %s at %s UTC, and no clear answer came back. Did it happen?",
			"%s a été envoyé à %s à %s UTC, et aucune réponse claire n’est revenue. Est-ce que cela a eu lieu ?",
			x.Command, to, at.UTC().Format(time.DateTime)),
		Actions: []domain.ApprovalAction{{
			ID: x.ID, Command: x.Command, Params: x.Params, Text: cmp.Or(x.Summary, x.Command), Digest: x.Digest,
		}},
	})
}
