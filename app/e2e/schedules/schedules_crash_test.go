package schedules

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/ids"
)

// The process that saw the fifth failure dies before it disabled the automation: the
// next one disables it at its start, and nothing runs a sixth time.
func TestTheFifthFailureIsNotForgotten(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
		order := v.order("nightly", nil)
		for range automation.FailuresToDisable {
			v.pass(time.Minute)
			r, err := v.runs.ExecuteAutomation(t.Context(), order.WorkspaceID, order.ID, "test")
			v.ok(err)
			v.deliver(r.Session.ID, domain.SystemErrorOccurred{Code: "internal", Problem: "It failed."})
			v.deliver(r.Session.ID, domain.SessionCompleted{})
		}
		enabled := func() bool {
			got, err := v.store.Automations.Automation(t.Context(), order.WorkspaceID, order.ID)
			v.ok(err)
			return got.Enabled
		}
		if !enabled() {
			t.Fatal("it was disabled before the process died: this test shows nothing")
		}
		v.open() // it dies here, and another one starts
		v.ok(v.loop.RunOnce(t.Context()))
		if enabled() {
			t.Error("after the restart it is still enabled")
		}
		v.sound()
	})
}

// Without any grace what runs on time is on time all the same: the overlap policy speaks.
func TestNoGraceIsNoMisfire(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
		v.settings(`{"misfire_grace":"0s"}`)
		order := v.order("hourly", &automation.Schedule{Type: "cron", Expression: "0 * * * *", TimeZone: "UTC"})
		v.at(time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC))
		v.at(time.Date(2026, 3, 1, 14, 0, 1, 0, time.UTC)) // the clock is never looked at in the very instant
		if got, want := v.states(order), []string{"01 13:00 FIRED", "01 14:00 SKIPPED overlap"}; !slices.Equal(got, want) {
			t.Errorf("it did %v, want %v", got, want)
		}
		v.sound()
	})
}

// The process dies after it has recorded that an automation is due, and before it looked
// whether its last run goes: the next one applies the overlap policy at its start.
func TestOverlapAfterACrash(t *testing.T) {
	for policy, want := range map[automation.OverlapPolicy]string{
		automation.OverlapSkip: "01 14:00 SKIPPED overlap", automation.OverlapQueue: "01 14:00 DUE", automation.OverlapRestart: "01 14:00 FIRED",
	} {
		t.Run(string(policy), func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				v := newVirtual(t, db, time.Date(2026, 3, 1, 13, 30, 0, 0, time.UTC))
				order := v.order("hourly", &automation.Schedule{Type: "cron", Expression: "0 * * * *", TimeZone: "UTC"}, func(in *automation.NewAutomation) { in.Overlap = policy })
				r, err := v.runs.ExecuteAutomation(t.Context(), order.WorkspaceID, order.ID, "test")
				v.ok(err)
				at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
				v.recorded(order, at)
				v.open()
				v.at(at.Add(time.Second))
				if got := v.states(order); !slices.Equal(got, []string{want}) {
					t.Errorf("it did %v, want %s", got, want)
				}
				if stopped := v.session(r.Session.ID).EndReason == domain.EndCancelled; stopped != (policy == automation.OverlapRestart) {
					t.Error("the old run continues where it should not, or does not where it should")
				}
				v.sound()
			})
		})
	}
}

// recorded leaves an occurrence as a process does that dies right after it recorded it.
func (v *virtual) recorded(order *automation.Automation, at time.Time) {
	v.t.Helper()
	v.now = at
	_, err := v.store.DecideAutomation(v.t.Context(), order.WorkspaceID, order.ID, func(_ context.Context, view *automation.View) (*domain.Change, error) {
		c := &domain.Change{WorkspaceID: order.WorkspaceID, At: at}
		c.Rows = append(c.Rows, &automation.Occurrence{
			ID: ids.New(domain.PrefixOccurrence), WorkspaceID: order.WorkspaceID, AutomationID: order.ID,
			ScheduledAt: at, State: automation.OccurrenceDue, RecordedAt: at,
		})
		next := *view.Automation
		next.NextAt = new(at.Add(time.Hour))
		c.Rows = append(c.Rows, automation.Write{Automation: &next, Bookkeeping: true})
		return c, nil
	})
	v.ok(err)
}
