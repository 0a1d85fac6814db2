package domain

import "slices"

// AutomationPatch changes an automation. Nil: unchanged. Version is the one that the
// client saw; 0: any.
type AutomationPatch struct {
	Version           int64
	Name              *string
	ProviderID        *string
	Enabled           *bool
	Schedule          *SchedulePatch
	Misfire           *MisfirePolicy
	Overlap           *OverlapPolicy
	Validation        *string
	RequireValidation *bool
	Completion        *CompletionPolicy
	Tags              *[]string
	Commands          *[]string
	Triggers          *[]Trigger
	Budgets           BudgetsPatch
	Seed              *RichContent // runs that have begun keep what they copied
	By                string       // who writes the SEED
}

// SchedulePatch changes a schedule, or takes it away.
type SchedulePatch struct {
	None       bool // the automation has no schedule any more
	Type       *string
	Expression *string
	TimeZone   *string
	StartsAt   *string
}

// BudgetsPatch changes budgets. Nil: unchanged; a pointer to nil: no bound.
type BudgetsPatch struct {
	MaxTokensPerRound **int64
	MaxCostPerRound   **float64
	MaxCostPerSession **float64
	MaxCostPerDay     **float64
}

// Apply merges the patch into an automation: all but its SEED, which is a session of its
// own.
func (p AutomationPatch) Apply(a *Automation) error {
	set(&a.Name, p.Name)
	set(&a.ProviderID, p.ProviderID)
	set(&a.Enabled, p.Enabled)
	set(&a.Misfire, p.Misfire)
	set(&a.Overlap, p.Overlap)
	set(&a.Validation, p.Validation)
	set(&a.RequireValidation, p.RequireValidation)
	set(&a.Completion, p.Completion)
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
	set(&merged.Type, p.Type)
	set(&merged.Expression, p.Expression)
	set(&merged.TimeZone, p.TimeZone)
	set(&merged.StartsAt, p.StartsAt)
	for _, needed := range []struct{ field, value string }{
		{"type", merged.Type}, {"expression", merged.Expression}, {"time_zone", merged.TimeZone},
	} {
		if needed.value == "" {
			return nil, Invalid("/schedule/"+needed.field, "required", "The automation has no schedule yet, so this is needed.")
		}
	}
	return &merged, nil
}

// Apply merges the patch into budgets.
func (p BudgetsPatch) Apply(b *Budgets) {
	set(&b.MaxTokensPerRound, p.MaxTokensPerRound)
	set(&b.MaxCostPerRound, p.MaxCostPerRound)
	set(&b.MaxCostPerSession, p.MaxCostPerSession)
	set(&b.MaxCostPerDay, p.MaxCostPerDay)
}

// set applies a field of a patch.
func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
