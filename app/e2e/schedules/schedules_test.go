package schedules

import (
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/ids"
)

// A year of daily schedules in eight zones: one run for each local day, in order, on
// both databases, though the clock is only looked at when the scheduler asks for it.
func TestAYearOfDailyRuns(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		start, days := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 365
		if (db.DatabaseURL != "" || harness.Raced) && !harness.Long {
			start, days = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 60 // the spring's changes; make long does the year
		}
		v := newVirtual(t, db, start)
		v.settings(`{"misfire_grace":"30m"}`)
		zones := []string{
			"Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
			"Africa/Cairo", "Asia/Kathmandu", "Pacific/Auckland", "UTC",
		}
		orders := map[string]*automation.Automation{}
		for i, zone := range zones {
			local := []string{"30 2 * * *", "0 0 * * *", "15 3 * * *", "30 1 * * *"}[i%4]
			orders[zone] = v.order(zone, &automation.Schedule{Type: "cron", Expression: local, TimeZone: zone})
		}
		end := start.AddDate(0, 0, days)
		for v.now.Before(end) { // whatever is due runs to its end
			v.at(v.next())
			for s := v.holder(); s != nil; s = v.holder() {
				v.finish(s, false)
			}
		}
		for zone, order := range orders {
			location, err := time.LoadLocation(zone)
			v.ok(err)
			seen := map[string]int{}
			for _, o := range v.occurrences(order) {
				if o.State != automation.OccurrenceFired {
					t.Errorf("%s: %s is %s %s", zone, o.ScheduledAt, o.State, o.Reason)
				}
				seen[o.ScheduledAt.In(location).Format(time.DateOnly)]++
			}
			for day := start.In(location).AddDate(0, 0, 1); day.Before(end.AddDate(0, 0, -1)); day = day.AddDate(0, 0, 1) {
				if n := seen[day.Format(time.DateOnly)]; n != 1 {
					t.Errorf("%s: %d runs on %s", zone, n, day.Format(time.DateOnly))
				}
			}
		}
		v.sound()
	})
}

// Down for three occurrences: exactly what the misfire policy says, once.
func TestDownForThreeOccurrences(t *testing.T) {
	daily := &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC"}
	for policy, want := range map[automation.MisfirePolicy][]string{
		automation.MisfireOnce: {"02 08:00 COALESCED missed", "03 08:00 COALESCED missed", "04 08:00 FIRED misfire"},
		automation.MisfireAll:  {"02 08:00 FIRED misfire", "03 08:00 FIRED misfire", "04 08:00 FIRED misfire"},
		automation.MisfireSkip: {"02 08:00 SKIPPED policy", "03 08:00 SKIPPED policy", "04 08:00 SKIPPED policy"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
				order := v.order("daily", daily, func(in *automation.NewAutomation) { in.Misfire = policy })
				v.at(time.Date(2026, 3, 4, 20, 0, 0, 0, time.UTC)) // the server was down until now
				for s := v.holder(); s != nil; s = v.holder() {
					v.finish(s, false)
				}
				if got := v.states(order); !slices.Equal(got, want) {
					t.Errorf("it did\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				v.pass(time.Minute)
				if s := v.holder(); s != nil {
					t.Errorf("something fires again: %s", s.Name)
				}
				v.at(time.Date(2026, 3, 5, 8, 0, 0, 0, time.UTC))
				if s := v.holder(); s == nil || !s.ScheduledExecutionTime.Equal(v.now) {
					t.Errorf("the next one does not run on time: %+v", s)
				}
				v.sound()
			})
		})
	}
}

// An occurrence is due while the last run has not ended: the overlap policy decides before the slot is
// requested.
func TestOverlap(t *testing.T) {
	hourly := &automation.Schedule{Type: "cron", Expression: "0 * * * *", TimeZone: "UTC"}
	for policy, want := range map[automation.OverlapPolicy][]string{
		automation.OverlapSkip:    {"01 13:00 FIRED", "01 14:00 SKIPPED overlap"},
		automation.OverlapQueue:   {"01 13:00 FIRED", "01 14:00 DUE"},
		automation.OverlapRestart: {"01 13:00 FIRED", "01 14:00 FIRED"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
				order := v.order("hourly", hourly, func(in *automation.NewAutomation) { in.Overlap = policy })
				v.at(time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC))
				first := v.holder()
				v.at(time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC))
				if got := v.states(order); !slices.Equal(got, want) {
					t.Errorf("it did %v, want %v", got, want)
				}
				old := v.session(first.ID)
				if restarted := old.EndReason == domain.EndCancelled; restarted != (policy == automation.OverlapRestart) {
					t.Errorf("the old run is %s %s", old.Phase, old.EndReason)
				}
				if policy == automation.OverlapQueue {
					v.finish(first, false)
					if s := v.holder(); s == nil || s.ID == first.ID {
						t.Error("the one that waited does not run after the first")
					}
				}
				v.sound()
			})
		})
	}
}

