package automations

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// An automation is made with its SEED, and is due first after it was made.
func TestCreate(t *testing.T) {
	w, cfg := newWorld(t, &automation.View{View: domain.View{Workspace: &domain.Workspace{ID: "ws", LastSeq: 40}}})
	a, _, err := NewService(cfg).CreateAutomation(t.Context(), "ws", automation.NewAutomation{
		Name: "Hourly", Enabled: true, ProviderID: "prv", Seed: domain.RichContent{LinearText: "Look."},
		Schedule: &automation.Schedule{Type: "interval", Expression: "PT1H", TimeZone: "UTC"},
		Triggers: []automation.Trigger{{Type: automation.TriggerWebhook}},
	})
	if err != nil {
		t.Fatal(err)
	}
	change := w.plans[0].Change
	seed := change.Sessions[0]
	if !seed.Insert || seed.Session.Type != domain.Seed || seed.Session.ID != a.SeedSessionID || change.Messages[0].Rich.LinearText != "Look." {
		t.Errorf("the SEED is %+v", seed.Session)
	}
	if a.NextAt == nil || !a.NextAt.Equal(noon.Add(time.Hour)) || a.SeenSeq != 40 || !automation.Writes(change)[0].Insert || w.looks != 1 {
		t.Errorf("it is %+v, and %d looks were asked for", a, w.looks)
	}
	token := strings.TrimPrefix(a.HookSealed, "sealed:")
	if len(token) != 64 || a.HookHash != HookHash(token) || !isHook(a, token) || isHook(a, "") || isHook(&automation.Automation{}, "") {
		t.Errorf("the webhook is %q, %q", a.HookHash, a.HookSealed)
	}
	_, _, err = NewService(cfg).CreateAutomation(t.Context(), "ws", automation.NewAutomation{ProviderID: "unknown"})
	if domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("an unknown provider: %v", err)
	}
}

// What a patch says of the schedule and of being enabled, and what it leaves alone.
func TestUpdate(t *testing.T) {
	daily := &automation.SchedulePatch{Type: new("interval"), Expression: new("PT24H"), TimeZone: new("UTC"), StartsAt: new("2026-05-04T10:00:00")}
	same := &automation.SchedulePatch{Type: new("interval"), Expression: new("PT1H"), TimeZone: new("UTC"), StartsAt: new("")}
	none := &automation.SchedulePatch{None: true}
	ten := noon.Add(-2 * time.Hour)
	for name, c := range map[string]struct {
		view  *automation.View
		patch automation.Patch
		since time.Time
		next  time.Duration // after noon; 0: never
		skips string
	}{
		"a name": {hourly(nextAt(time.Hour)), automation.Patch{Name: new("Other")}, ten, time.Hour, ""},
		"another schedule": {
			hourly(nextAt(time.Hour)), automation.Patch{Schedule: daily}, noon, 22 * time.Hour,
			"",
		},
		"the same schedule": {hourly(nextAt(time.Hour)), automation.Patch{Schedule: same}, ten, time.Hour, ""},
		"no schedule":       {hourly(nextAt(time.Hour)), automation.Patch{Schedule: none}, ten, 0, ""},
		"disabled": {
			hourly(nextAt(time.Hour), due(0, "")), automation.Patch{Enabled: new(false)}, ten, 0,
			"12:00 SKIPPED disabled",
		},
		"enabled": {hourly(disabled), automation.Patch{Enabled: new(true)}, noon, time.Hour, ""},
		"enabled with another one": {
			hourly(disabled), automation.Patch{Enabled: new(true), Schedule: daily}, noon, 22 * time.Hour,
			"",
		},
		"enabled already": {hourly(nextAt(time.Hour)), automation.Patch{Enabled: new(true)}, ten, time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, cfg := newWorld(t, c.view)
			a, _, err := NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", c.patch)
			if err != nil {
				t.Fatal(err)
			}
			if !a.ScheduleSince.Equal(c.since) {
				t.Errorf("it counts from %s, want %s", a.ScheduleSince, c.since)
			}
			if (a.NextAt == nil) != (c.next == 0) || a.NextAt != nil && !a.NextAt.Equal(noon.Add(c.next)) {
				t.Errorf("it is due at %v, want %s after noon", a.NextAt, c.next)
			}
			if got := occurrences(w.plans[0].Change); got != c.skips {
				t.Errorf("%q, want %q", got, c.skips)
			}
		})
	}
}

func nextAt(d time.Duration) func(*automation.View) {
	return func(v *automation.View) { v.Automation.NextAt = new(noon.Add(d)) }
}

