package api

import "github.com/fermata-dev/fermata/domain"

// AutomationFrom is an automation as clients see it. Without a webhook URL it shows none:
// events go to everybody who may read.
func AutomationFrom(a *domain.StandingOrder, webhookURL string) *Automation {
	out := &Automation{
		ID: a.ID, Name: a.Name, ProviderID: textPtr(a.ProviderID), Enabled: a.Enabled, DisabledReason: textPtr(a.DisabledReason),
		Schedule: scheduleFrom(a.Schedule), Misfire: MisfirePolicy(a.Misfire), Overlap: OverlapPolicy(a.Overlap),
		RequireValidation: a.RequireValidation, Completion: CompletionPolicy(a.Completion), Tags: a.Tags, Triggers: a.Triggers,
		Budgets: BudgetsFrom(a.Budgets), SeedSessionID: a.SeedSessionID, NextRunAt: timePtr(a.NextAt), WebhookURL: textPtr(webhookURL),
		Version: a.Version, CreatedAt: Time(a.CreatedAt), UpdatedAt: Time(a.UpdatedAt),
	}
	if a.Validation != "" {
		policy := AutomationValidation(a.Validation)
		out.AutomationValidation = &policy
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	if out.Triggers == nil {
		out.Triggers = []domain.Trigger{}
	}
	return out
}

func scheduleFrom(s *domain.Schedule) *Schedule {
	if s == nil {
		return nil
	}
	return &Schedule{Type: ScheduleType(s.Type), Expression: s.Expression, TimeZone: s.TimeZone, StartsAt: textPtr(s.StartsAt)}
}

// OccurrenceFrom is an occurrence as clients see it.
func OccurrenceFrom(o *domain.Occurrence) *Occurrence {
	return &Occurrence{
		ID: o.ID, AutomationID: o.AutomationID, ScheduledAt: Time(o.ScheduledAt), State: OccurrenceState(o.State),
		Reason: textPtr(o.Reason), SessionID: textPtr(o.SessionID), CoalescedInto: timePtr(o.CoalescedInto), RecordedAt: Time(o.RecordedAt),
	}
}
