package handlers

import (
	"encoding/json"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
)

type newAutomation struct {
	Name              string                               `json:"name" validate:"visible,name,max=200"`
	ProviderID        nullable.Nullable[string]            `json:"provider_id" validate:"omitempty,dive,max=64"`
	Enabled           *bool                                `json:"enabled"`
	Schedule          nullable.Nullable[scheduleInput]     `json:"schedule" validate:"omitempty,dive"`
	Misfire           *string                              `json:"misfire" validate:"omitempty,oneof=once all skip"`
	Overlap           *string                              `json:"overlap" validate:"omitempty,oneof=skip queue restart"`
	Validation        nullable.Nullable[string]            `json:"automation_validation" validate:"omitempty,dive,oneof=park refuse allow"`
	RequireValidation bool                                 `json:"require_validation"`
	Completion        *string                              `json:"completion" validate:"omitempty,oneof=auto ask"`
	Tags              []string                             `json:"tags" validate:"max=20,dive,visible,max=50"`
	Triggers          []triggerInput                       `json:"triggers" validate:"max=20,dive"`
	Budgets           nullable.Nullable[automationBudgets] `json:"budgets" validate:"omitempty,dive"`
	Seed              *messageContent                      `json:"seed" validate:"required"`
}

type triggerInput struct {
	Type      string          `json:"type" validate:"oneof=webhook entry_created"`
	ToolID    string          `json:"tool_id" validate:"max=64"`
	Condition json.RawMessage `json:"condition" validate:"omitempty,object"`
}

type automationBudgets struct {
	sessionBudgets
	MaxCostPerDay nullable.Nullable[float64] `json:"max_cost_per_day" validate:"omitempty,dive,gt=0"`
}

// ask is what is asked for, with the defaults.
func (in *newAutomation) ask() domain.NewAutomation {
	ask := domain.NewAutomation{
		Name: in.Name, ProviderID: in.ProviderID[true], Enabled: true, Misfire: domain.MisfireOnce, Overlap: domain.OverlapSkip,
		Validation: in.Validation[true], RequireValidation: in.RequireValidation, Completion: domain.CompletionAuto,
		Tags: in.Tags, Triggers: triggersOf(in.Triggers),
	}
	set(&ask.Enabled, in.Enabled)
	setWord(&ask.Misfire, in.Misfire)
	setWord(&ask.Overlap, in.Overlap)
	setWord(&ask.Completion, in.Completion)
	if schedule, given := in.Schedule[true]; given {
		ask.Schedule = new(domain.Schedule(schedule))
	}
	mergeAutomationBudgets(&ask.Budgets, in.Budgets)
	return ask
}

func triggersOf(in []triggerInput) []domain.Trigger {
	out := make([]domain.Trigger, len(in))
	for i, t := range in {
		out[i] = domain.Trigger(t)
	}
	return out
}

// setWord applies a field that takes one of a few words.
func setWord[T ~string](dst *T, v *string) {
	if v != nil {
		*dst = T(*v)
	}
}

func mergeAutomationBudgets(b *domain.Budgets, patch nullable.Nullable[automationBudgets]) {
	if !patch.IsSpecified() {
		return
	}
	if patch.IsNull() {
		*b = domain.Budgets{}
		return
	}
	p := patch[true]
	*b = *mergeBudgets(*b, nullable.NewNullableWithValue(p.sessionBudgets))
	mergeOptional(&b.MaxCostPerDay, p.MaxCostPerDay)
}

type automationPatch struct {
	Name              *string                              `json:"name" validate:"omitempty,visible,name,max=200"`
	ProviderID        nullable.Nullable[string]            `json:"provider_id" validate:"omitempty,dive,max=64"`
	Enabled           *bool                                `json:"enabled"`
	Schedule          nullable.Nullable[schedulePatch]     `json:"schedule" validate:"omitempty,dive"`
	Misfire           *string                              `json:"misfire" validate:"omitempty,oneof=once all skip"`
	Overlap           *string                              `json:"overlap" validate:"omitempty,oneof=skip queue restart"`
	Validation        nullable.Nullable[string]            `json:"automation_validation" validate:"omitempty,dive,oneof=park refuse allow"`
	RequireValidation *bool                                `json:"require_validation"`
	Completion        *string                              `json:"completion" validate:"omitempty,oneof=auto ask"`
	Tags              *[]string                            `json:"tags" validate:"omitempty,max=20,dive,visible,max=50"`
	Triggers          *[]triggerInput                      `json:"triggers" validate:"omitempty,max=20,dive"`
	Budgets           nullable.Nullable[automationBudgets] `json:"budgets" validate:"omitempty,dive"`
	Seed              *messageContent                      `json:"seed"`
}

type schedulePatch struct {
	Type       *string                   `json:"type" validate:"omitempty,oneof=cron rrule interval once"`
	Expression *string                   `json:"expression" validate:"omitempty,visible,max=500"`
	TimeZone   *string                   `json:"time_zone" validate:"omitempty,visible,max=100"`
	StartsAt   nullable.Nullable[string] `json:"starts_at" validate:"omitempty,dive,max=40"`
}

func (p *automationPatch) apply(a *domain.Automation) error {
	set(&a.Name, p.Name)
	setOrClear(&a.ProviderID, p.ProviderID)
	set(&a.Enabled, p.Enabled)
	setWord(&a.Misfire, p.Misfire)
	setWord(&a.Overlap, p.Overlap)
	setOrClear(&a.Validation, p.Validation)
	set(&a.RequireValidation, p.RequireValidation)
	setWord(&a.Completion, p.Completion)
	set(&a.Tags, p.Tags)
	if p.Triggers != nil {
		a.Triggers = triggersOf(*p.Triggers)
	}
	mergeAutomationBudgets(&a.Budgets, p.Budgets)
	return p.mergeSchedule(a)
}

// mergeSchedule merges into the schedule that is set; without one, the patch must be a
// whole one.
func (p *automationPatch) mergeSchedule(a *domain.Automation) error {
	if !p.Schedule.IsSpecified() {
		return nil
	}
	if p.Schedule.IsNull() {
		a.Schedule = nil
		return nil
	}
	merged, patch := domain.Schedule{}, p.Schedule[true]
	if a.Schedule != nil {
		merged = *a.Schedule
	}
	set(&merged.Type, patch.Type)
	set(&merged.Expression, patch.Expression)
	set(&merged.TimeZone, patch.TimeZone)
	setOrClear(&merged.StartsAt, patch.StartsAt)
	for _, needed := range []struct{ field, value string }{{"type", merged.Type}, {"expression", merged.Expression}, {"time_zone", merged.TimeZone}} {
		if needed.value == "" {
			return domain.Invalid("/schedule/"+needed.field, "required", "The automation has no schedule yet, so this is needed.")
		}
	}
	a.Schedule = &merged
	return nil
}
