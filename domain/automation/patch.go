package automation

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Patch changes an automation. Nil: unchanged. Version is the one that the
// client saw; 0: any.
type Patch struct {
	Version           int64
	Name              *string
	ProviderID        *string
	Enabled           *bool
	Schedule          *SchedulePatch
	Misfire           *MisfirePolicy
	Overlap           *OverlapPolicy
	Lane              *LanePolicy
	Validation        *string
	RequireValidation *bool
	Completion        *CompletionPolicy
	Tags              *[]string
	Commands          *[]string
	Triggers          *[]Trigger
	Budgets           domain.BudgetsPatch
	Seed              *domain.RichContent // runs that have begun keep what they copied
	By                string              // who writes the SEED
}

// SchedulePatch changes a schedule, or takes it away.
type SchedulePatch struct {
	None       bool // the automation has no schedule any more
	Type       *string
	Expression *string
	TimeZone   *string
	StartsAt   *string
}

// Apply merges the patch into an automation: all but its SEED, which is a session of its
// own.
func (p Patch) Apply(a *Automation) error {
	domain.Set(&a.Name, p.Name)
	domain.Set(&a.ProviderID, p.ProviderID)
	domain.Set(&a.Enabled, p.Enabled)
	domain.Set(&a.Misfire, p.Misfire)
	domain.Set(&a.Overlap, p.Overlap)
	domain.Set(&a.Lane, p.Lane)
	domain.Set(&a.Validation, p.Validation)
	domain.Set(&a.RequireValidation, p.RequireValidation)
	domain.Set(&a.Completion, p.Completion)
	if p.Tags != nil {
		a.Tags = slices.Clone(*p.Tags)
	}
	if p.Commands != nil {
		a.Commands = slices.Clone(*p.Commands)
	}
	if p.Triggers != nil {
		a.Triggers = slices.Clone(*p.Triggers)
	}
	p.Budgets.Apply(&a.Budgets)
	if p.Schedule == nil {
		return nil
	}
	var err error
	a.Schedule, err = p.Schedule.merged(a.Schedule)
	return err
}

// merged is the schedule with the patch; where none is set, the patch must be a whole one.
func (p SchedulePatch) merged(have *Schedule) (*Schedule, error) {
	if p.None {
		return nil, nil
	}
	merged := Schedule{}
	if have != nil {
		merged = *have
	}
	domain.Set(&merged.Type, p.Type)
	domain.Set(&merged.Expression, p.Expression)
	domain.Set(&merged.TimeZone, p.TimeZone)
	domain.Set(&merged.StartsAt, p.StartsAt)
	for _, needed := range []struct{ field, value string }{
		{"type", merged.Type}, {"expression", merged.Expression}, {"time_zone", merged.TimeZone},
	} {
		if needed.value == "" {
			return nil, domain.Invalid("/schedule/"+needed.field, "required", "The automation has no schedule yet, so this is needed.")
		}
	}
	return &merged, nil
}
