package api

import (
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// Domain returns the requested automation with defaults, without its seed.
func (in *NewAutomation) Domain(by, owner string) automation.NewAutomation {
	ask := automation.Plain(in.Name, by)
	ask.Owner = owner
	ask.ProviderID, ask.Validation = in.ProviderID[true], in.AutomationValidation[true]
	ask.RequireValidation, ask.Tags, ask.Triggers = Value(in.RequireValidation), in.Tags, triggersOf(in.Triggers)
	if in.Commands != nil {
		ask.Commands = in.Commands
	}
	set(&ask.Enabled, in.Enabled)
	setWord(&ask.Misfire, in.Misfire)
	setWord(&ask.Overlap, in.Overlap)
	setWord(&ask.Lane, in.Lane)
	setWord(&ask.Completion, in.Completion)
	if schedule, given := in.Schedule[true]; given {
		ask.Schedule = new(schedule.Domain())
	}
	budgetsPatch(in.Budgets).Apply(&ask.Budgets)
	return ask
}

// Domain returns the requested schedule.
func (in *ScheduleInput) Domain() automation.Schedule {
	return automation.Schedule{Type: in.Type, Expression: in.Expression, TimeZone: in.TimeZone, StartsAt: Value(in.StartsAt)}
}

func triggersOf(in []TriggerInput) []automation.Trigger {
	out := make([]automation.Trigger, len(in))
	for i, t := range in {
		out[i] = automation.Trigger{Type: t.Type, ToolID: Value(t.ToolID), Condition: t.Condition}
	}
	return out
}

// budgetsPatch is a change of budgets; null takes them all away.
func budgetsPatch(in nullable.Nullable[AutomationBudgets]) domain.BudgetsPatch {
	if in.IsNull() {
		return noBudgets()
	}
	b := in[true]
	return domain.BudgetsPatch{
		MaxTokensPerRound: orNil(b.MaxTokensPerRound), MaxCostPerRound: orNil(b.MaxCostPerRound),
		MaxCostPerSession: orNil(b.MaxCostPerSession), MaxCostPerDay: orNil(b.MaxCostPerDay),
	}
}

// Domain returns the requested change without the seed, whose text is not resolved yet. version is the one that the
// client has read.
func (in *AutomationPatch) Domain(version int64) automation.Patch {
	patch := automation.Patch{
		Version: version, Name: in.Name, ProviderID: orEmpty(in.ProviderID), Enabled: in.Enabled,
		Misfire: word[automation.MisfirePolicy](in.Misfire), Overlap: word[automation.OverlapPolicy](in.Overlap),
		Lane:       word[automation.LanePolicy](in.Lane),
		Validation: orEmpty(in.AutomationValidation), RequireValidation: in.RequireValidation,
		Completion: word[automation.CompletionPolicy](in.Completion), Budgets: budgetsPatch(in.Budgets),
	}
	if in.Tags != nil {
		patch.Tags = &in.Tags
	}
	if in.Commands != nil {
		patch.Commands = &in.Commands
	}
	if in.Triggers != nil {
		patch.Triggers = new(triggersOf(in.Triggers))
	}
	if in.Schedule.IsSpecified() {
		s := in.Schedule[true]
		patch.Schedule = &automation.SchedulePatch{
			None: in.Schedule.IsNull(), Type: s.Type, Expression: s.Expression, TimeZone: s.TimeZone, StartsAt: orEmpty(s.StartsAt),
		}
	}
	return patch
}

// Domain returns the requested grant.
func (in *NewGrant) Domain(by string) domain.Grant {
	grant := domain.Grant{
		Commands: in.Commands, ZoneIDs: in.ZoneIDs, ToolIDs: in.ToolIDs, Bounds: in.Bounds, MaxPerRun: in.MaxPerRun, CreatedBy: by,
	}
	if at, given := in.ExpiresAt[true]; given {
		grant.ExpiresAt = new(at.UTC())
	}
	return grant
}
