package machine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// askOutcome asks a person for the outcome of an action that was sent without a clear response: what was
// sent, when, and to whom.
func askOutcome(s *step, x *domain.Execution) {
	at := s.policy.Now
	if x.StartedAt != nil {
		at = *x.StartedAt
	}
	to, _, _ := strings.Cut(x.Command, ".")
	asked := &domain.Approval{Kind: domain.ApprovalOutcome, Actions: []domain.ApprovalAction{actionOf(s, x)}}
	s.openApproval(asked.Ask(domain.Say("%s was sent to %s at %s UTC, and no clear answer came back. Did it happen?",
		"%s a été envoyé à %s à %s UTC, et aucune réponse claire n’est revenue. Est-ce que cela a eu lieu ?",
		x.Command, to, at.UTC().Format(time.DateTime)), s.language()))
}

// actionOf shows an execution as it is known here: as it was planned, else by its command.
func actionOf(s *step, x *domain.Execution) domain.ApprovalAction {
	a := domain.ApprovalAction{ID: x.ID, Command: x.Command, Params: x.Params, Digest: x.Digest}
	a.Say(s.language(), cmp.Or(x.Summary, domain.Same(x.Command)))
	return a
}

// wantedAgain: the person wants it run once more, and no limit prevents it: beyond one, the AI gets the
// person's report, and the limit applies.
func wantedAgain(s *step) bool {
	e, _ := s.event.(domain.ExternalResultReceived)
	if e.Again == nil || len(e.Again.Actions) == 0 {
		return false
	}
	most := s.limits().MaxCommandsPerSession
	return most == nil || s.session.State.CommandsRun+len(e.Again.Actions) <= *most
}

// askOnceMore plans an action of unknown outcome as a new one, which needs its own approval. It is not an
// AI call; its result is recorded after the person's answer.
func askOnceMore(s *step) {
	again := s.event.(domain.ExternalResultReceived).Again
	s.session.State.AnswerID = lastMessage(s)
	s.session.State.Pending = &domain.PendingAnswer{BackToAI: true}
	s.planned = nil
	s.plan(again.Actions)
	cancel := storeCancelled(s)
	s.waitFor(domain.WaitingContext{Kind: domain.WaitValidation, MessageID: s.session.State.AnswerID}, cancel, &domain.Approval{
		Kind: domain.ApprovalActions, Reasons: again.Reasons, Actions: slices.Clone(again.Cards),
	})
	bindApproval(s)
}