// A changed automation is refused to who saw an older one.
func TestAnotherVersion(t *testing.T) {
	w, cfg := newWorld(t, hourly())
	s := NewService(cfg)
	_, _, err := s.UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Version: 2})
	if domain.ErrorCode(err) != domain.CodePreconditionFailed {
		t.Errorf("updated: %v", err)
	}
	if err := s.DeleteAutomation(t.Context(), "ws", "aut", 2, true); domain.ErrorCode(err) != domain.CodePreconditionFailed {
		t.Errorf("deleted: %v", err)
	}
	if len(w.plans) != 0 {
		t.Error("something was written")
	}
	if _, _, err := s.UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Version: 3}); err != nil {
		t.Error(err)
	}
}

// TestReplaceSeed verifies that another first message replaces the old one, and that a lost SEED is created again.
func TestReplaceSeed(t *testing.T) {
	rich := &domain.RichContent{LinearText: "Look again."}
	w, cfg := newWorld(t, hourly())
	a, _, err := NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Seed: rich, By: "me"})
	change := w.plans[0].Change
	if err != nil || a.SeedSessionID != "seed" || len(change.Sessions) != 0 || change.DeletedMessages[0].ID != "m1" || change.Messages[0].SenderID != "me" {
		t.Errorf("%v: %+v", err, change)
	}
	w, cfg = newWorld(t, hourly(func(v *automation.View) { v.SeedSession, v.Seed = nil, nil }))
	a, _, err = NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Seed: rich, By: "me"})
	if change = w.plans[0].Change; err != nil || a.SeedSessionID == "seed" || len(change.Sessions) != 1 {
		t.Errorf("the SEED was lost: %v: %+v", err, change)
	}
}

// An automation is deleted with its SEED; one with a run under way only with force.
func TestDelete(t *testing.T) {
	w, cfg := newWorld(t, hourly(unended, due(0, "")))
	err := NewService(cfg).DeleteAutomation(t.Context(), "ws", "aut", 0, false)
	if domain.ErrorCode(err) != domain.CodeSessionBusy || len(w.stopped)+len(w.plans) != 0 {
		t.Errorf("without force: %v, stopped %q", err, w.stopped)
	}
	if err := NewService(cfg).DeleteAutomation(t.Context(), "ws", "aut", 0, true); err != nil {
		t.Fatal(err)
	}
	a, change := w.view.Automation, w.plans[0].Change
	if a.Enabled || a.DeletedAt == nil || a.HookHash != "" || occurrences(change) != "12:00 SKIPPED disabled" || !change.Sessions[0].Delete {
		t.Errorf("it is %+v, with %+v", a, change)
	}
	if len(w.stopped) != 1 || w.stopped[0] != "old by automation deleted" {
		t.Errorf("stopped: %q", w.stopped)
	}
}

// A webhook gets another URL, if there is one.
func TestRenewHook(t *testing.T) {
	w, cfg := newWorld(t, hourly())
	if _, _, err := NewService(cfg).RenewHook(t.Context(), "ws", "aut"); domain.ErrorCode(err) != domain.CodeConflict {
		t.Errorf("without a webhook: %v", err)
	}
	w.view.Automation.Triggers = []automation.Trigger{{Type: automation.TriggerWebhook}}
	w.view.Automation.HookHash = "old"
	a, _, err := NewService(cfg).RenewHook(t.Context(), "ws", "aut")
	if err != nil || a.HookHash == "old" || a.HookSealed == "" {
		t.Errorf("%+v, %v", a, err)
	}
}

// Grants are bounded in number, and end when they are withdrawn.
func TestGrants(t *testing.T) {
	w, cfg := newWorld(t, hourly())
	s := NewService(cfg)
	g, _, err := s.GiveGrant(t.Context(), "ws", "aut", domain.Grant{Commands: []string{"CREATE_ENTRY"}})
	if err != nil || g.ID == "" || g.AutomationID != "aut" || !g.CreatedAt.Equal(noon) || !w.view.Automation.UpdatedAt.Equal(noon) {
		t.Fatalf("%+v, %v", g, err)
	}
	w.view.Grants = []*domain.Grant{g}
	if _, err := s.WithdrawGrant(t.Context(), "ws", "aut", "unknown"); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("an unknown one: %v", err)
	}
	if _, err := s.WithdrawGrant(t.Context(), "ws", "aut", g.ID); err != nil {
		t.Fatal(err)
	}
	withdrawn := w.plans[1].Change.Grants[0]
	if withdrawn.Active(noon) || g.RevokedAt != nil {
		t.Errorf("it is %+v, and what was read %+v", withdrawn, g)
	}
	for len(w.view.Grants) < maxGrants {
		w.view.Grants = append(w.view.Grants, &domain.Grant{})
	}
	if _, _, err := s.GiveGrant(t.Context(), "ws", "aut", domain.Grant{}); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("one too many: %v", err)
	}
}
