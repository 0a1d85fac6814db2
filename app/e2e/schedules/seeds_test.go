package schedules

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// The SEED of an automation is part of it: it cannot be deleted separately, and is deleted with its automation.
// The runs keep their copies.
func TestASeedGoesWithItsAutomation(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		ctx := t.Context()
		order := v.order("nightly", nil)
		before := v.session(order.SeedSessionID)
		err := v.sessions.DeleteSession(ctx, order.WorkspaceID, order.SeedSessionID)
		if domain.ErrorCode(err) != domain.CodeSeedOfAutomation {
			t.Fatalf("the SEED of an automation is deleted: %v", err)
		}
		if after := v.session(order.SeedSessionID); after.Version != before.Version {
			t.Error("what was refused has changed the SEED")
		}
		r, err := v.runs.ExecuteAutomation(ctx, order.WorkspaceID, order.ID, "test")
		v.ok(err)
		v.finish(v.session(r.Session.ID), false)
		v.ok(v.automations.DeleteAutomation(ctx, order.WorkspaceID, order.ID, 0, false))
		if _, err := v.store.Sessions.Session(ctx, order.WorkspaceID, order.SeedSessionID); domain.ErrorCode(err) != domain.CodeNotFound {
			t.Errorf("the SEED outlives its automation: %v", err)
		}
		messages, err := v.store.Sessions.Messages(ctx, order.WorkspaceID, r.Session.ID, 0, 10)
		v.ok(err)
		if len(messages) == 0 || messages[0].Rich == nil || messages[0].Rich.LinearText != "Work." {
			t.Errorf("the run has lost what it was begun with: %+v", messages)
		}
		v.sound()
	})
}

// An automation whose message is gone cannot start. This does not stay unnoticed: after five failures in a row
// it is disabled, and people are notified. A new message fixes it.
func TestWhatCannotStartIsDisabled(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
		order := v.order("hourly", &automation.Schedule{Type: "interval", Expression: "1h", TimeZone: "UTC"})
		v.loseSeed(order)
		for n := range automation.FailuresToDisable {
			if now := v.automation(order); !now.Enabled {
				t.Fatalf("%d failures disable it", n)
			}
			v.pass(time.Hour)
		}
		now := v.automation(order)
		if now.Enabled || now.DisabledReason != "failures" {
			t.Fatalf("after five failures it is %+v: %v", now, v.states(order))
		}
		if n := v.notices("automation_disabled"); n != 1 {
			t.Errorf("there are %d notices", n)
		}
		rich := domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "Work."}}, LinearText: "Work."}
		_, _, err := v.automations.UpdateAutomation(t.Context(), order.WorkspaceID, order.ID, automation.Patch{Seed: &rich, By: "test"})
		v.ok(err)
		_, _, err = v.automations.UpdateAutomation(t.Context(), order.WorkspaceID, order.ID, automation.Patch{Enabled: new(true)})
		v.ok(err)
		v.pass(time.Hour)
		if v.holder() == nil {
			t.Errorf("with a new message it does not run: %v", v.states(order))
		}
		v.sound()
	})
}

// loseSeed takes an automation's SEED away, as earlier versions let anybody do.
func (v *virtual) loseSeed(order *automation.Automation) {
	v.t.Helper()
	v.ok(v.store.Commit(v.t.Context(), &domain.Change{
		WorkspaceID: order.WorkspaceID, At: v.now, Sessions: []domain.SessionWrite{{Session: v.session(order.SeedSessionID), Delete: true}},
	}))
}

func (v *virtual) automation(order *automation.Automation) *automation.Automation {
	v.t.Helper()
	now, err := v.store.Automations.Automation(v.t.Context(), order.WorkspaceID, order.ID)
	v.ok(err)
	return now
}

// notices counts those with a code in the log.
func (v *virtual) notices(code string) (n int) {
	v.t.Helper()
	events, _, err := v.store.Events.Events(v.t.Context(), domain.DefaultWorkspace, "", 0, domain.PageSize{Rows: 1000})
	v.ok(err)
	for _, e := range events {
		if e.Type == domain.LogNotice && strings.Contains(string(e.Data), `"`+code+`"`) {
			n++
		}
	}
	return n
}
