package main

import (
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// The process that saw the fifth failure dies before it disabled the automation: the
// next one disables it at its start, and nothing runs a sixth time.
func TestTheFifthFailureIsNotForgotten(t *testing.T) {
	onBoth(t, func(t *testing.T, db databaseFlags) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
		order := v.order("nightly", nil)
		for range domain.FailuresToDisable {
			v.pass(time.Minute)
			r, err := v.door.ExecuteAutomation(t.Context(), order.WorkspaceID, order.ID, "test")
			v.ok(err)
			v.deliver(r.Session.ID, domain.SystemErrorOccurred{Code: "internal", Problem: "It failed."})
			v.deliver(r.Session.ID, domain.SessionCompleted{})
		}
		enabled := func() bool {
			got, err := v.store.Automation(t.Context(), order.WorkspaceID, order.ID)
			v.ok(err)
			return got.Enabled
		}
		if !enabled() {
			t.Fatal("it was disabled before the process died: this test shows nothing")
		}
		v.open() // it dies here, and another one starts
		v.ok(v.door.Tick(t.Context()))
		if enabled() {
			t.Error("after the restart it is still enabled")
		}
		v.sound()
	})
}

// Without any grace what runs on time is on time all the same: the overlap policy speaks.
func TestNoGraceIsNoMisfire(t *testing.T) {
	onBoth(t, func(t *testing.T, db databaseFlags) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
		v.settings(func(s *domain.Settings) { s.MisfireGrace = 0 })
		order := v.order("hourly", &domain.Schedule{Type: "cron", Expression: "0 * * * *", TimeZone: "UTC"})
		v.at(time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC))
		v.at(time.Date(2026, 3, 1, 14, 0, 1, 0, time.UTC)) // the clock is never looked at in the very instant
		if got, want := v.states(order), []string{"01 13:00 FIRED", "01 14:00 SKIPPED overlap"}; !slices.Equal(got, want) {
			t.Errorf("it did %v, want %v", got, want)
		}
		v.sound()
	})
}
