package automations

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// maxGrants bounds the grants of an automation that hold: every decision about one of its
// runs reads them.
const maxGrants = 100

// GiveGrant adds a grant to an automation.
func (s *Service) GiveGrant(ctx context.Context, workspace, automationID string, g domain.Grant) (*domain.Grant, int64, error) {
	if _, err := s.Store.Automation(ctx, workspace, automationID); err != nil {
		return nil, 0, err
	}
	if err := s.Checks.CheckGrant(ctx, workspace, s.Clock(), &g); err != nil {
		return nil, 0, err
	}
	o, err := s.edit(
		ctx,
		workspace,
		automationID,
		func(p rules, v *automation.View, change *domain.Change) (*automation.Automation, error) {
			if len(v.Grants) >= maxGrants {
				return nil, domain.Invalid("/commands", "too_many",
					"The automation has %d grants that hold, as many as it may. Withdraw one first.", maxGrants)
			}
			given := g
			given.ID, given.WorkspaceID, given.AutomationID = p.newID(domain.PrefixGrant), workspace, automationID
			given.CreatedAt = change.At
			change.Grants = append(change.Grants, &given)
			return changedAt(v, change), nil
		},
	)
	if err != nil {
		return nil, 0, err
	}
	return o.Change.Grants[0], o.Seq(), nil
}

// WithdrawGrant ends a grant; what runs from now on asks again.
func (s *Service) WithdrawGrant(ctx context.Context, workspace, automationID, grant string) (int64, error) {
	o, err := s.edit(
		ctx,
		workspace,
		automationID,
		func(_ rules, v *automation.View, change *domain.Change) (*automation.Automation, error) {
			i := slices.IndexFunc(v.Grants, func(g *domain.Grant) bool { return g.ID == grant })
			if i < 0 {
				return nil, domain.NotFound("grant")
			}
			withdrawn := *v.Grants[i]
			withdrawn.RevokedAt = &change.At
			change.Grants = append(change.Grants, &withdrawn)
			return changedAt(v, change), nil
		},
	)
	if err != nil {
		return 0, err
	}
	return o.Seq(), nil
}

// changedAt is the automation as changed with what belongs to it.
func changedAt(v *automation.View, change *domain.Change) *automation.Automation {
	a := *v.Automation
	a.UpdatedAt = change.At
	return &a
}
