package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// Untrusted words cannot act: what the prompt holds from outside is remembered with the
// session, and while there is any, an action with an effect outside waits for a person.

// noteOutside remembers the parts of a message that come from outside. They stay in the
// prompt, or in the summary that is made of it, for as long as the session lives.
func noteOutside(s *step, m *domain.Message) {
	s.session.State.Taint = s.session.State.Taint.With(m.OutsideParts()...)
}

// noteDescribed records the sources of the command descriptions in a prompt once a model has answered it:
// the answer may be influenced by them, also when they are no longer offered.
func noteDescribed(s *step, sources []domain.Provenance) {
	s.session.State.Taint = s.session.State.Taint.Including(sources...)
}

// guardedOutside: a runnable action has an external or lasting effect, and the model that requested it had
// read external content. What this answer's own queries read does not count: it was requested before.
func guardedOutside(s *step) bool { return needsPerson(s) && fromOutside(demands(s)) }

func fromOutside(reasons []domain.ApprovalReason) bool {
	return slices.ContainsFunc(reasons, func(r domain.ApprovalReason) bool { return r.Level == domain.LevelOutside })
}

// withOutside adds the reason that no policy removes, if a runnable action acts outside. The planner has
// usually added it already; lasting effects are known only to it.
func withOutside(s *step, reasons []domain.ApprovalReason) []domain.ApprovalReason {
	if fromOutside(reasons) {
		return reasons
	}
	for _, x := range commandsToPlan(s).Actions {
		if x.Status == domain.ExecFailed {
			break // what comes after it is cancelled
		}
		if !x.Status.Final() && s.session.State.Taint.Guards(x) {
			return append(slices.Clip(reasons), s.policy.Settings.OutsideReason(s.session.State.Taint))
		}
	}
	return reasons
}

// cards are those of the actions to approve. An action that was planned without a reason has none, and is
// shown as it is.
func cards(c domain.PlannedCommands) []domain.ApprovalAction {
	list := slices.Clone(c.Cards)
	for _, x := range c.Actions {
		if x.Status == domain.ExecFailed {
			break
		}
		shown := func(a domain.ApprovalAction) bool { return a.ID == x.ID }
		if x.Status.Final() || x.Foreign == nil || slices.ContainsFunc(list, shown) {
			continue
		}
		list = append(list, domain.ApprovalAction{
			ID: x.ID, Command: x.Command, Params: x.Params, Text: visible.Text(x.Command), Digest: x.Digest,
		})
	}
	return list
}
