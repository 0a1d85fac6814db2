package automations

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

func enabled(a *automation.Automation) *automation.Automation {
	a.Enabled = true
	return a
}

// A schedule that is set counts from now on, and says when it is due first.
func TestSetSchedule(t *testing.T) {
	cron := func(expression, start string) *automation.Schedule {
		return &automation.Schedule{Type: "cron", Expression: expression, TimeZone: "Europe/Paris", StartsAt: start}
	}
	once := func(at string) *automation.Schedule {
		return &automation.Schedule{Type: "once", Expression: at, TimeZone: "UTC"}
	}
	for name, c := range map[string]struct {
		automation *automation.Automation
		schedule   *automation.Schedule
		starts     string // starts_at, as it is kept
		next       string // "": never
		code       domain.Code
	}{
		"none":   {enabled(&automation.Automation{Schedule: cron("0 8 * * *", ""), NextAt: &noon}), nil, "", "", ""},
		"a cron": {enabled(&automation.Automation{}), cron("0 8 * * *", ""), "2026-05-04T14:00:00", "2026-05-05T06:00:00Z", ""},
		"with a start": {
			enabled(&automation.Automation{}), cron("0 8 * * *", "2026-06-01T00:00:00"), "2026-06-01T00:00:00", "2026-06-01T06:00:00Z", "",
		},
		"disabled":         {&automation.Automation{}, cron("0 8 * * *", ""), "2026-05-04T14:00:00", "", ""},
		"a date to come":   {enabled(&automation.Automation{}), once("2026-05-04T12:00:01"), "", "2026-05-04T12:00:01Z", ""},
		"a date, just now": {enabled(&automation.Automation{}), once("2026-05-04T12:00:00"), "", "", ""},
		"an unknown zone": {
			enabled(&automation.Automation{}), &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "Nowhere"}, "", "", domain.CodeInvalid,
		},
		"what is no cron": {enabled(&automation.Automation{}), cron("every day", ""), "", "", domain.CodeInvalid},
	} {
		a := c.automation
		err := setSchedule(a, c.schedule, noon)
		if (err == nil) != (c.code == "") || err != nil && domain.ErrorCode(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		next := ""
		if a.NextAt != nil {
			next = a.NextAt.Format(time.RFC3339)
		}
		if next != c.next {
			t.Errorf("%s: it is due at %q, want %q", name, next, c.next)
		}
		if (a.Schedule == nil) != (c.schedule == nil) || a.Schedule != nil && (a.Schedule.StartsAt != c.starts || !a.ScheduleSince.Equal(noon)) {
			t.Errorf("%s: the schedule is %+v since %s", name, a.Schedule, a.ScheduleSince)
		}
		if a.Schedule != nil && c.schedule.StartsAt != c.starts && a.Schedule == c.schedule {
			t.Errorf("%s: what the client gave was written to", name)
		}
	}
}

