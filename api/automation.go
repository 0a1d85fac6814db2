package api

import (
	"cmp"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// AutomationFrom is an automation as clients see it. Without a webhook URL it shows none:
// events go to everybody who may read.
func AutomationFrom(a *automation.Automation, webhookURL string) *Automation {
	out := &Automation{
		ID: a.ID, Name: a.Name, ProviderID: textPtr(a.ProviderID), Enabled: a.Enabled, DisabledReason: textPtr(a.DisabledReason),
		Schedule: scheduleFrom(a.Schedule), Misfire: MisfirePolicy(a.Misfire), Overlap: OverlapPolicy(a.Overlap),
		Lane:              AutomationLane(a.Lane),
		RequireValidation: a.RequireValidation, Completion: CompletionPolicy(a.Completion), Tags: a.Tags, Triggers: a.Triggers,
		Commands: a.Commands,
		Budgets:  BudgetsFrom(a.Budgets), SeedSessionID: a.SeedSessionID, NextRunAt: timePtr(a.NextAt), WebhookURL: textPtr(webhookURL),
		Version: a.Version, CreatedAt: Time(a.CreatedAt), UpdatedAt: Time(a.UpdatedAt),
	}
	if a.Validation != "" {
		policy := AutomationValidation(a.Validation)
		out.AutomationValidation = &policy
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	if out.Commands == nil {
		out.Commands = []string{}
	}
	if out.Triggers == nil {
		out.Triggers = []automation.Trigger{}
	}
	return out
}

func scheduleFrom(s *automation.Schedule) *Schedule {
	if s == nil {
		return nil
	}
	return &Schedule{Type: ScheduleType(s.Type), Expression: s.Expression, TimeZone: s.TimeZone, StartsAt: textPtr(s.StartsAt)}
}

// OccurrenceFrom is an occurrence as clients see it.
func OccurrenceFrom(o *automation.Occurrence) *Occurrence {
	return &Occurrence{
		ID: o.ID, AutomationID: o.AutomationID, ScheduledAt: Time(o.ScheduledAt),
		Trigger: OccurrenceTrigger(cmp.Or(o.Trigger, domain.BySchedule)), State: OccurrenceState(o.State),
		Reason: textPtr(o.Reason), SessionID: textPtr(o.SessionID), CoalescedInto: timePtr(o.CoalescedInto), RecordedAt: Time(o.RecordedAt),
	}
}

// ActivationFrom is what became of a session that asked for the slot.
func ActivationFrom(r *domain.Receipt) *ActivationResult {
	return &ActivationResult{
		Result: ActivationResultResult(r.Result), Session: *SessionFrom(r.Session), Position: numberPtr(r.Position), EventSeq: r.Seq,
	}
}

// WebhookResultFrom is what the caller of a webhook learns of the run.
func WebhookResultFrom(r *domain.Receipt) *WebhookResult {
	out := &WebhookResult{Result: WebhookResultResult(r.Result), Position: numberPtr(r.Position)}
	if r.Session != nil {
		out.SessionID = &r.Session.ID
	}
	return out
}

// AutomationRunFrom is a line of an automation's history as clients see it.
func AutomationRunFrom(r *automation.RunRecord) *AutomationRun {
	s := r.Session
	out := &AutomationRun{
		SessionID: s.ID, AutomationID: s.AutomationID, Name: s.Name,
		Trigger: AutomationRunTrigger(s.Trigger), ScheduledAt: timePtr(s.ScheduledExecutionTime),
		RequestedAt: Time(s.CreatedAt), StartedAt: timePtr(r.StartedAt), EndedAt: timePtr(r.EndedAt),
		Roundtrips: s.State.TotalRoundtrips, Usage: UsageFrom(s.Usage), Status: s.Status(), Phase: s.Phase,
		EndReason: textPtr(s.EndReason), FinalText: textPtr(r.FinalText),
	}
	if r.StartedAt != nil && r.EndedAt != nil {
		out.DurationMs = new(r.EndedAt.Sub(*r.StartedAt).Milliseconds())
	}
	return out
}

// SeedFrom is an automation's first message as clients see it.
func SeedFrom(a *automation.Automation, m *domain.Message) *Seed {
	out := &Seed{
		AutomationID: a.ID, SessionID: a.SeedSessionID, MessageID: m.ID, Segments: []Segment{},
		UpdatedAt: Time(m.Timestamp), UpdatedBy: textPtr(m.SenderID),
	}
	if m.Rich == nil {
		return out
	}
	out.LinearText = m.Rich.LinearText
	out.Segments = append(out.Segments, m.Rich.Segments...)
	if len(m.Rich.Commands) > 0 {
		out.Commands = &m.Rich.Commands
	}
	return out
}

// GrantFrom encodes a grant as of the given time.
func GrantFrom(g *domain.Grant, now time.Time) *Grant {
	return &Grant{
		ID: g.ID, AutomationID: g.AutomationID, Commands: g.Commands, ZoneIds: listed(g.ZoneIDs), ToolIds: listed(g.ToolIDs),
		Bounds: g.Bounds, MaxPerRun: g.MaxPerRun, ExpiresAt: timePtr(g.ExpiresAt), CreatedBy: g.CreatedBy, CreatedAt: Time(g.CreatedAt),
		WithdrawnAt: timePtr(g.RevokedAt), Active: g.Active(now), Uses: g.Uses,
	}
}

// listed is never null.
func listed(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}
