package scheduler

import (
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// checkDecision validates an answer to actions: the named actions belong to the approval, and the person
// may approve them.
func (x *answering) checkDecision(asked *domain.Approval) error {
	known := func(id string) bool {
		return slices.ContainsFunc(asked.Actions, func(action domain.ApprovalAction) bool { return action.ID == id })
	}
	for _, id := range x.decision.ApprovedIDs {
		if !known(id) {
			return domain.Invalid("/approved_ids", "unknown_action", "%.80q is not an action of this approval.", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.decision.Edits)) {
		if !known(id) {
			return domain.Invalid("/edits/"+id, "unknown_action", "%.80q is not an action of this approval.", id)
		}
	}
	return x.mayApprove(asked)
}

// mayRaise refuses to raise a budget that the person could not change themselves: those of the
// workspace and of an automation are an administrator's. One of a session, or of its round, is a
// member's.
func mayRaise(asked *domain.Approval, decision domain.Decision) error {
	if asked.Kind != domain.ApprovalBudget || !decision.Approved {
		return nil
	}
	if b := asked.Budget; b != nil && (b.Scope == domain.BudgetOfRound || b.Scope == domain.BudgetOfSession) {
		return nil
	}
	if decision.By.Role.Allows(domain.RoleAdmin) {
		return nil
	}
	return domain.Errorf(domain.CodeForbidden, "Raising this budget needs the role %s, as changing it does, and you have the role %s. "+
		"Nothing was changed; it still waits. You can refuse it.", domain.RoleAdmin, decision.By.Role)
}

// mayApprove rejects the approval of an action that the person's role does not allow. Anyone who may
// answer can refuse. The wait continues for a person with the role.
func (x *answering) mayApprove(asked *domain.Approval) error {
	decision := x.decision
	if !decision.Approved {
		return nil
	}
	for _, action := range asked.Actions {
		if len(decision.ApprovedIDs) > 0 && !slices.Contains(decision.ApprovedIDs, action.ID) {
			continue
		}
		if needed := x.checks.RoleFor(&action); !decision.By.Role.Allows(needed) {
			return domain.Errorf(domain.CodeForbidden, "Approving %s needs the role %s, and you have the role %s. "+
				"Nothing was run; it still waits for a person with that role. You can refuse it.",
				action.Command, needed, decision.By.Role)
		}
	}
	return nil
}