// Five failures in a row disable an automation; enabled again, it counts afresh.
func TestFiveFailuresDisable(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC))
		order := v.order("hourly", &automation.Schedule{Type: "interval", Expression: "1h", TimeZone: "UTC"})
		for range automation.FailuresToDisable {
			v.pass(time.Hour)
			s := v.holder()
			if s == nil {
				t.Fatalf("nothing runs at %s: %v", v.now, v.states(order))
			}
			v.finish(s, true)
		}
		got, err := v.store.Automations.Automation(t.Context(), order.WorkspaceID, order.ID)
		v.ok(err)
		if got.Enabled || got.DisabledReason != "failures" || got.NextAt != nil {
			t.Fatalf("after five failures it is %+v", got)
		}
		v.pass(3 * time.Hour)
		if v.holder() != nil {
			t.Error("a disabled automation runs")
		}
		_, _, err = v.automations.UpdateAutomation(t.Context(), order.WorkspaceID, order.ID, automation.Patch{Enabled: new(true)})
		v.ok(err)
		v.pass(time.Hour)
		if v.holder() == nil {
			t.Error("enabled again, it does not run")
		}
		v.finish(v.holder(), true)
		if got, err = v.store.Automations.Automation(t.Context(), order.WorkspaceID, order.ID); err != nil || !got.Enabled {
			t.Errorf("one more failure disables it: %+v, %v", got, err)
		}
		v.sound()
	})
}

// An automation that has waited too long takes the slot as soon as the chat rests, and
// keeps it for one whole roundtrip; then the chat has it back.
func TestNobodyStarves(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		chat := v.chat()
		v.say(chat)
		v.answered(chat)
		r, err := v.runs.ExecuteAutomation(t.Context(), domain.DefaultWorkspace, v.order("nightly", nil).ID, "test")
		v.ok(err)
		if r.Result != domain.Queued {
			t.Fatalf("the run is %s while a chat is there", r.Result)
		}
		run := r.Session.ID
		for range 14 { // the person writes every four minutes, for almost an hour
			v.pass(4 * time.Minute)
			v.say(chat)
			v.answered(chat)
		}
		v.pass(4 * time.Minute) // and is quiet for as long: not inactive yet
		if h := v.holder(); h == nil || h.ID != run {
			t.Fatalf("after an hour the slot is held by %+v", h)
		}
		v.deliver(run, domain.EnrichmentsExecuted{})
		if got := v.say(chat); got.Status() != domain.StatusQueued || got.QueuePosition != 1 {
			t.Errorf("the chat is %s at %d while the run has its roundtrip", got.Status(), got.QueuePosition)
		}
		v.ok(v.loop.RunOnce(t.Context()))
		if h := v.holder(); h == nil || h.ID != run {
			t.Fatal("the chat took the slot before the roundtrip ended")
		}
		v.deliver(run, domain.AIResponseReceived{MessageID: ids.New("msg"), Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "…"}, Roundtrip: &domain.Roundtrip{ID: ids.New("msg"), Outcome: "answered", EndedAt: v.now}})
		v.queue.SafePoint(t.Context(), v.session(run))
		if h := v.holder(); h.ID != chat.ID || h.Phase != domain.ExecutingEnrichments && h.Phase != domain.CallingAI {
			t.Errorf("after the roundtrip the slot is held by %s in %s", h.Name, h.Phase)
		}
		if got := v.session(run); got.Status() != domain.StatusSuspended {
			t.Errorf("the run is %s", got.Status())
		}
		v.sound()
	})
}

// What is due starves no more than what queues: after an hour it begins as soon as the
// chat rests, though it never had a session that could stand in the queue.
func TestWhatIsDueDoesNotStarve(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		v := newVirtual(t, db, time.Date(2026, 3, 1, 7, 30, 0, 0, time.UTC))
		order := v.order("daily", &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC"})
		chat := v.chat()
		for range 15 { // the person writes every four minutes, until half past eight
			v.say(chat)
			v.answered(chat)
			v.pass(4 * time.Minute)
		}
		if got := v.states(order); !slices.Equal(got, []string{"01 08:00 DUE"}) {
			t.Fatalf("while a chat is there: %v", got)
		}
		for range 8 {
			v.say(chat)
			v.answered(chat)
			v.pass(4 * time.Minute)
		}
		if got := v.states(order); !slices.Equal(got, []string{"01 08:00 FIRED"}) {
			t.Fatalf("after an hour: %v", got)
		}
		if h := v.holder(); h == nil || h.AutomationID != order.ID || !h.ScheduledExecutionTime.Equal(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)) {
			t.Errorf("the slot is held by %+v", h)
		}
		v.sound()
	})
}
