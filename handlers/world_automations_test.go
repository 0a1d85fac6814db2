package handlers

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// theAutomation is the one that the world has; its webhook's secret is "secret".
func theAutomation() domain.Automation {
	return domain.Automation{ID: "aut_1", WorkspaceID: domain.DefaultWorkspace, Name: "Report", SeedSessionID: "ses_seed", Enabled: true,
		Schedule: &domain.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC", StartsAt: "2026-03-01T00:00:00"},
		Misfire:  domain.MisfireOnce, Overlap: domain.OverlapSkip, Completion: domain.CompletionAuto, Triggers: []domain.Trigger{{Type: domain.TriggerWebhook}},
		NextAt: new(worldTime.Add(time.Hour)), HookSealed: "secret", Version: 3, CreatedAt: worldTime, UpdatedAt: worldTime}
}

func (w *world) automationShelf() shelf[domain.Automation] {
	return shelf[domain.Automation]{w, "automation", &w.autos,
		func(a *domain.Automation) *string { return &a.ID }, func(a *domain.Automation) *int64 { return &a.Version }}
}

func (w *world) Automations(_ context.Context, _ string, enabled *bool, cursor string, limit int) ([]*domain.Automation, string, error) {
	return pointers(w.autos), "", w.told([]any{enabled, cursor, limit})
}

func (w *world) Automation(_ context.Context, ws, id string) (*domain.Automation, error) {
	if ws != domain.DefaultWorkspace {
		return nil, domain.NotFound("automation")
	}
	return w.automationShelf().get(id)
}

func (w *world) CreateAutomation(_ context.Context, ws string, in domain.NewAutomation) (*domain.Automation, int64, error) {
	if err := w.told(in); err != nil {
		return nil, 0, err
	}
	a := theAutomation()
	a.ID, a.Name, a.Version = "aut_2", in.Name, 1
	return &a, 8, nil
}

func (w *world) UpdateAutomation(_ context.Context, _, id string, patch domain.AutomationPatch) (*domain.Automation, int64, error) {
	a, seq, err := w.automationShelf().change(id, patch.Version, patch.Apply)
	if err == nil && patch.Seed != nil {
		w.said = append(w.said, *patch.Seed)
	}
	return a, seq, err
}

func (w *world) DeleteAutomation(_ context.Context, _, id string, version int64, force bool) error {
	if _, err := w.automationShelf().get(id); err != nil {
		return err
	}
	return w.told([]any{"delete", id, version, force})
}

func (w *world) RenewHook(_ context.Context, _, id string) (*domain.Automation, int64, error) {
	a, err := w.automationShelf().get(id)
	if err != nil {
		return nil, 0, err
	}
	return a, 9, w.told("renew " + id)
}

func (w *world) WebhookURL(a *domain.Automation) string {
	return "https://fermata.example/v1/hooks/" + a.ID + "/" + a.HookSealed
}

func (w *world) ExecuteAutomation(_ context.Context, _, id, by string) (*domain.Receipt, error) {
	if _, err := w.automationShelf().get(id); err != nil {
		return nil, err
	}
	return &domain.Receipt{Session: w.sessions["ses_1"], Seq: 7, Result: domain.Queued, Position: 2, Created: true}, w.told("execute by " + by)
}

func (w *world) TriggerAutomation(_ context.Context, id, token string, body json.RawMessage) (*domain.Receipt, error) {
	a, err := w.automationShelf().get(id)
	if err != nil || a.HookSealed != token {
		return nil, domain.NotFound("webhook")
	}
	return &domain.Receipt{Session: w.sessions["ses_1"], Seq: 7, Result: domain.Activated, Created: true}, w.told(string(body))
}

func (w *world) WorkspaceOfHook(_ context.Context, id, token string) (string, error) {
	a, err := w.automationShelf().get(id)
	if err != nil || a.HookSealed != token {
		return "", domain.NotFound("webhook")
	}
	return "default", nil
}

func (w *world) RunRecords(_ context.Context, _ string, f domain.SessionFilter) ([]domain.RunRecord, string, error) {
	run := *w.sessions["ses_1"]
	run.Trigger = domain.BySchedule
	ended := worldTime.Add(90 * time.Second)
	return []domain.RunRecord{{Session: &run, FinalText: "All is well.", StartedAt: &worldTime, EndedAt: &ended}, {Session: &run}}, "more", w.told(f)
}

func (w *world) Occurrences(_ context.Context, ws string, f domain.OccurrenceFilter) ([]*domain.Occurrence, string, error) {
	return []*domain.Occurrence{{ID: "occ_1", WorkspaceID: ws, AutomationID: f.AutomationID, ScheduledAt: worldTime, State: domain.OccurrenceSkipped,
		Reason: domain.SkippedOverlap, RecordedAt: worldTime}}, "", w.told(f)
}

func (w *world) Seed(_ context.Context, _, id string) (*domain.Automation, *domain.Message, error) {
	a, err := w.automationShelf().get(id)
	if err != nil {
		return nil, nil, err
	}
	return a, w.messages[0], nil
}

func (w *world) ResolveSeed(_ context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error) {
	return w.Resolve(context.Background(), ws, segments)
}

func (w *world) Grants(_ context.Context, ws, id, after string, limit int) ([]*domain.Grant, string, error) {
	return cut([]*domain.Grant{{ID: "gra_1", WorkspaceID: ws, AutomationID: id, Commands: []string{"CREATE_DATA"}, MaxPerRun: 2, CreatedAt: worldTime, RevokedAt: &worldTime, Uses: 4},
		{ID: "gra_2", WorkspaceID: ws, AutomationID: id, Commands: []string{"CREATE_DATA"}, Bounds: json.RawMessage(`{"type":"object"}`), MaxPerRun: 2, CreatedAt: worldTime}},
		func(g **domain.Grant) string { return (*g).ID }, limit, after)
}

func (w *world) GiveGrant(_ context.Context, _, id string, g domain.Grant) (*domain.Grant, int64, error) {
	if _, err := w.automationShelf().get(id); err != nil {
		return nil, 0, err
	}
	err := w.told(g)
	g.ID, g.AutomationID, g.CreatedAt = "gra_3", id, worldTime
	return &g, 8, err
}

func (w *world) WithdrawGrant(_ context.Context, _, id, grant string) (int64, error) {
	if _, err := w.automationShelf().get(id); err != nil || !slices.Contains([]string{"gra_1", "gra_2"}, grant) {
		return 0, domain.NotFound("grant")
	}
	return 9, w.told("withdraw " + grant)
}
