package api

import (
	"slices"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
)

// Domain is the automation that is asked for, with the defaults, without its seed.
func (in *NewAutomation) Domain(by string) domain.NewAutomation {
	ask := domain.NewAutomation{
		Name: in.Name, ProviderID: in.ProviderID[true], Enabled: true, Misfire: domain.MisfireOnce, Overlap: domain.OverlapSkip,
		Validation: in.AutomationValidation[true], RequireValidation: valueOf(in.RequireValidation), Completion: domain.CompletionAuto,
		Tags: in.Tags, Triggers: triggersOf(in.Triggers), By: by,
	}
	set(&ask.Enabled, in.Enabled)
	setWord(&ask.Misfire, in.Misfire)
	setWord(&ask.Overlap, in.Overlap)
	setWord(&ask.Completion, in.Completion)
	if schedule, given := in.Schedule[true]; given {
		ask.Schedule = new(schedule.Domain())
	}
	mergeBudgets(&ask.Budgets, in.Budgets)
	return ask
}

// Domain is the schedule that is asked for.
func (in *ScheduleInput) Domain() domain.Schedule {
	return domain.Schedule{Type: in.Type, Expression: in.Expression, TimeZone: in.TimeZone, StartsAt: valueOf(in.StartsAt)}
}

func triggersOf(in []TriggerInput) []domain.Trigger {
	out := make([]domain.Trigger, len(in))
	for i, t := range in {
		out[i] = domain.Trigger{Type: t.Type, ToolID: valueOf(t.ToolID), Condition: t.Condition}
	}
	return out
}

func mergeBudgets(dst *domain.Budgets, patch nullable.Nullable[AutomationBudgets]) {
	merge(dst, patch, domain.Budgets{}, func(b *domain.Budgets, p AutomationBudgets) {
		setOptional(&b.MaxTokensPerRound, p.MaxTokensPerRound)
		setOptional(&b.MaxCostPerRound, p.MaxCostPerRound)
		setOptional(&b.MaxCostPerSession, p.MaxCostPerSession)
		setOptional(&b.MaxCostPerDay, p.MaxCostPerDay)
	})
}

// Apply changes an automation as the patch says; its seed is not the automation's own.
func (in *AutomationPatch) Apply(a *domain.Automation) error {
	set(&a.Name, in.Name)
	setOrClear(&a.ProviderID, in.ProviderID)
	set(&a.Enabled, in.Enabled)
	setWord(&a.Misfire, in.Misfire)
	setWord(&a.Overlap, in.Overlap)
	setOrClear(&a.Validation, in.AutomationValidation)
	set(&a.RequireValidation, in.RequireValidation)
	setWord(&a.Completion, in.Completion)
	if in.Tags != nil {
		a.Tags = slices.Clone(in.Tags)
	}
	if in.Triggers != nil {
		a.Triggers = triggersOf(in.Triggers)
	}
	mergeBudgets(&a.Budgets, in.Budgets)
	return in.applySchedule(a)
}

// applySchedule merges into the schedule that is set; without one, the patch must be a
// whole one.
func (in *AutomationPatch) applySchedule(a *domain.Automation) error {
	if !in.Schedule.IsSpecified() {
		return nil
	}
	if in.Schedule.IsNull() {
		a.Schedule = nil
		return nil
	}
	merged, patch := domain.Schedule{}, in.Schedule[true]
	if a.Schedule != nil {
		merged = *a.Schedule
	}
	set(&merged.Type, patch.Type)
	set(&merged.Expression, patch.Expression)
	set(&merged.TimeZone, patch.TimeZone)
	setOrClear(&merged.StartsAt, patch.StartsAt)
	for _, needed := range []struct{ field, value string }{
		{"type", merged.Type}, {"expression", merged.Expression}, {"time_zone", merged.TimeZone},
	} {
		if needed.value == "" {
			return domain.Invalid("/schedule/"+needed.field, "required", "The automation has no schedule yet, so this is needed.")
		}
	}
	a.Schedule = &merged
	return nil
}

// Domain is the grant that is asked for.
func (in *NewGrant) Domain(by string) domain.Grant {
	grant := domain.Grant{
		Commands: in.Commands, ZoneIDs: in.ZoneIDs, ToolIDs: in.ToolIDs, Bounds: in.Bounds, MaxPerRun: in.MaxPerRun, CreatedBy: by,
	}
	if at, given := in.ExpiresAt[true]; given {
		grant.ExpiresAt = new(at.UTC())
	}
	return grant
}
