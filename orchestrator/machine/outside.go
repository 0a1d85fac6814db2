package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Untrusted words cannot act: what the prompt holds from outside is remembered with the
// session, and while there is any, an action with an effect outside waits for a person.

// noteOutside remembers the parts of a message that come from outside. They stay in the
// prompt, or in the summary that is made of it, for as long as the session lives.
func noteOutside(s *step, m *domain.Message) {
	s.session.State.Taint = s.session.State.Taint.With(m.OutsideParts()...)
}

// noteDescribed remembers where the words come from that described commands in a prompt, once a
// model has answered it: what it said may be theirs, also when they are no longer offered.
func noteDescribed(s *step, sources []domain.Provenance) {
	s.session.State.Taint = s.session.State.Taint.Including(sources...)
}

// guardedOutside: something that would run now has an effect outside or one that lasts, and the
// model that asked for it had read words from there. What this answer's own queries brought does
// not count: it was asked for before they were read.
func guardedOutside(s *step) bool { return needsPerson(s) && fromOutside(demands(s)) }

func fromOutside(reasons []domain.ApprovalReason) bool {
	return slices.ContainsFunc(reasons, func(r domain.ApprovalReason) bool { return r.Level == domain.LevelOutside })
}

// withOutside adds the reason that no policy takes away, where something that would run acts
// outside. Whoever planned the actions has most often given it already; what lasts here they
// alone know.
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

// cards are those of the actions to approve. One that has none, because whoever planned it
// saw no reason to ask, is shown as it stands.
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
			ID: x.ID, Command: x.Command, Params: x.Params, Text: domain.Visible(x.Command), Digest: x.Digest,
		})
	}
	return list
}