// What is sent back as it was read is no change, with its start or without.
func TestSameSchedule(t *testing.T) {
	have := &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC", StartsAt: "2026-05-04T10:00:00"}
	with := func(change func(*automation.Schedule)) *automation.Schedule {
		s := *have
		change(&s)
		return &s
	}
	for name, c := range map[string]struct {
		a, b *automation.Schedule
		want bool
	}{
		"none and none":      {nil, nil, true},
		"none for one":       {nil, have, false},
		"one for none":       {have, nil, false},
		"as it was read":     {with(func(*automation.Schedule) {}), have, true},
		"without its start":  {with(func(s *automation.Schedule) { s.StartsAt = "" }), have, true},
		"another start":      {with(func(s *automation.Schedule) { s.StartsAt = "2026-05-05T10:00:00" }), have, false},
		"another expression": {with(func(s *automation.Schedule) { s.Expression = "0 9 * * *" }), have, false},
		"another zone":       {with(func(s *automation.Schedule) { s.TimeZone = "Europe/Paris" }), have, false},
		"another type":       {with(func(s *automation.Schedule) { s.Type = "rrule" }), have, false},
	} {
		if got := sameSchedule(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A patch that enables looks at no entry that was made meanwhile; one that disables loses
// what is due; one that brings triggers looks from now on.
func TestWhatAPatchMoves(t *testing.T) {
	at := func(v *automation.View) {
		v.Workspace.LastSeq, v.Automation.SeenSeq, v.Automation.DisabledReason = 40, 7, "failures"
	}
	triggers := []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "tool"}}
	for name, c := range map[string]struct {
		view   *automation.View
		patch  automation.Patch
		seen   int64
		reason string
		skips  string
	}{
		"a name":              {hourly(at, disabled), automation.Patch{Name: new("B")}, 7, "failures", ""},
		"enabled":             {hourly(at, disabled), automation.Patch{Enabled: new(true)}, 40, "", ""},
		"enabled, and it was": {hourly(at), automation.Patch{Enabled: new(true)}, 7, "failures", ""},
		"disabled": {
			hourly(at, due(-1, ""), due(0, "")), automation.Patch{Enabled: new(false)}, 7, "failures",
			"11:00 SKIPPED disabled; 12:00 SKIPPED disabled",
		},
		"disabled, and it was":  {hourly(at, disabled, due(0, "")), automation.Patch{Enabled: new(false)}, 7, "failures", ""},
		"other triggers":        {hourly(at), automation.Patch{Triggers: &triggers}, 40, "failures", ""},
		"what is due stays due": {hourly(at, due(0, "")), automation.Patch{Overlap: new(automation.OverlapQueue)}, 7, "failures", ""},
	} {
		w, cfg := newWorld(t, c.view)
		a, _, err := NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", c.patch)
		if err != nil || a.SeenSeq != c.seen || a.DisabledReason != c.reason || !a.UpdatedAt.Equal(noon) {
			t.Errorf("%s: %v, %+v", name, err, a)
		}
		if got := occurrences(w.plans[0].Change); got != c.skips {
			t.Errorf("%s: %q, want %q", name, got, c.skips)
		}
	}
}

// A patch that is refused writes nothing, and asks for no look.
func TestAPatchThatIsRefused(t *testing.T) {
	never := &automation.Schedule{Type: "cron", Expression: "0 8 31 2 *", TimeZone: "UTC"}
	for name, patch := range map[string]automation.Patch{
		"a date that never comes": {Schedule: &automation.SchedulePatch{Type: new("cron"), Expression: new("0 8 31 2 *")}},
		"an unknown zone":         {Schedule: &automation.SchedulePatch{TimeZone: new("Nowhere")}},
		"an unknown provider":     {ProviderID: new("unknown")},
	} {
		w, cfg := newWorld(t, hourly())
		before := *w.view.Automation
		_, _, err := NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", patch)
		if domain.ErrorCode(err) != domain.CodeInvalid || len(w.plans) != 0 || w.looks != 0 || w.view.Automation.UpdatedAt != before.UpdatedAt {
			t.Errorf("%s: %v, %d plans", name, err, len(w.plans))
		}
	}
	w, cfg := newWorld(t, &automation.View{View: domain.View{Workspace: &domain.Workspace{ID: "ws"}}})
	_, _, err := NewService(cfg).CreateAutomation(t.Context(), "ws", automation.NewAutomation{Schedule: never, Enabled: true})
	if domain.ErrorCode(err) != domain.CodeInvalid || len(w.plans) != 0 {
		t.Errorf("made: %v", err)
	}
}

// A grant is checked before it is given, and none is given to an automation that is gone.
func TestAGrantThatIsRefused(t *testing.T) {
	w, cfg := newWorld(t, hourly())
	cfg.Checks = &refusingGrants{}
	if _, _, err := NewService(cfg).GiveGrant(t.Context(), "ws", "aut", domain.Grant{}); domain.ErrorCode(err) != domain.CodeInvalid ||
		len(w.plans) != 0 {
		t.Errorf("what it names is unknown: %v, %d plans", err, len(w.plans))
	}
	cfg.Checks = w
	cfg.Store = &failing{world: w, automations: domain.NotFound("automation")}
	if _, _, err := NewService(cfg).GiveGrant(t.Context(), "ws", "aut", domain.Grant{}); domain.ErrorCode(err) != domain.CodeNotFound ||
		len(w.plans) != 0 {
		t.Errorf("the automation is gone: %v, %d plans", err, len(w.plans))
	}
}

type refusingGrants struct{ Checks }

func (refusingGrants) CheckGrant(context.Context, string, time.Time, *domain.Grant) error {
	return domain.Invalid("/commands/0", "unknown", "no")
}
