package automations

import (
	"errors"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// What comes due is a row, by the misfire policy; the automation says when to look again.
func TestRecordDue(t *testing.T) {
	grace := func(v *automation.View) { v.Workspace.Settings.MisfireGrace = domain.Duration(time.Minute) }
	later := func(v *automation.View) { v.Automation.ScheduleSince = noon.Add(time.Minute) }
	seen := func(v *automation.View) { v.LastScheduled = noon.Add(-time.Hour) }
	for name, c := range map[string]struct {
		view *automation.View
		want string
		next time.Duration // from noon on; -1: nothing is written
	}{
		"one, on time":              {hourly(seen), "12:00 DUE", time.Hour},
		"missed, once":              {hourly(grace), "11:00 COALESCED missed; 12:00 DUE misfire", 0},
		"missed, all":               {hourly(grace, policy(automation.MisfireAll, "")), "11:00 DUE misfire; 12:00 DUE", 0},
		"missed, none":              {hourly(grace, policy(automation.MisfireSkip, "")), "11:00 SKIPPED policy; 12:00 DUE", 0},
		"nothing yet":               {hourly(later), "", 0},
		"disabled":                  {hourly(disabled), "", -1},
		"no schedule":               {hourly(func(v *automation.View) { v.Automation.Schedule = nil }), "", -1},
		"one that is due is no new": {hourly(due(0, ""), func(v *automation.View) { v.LastScheduled = noon }), "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			change, err := noonRules().recordDue(c.view)
			if err != nil {
				t.Fatal(err)
			}
			if got := occurrences(change); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if (change == nil) != (c.next == -1) {
				t.Fatalf("the change is %+v", change)
			}
			if change == nil {
				return
			}
			written := automation.Writes(change)[0]
			if !written.Bookkeeping || written.Automation.NextAt == nil || !written.Automation.NextAt.After(noon) {
				t.Errorf("it is looked at again at %v", written.Automation.NextAt)
			}
			if len(change.Events) != len(automation.Occurrences(change)) {
				t.Errorf("%d events for %d occurrences", len(change.Events), len(automation.Occurrences(change)))
			}
		})
	}
}

// The oldest occurrence runs, or a row says why it does not; overlap comes first, then
// the slot.
func TestStartOldest(t *testing.T) {
	spent := func(v *automation.View) {
		limit := 1.0
		v.Automation.Budgets.MaxCostPerDay, v.Spent.AutomationToday = &limit, 1
	}
	noSeed := func(v *automation.View) { v.Seed = nil }
	for name, c := range map[string]struct {
		view  *automation.View
		runs  bool
		want  string
		waits error
	}{
		"it runs":                          {hourly(due(-1, ""), due(0, "")), true, "11:00 FIRED", nil},
		"what misfired runs too":           {hourly(due(-1, misfire)), true, "11:00 FIRED misfire", nil},
		"nothing is due":                   {hourly(), false, "", nil},
		"it is disabled":                   {hourly(disabled, due(0, "")), false, "", nil},
		"the day's money is spent":         {hourly(due(0, ""), spent), false, "12:00 SKIPPED budget", nil},
		"the last run is active: skip":     {hourly(due(0, ""), unended), false, "12:00 SKIPPED overlap", nil},
		"the last run is active: queue":    {hourly(due(0, ""), unended, policy("", automation.OverlapQueue)), false, "", scheduler.ErrSlotTaken},
		"the last run is active, misfired": {hourly(due(0, misfire), unended), false, "", scheduler.ErrSlotTaken},
		"there is no message": {
			hourly(due(0, ""), noSeed),
			false, "12:00 FAILED The automation has no message to begin with. Give it one (seed); nothing was started.", nil,
		},
		"its runs fail": {hourly(due(0, ""), failedRuns(automation.FailuresToDisable)), false, "12:00 SKIPPED disabled", nil},
		"it fails for the fifth time": {
			hourly(due(0, ""), due(1, ""), noSeed, failedRuns(automation.FailuresToDisable-1)),
			false, "12:00 FAILED The automation has no message to begin with. Give it one (seed); nothing was started.; 13:00 SKIPPED disabled", nil,
		},
		"four failures are not enough": {hourly(due(0, ""), failedRuns(automation.FailuresToDisable-1)), true, "12:00 FIRED", nil},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := noonRules().startOldest(c.view)
			if !errors.Is(err, c.waits) {
				t.Fatal(err)
			}
			if got := occurrences(plan.Change); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if (plan.Run != nil) != c.runs {
				t.Fatalf("it runs: %v", plan.Run != nil)
			}
			if c.runs && (!plan.Run.OnTime || automation.Occurrences(plan.Change)[0].SessionID != plan.Run.Session.ID || !plan.Run.Since.Equal(c.view.Due[0].RecordedAt)) {
				t.Errorf("the run is %+v", plan.Run)
			}
		})
	}
}

// A crash in the middle of a run, and a downtime over several occurrences: the one run that makes up for
// them waits for the interrupted run to end, whatever the overlap policy. One that nothing was missed
// before is skipped as always.
func TestACatchUpRunWaitsForTheInterruptedOne(t *testing.T) {
	for name, c := range map[string]struct {
		overlap automation.OverlapPolicy
		since   time.Duration // of the last occurrence
		waits   bool
	}{
		"three were missed":          {automation.OverlapSkip, 4 * time.Hour, true},
		"three were missed, restart": {automation.OverlapRestart, 4 * time.Hour, true},
		"one was missed":             {automation.OverlapSkip, 2 * time.Hour, true},
		"none was missed":            {automation.OverlapSkip, time.Hour, false},
	} {
		v := hourly(unended, policy("", c.overlap), func(v *automation.View) { v.LastScheduled = noon.Add(-c.since) })
		v.Automation.ScheduleSince = v.LastScheduled
		change, err := noonRules().recordDue(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range automation.Occurrences(change) {
			if o.State == automation.OccurrenceDue {
				v.Due = append(v.Due, o)
			}
		}
		plan, err := noonRules().startOldest(v)
		if errors.Is(err, scheduler.ErrSlotTaken) != c.waits || !c.waits && occurrences(plan.Change) != "12:00 SKIPPED overlap" {
			t.Errorf("%s: %v, %s", name, err, occurrences(plan.Change))
		}
		v.Unended = nil
		if plan, err = noonRules().startOldest(v); err != nil || plan.Run == nil {
			t.Errorf("%s, once the run has ended: %+v, %v", name, plan, err)
		}
	}
}

// With overlap=restart the old run is stopped first, and then it is decided again.
func TestTheOldRunEndsFirst(t *testing.T) {
	w, cfg := newWorld(t, hourly(due(0, ""), unended, policy("", automation.OverlapRestart)))
	started, err := NewRuns(cfg).startOldest(t.Context(), domain.AutomationRef{WorkspaceID: "ws", ID: "aut"})
	if err != nil || !started || len(w.stopped) != 1 || w.stopped[0] != "old by overlap" {
		t.Errorf("%v, %v, stopped: %q", started, err, w.stopped)
	}
	for name, c := range map[string]struct {
		stop error
		want domain.Code
	}{
		"they begin again faster than they are stopped": {domain.Errorf(domain.CodeSessionEnded, "it has ended"), domain.CodeSessionBusy},
		"they cannot be stopped":                        {domain.Errorf(domain.CodeUnavailable, "no database"), domain.CodeUnavailable},
	} {
		w, cfg := newWorld(t, hourly(due(0, ""), unended, policy("", automation.OverlapRestart)))
		w.onStop = func(string) error { return c.stop }
		_, err := NewRuns(cfg).startOldest(t.Context(), domain.AutomationRef{WorkspaceID: "ws", ID: "aut"})
		if domain.ErrorCode(err) != c.want || w.begun() != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is recorded and cannot start at once is looked at when the slot may come free.
func TestRecordOccurrences(t *testing.T) {
	ref := domain.AutomationRef{WorkspaceID: "ws", ID: "aut"}
	w, cfg := newWorld(t, hourly(due(0, "")))
	if err := NewRuns(cfg).RecordOccurrences(t.Context(), ref); err != nil || w.begun() != 1 || w.looks != 0 {
		t.Errorf("%v; %d runs, %d looks", err, w.begun(), w.looks)
	}
	w, cfg = newWorld(t, hourly(due(0, "")))
	w.slot = scheduler.ErrSlotTaken
	if err := NewRuns(cfg).RecordOccurrences(t.Context(), ref); err != nil || w.begun() != 0 || w.looks != 1 {
		t.Errorf("the slot is taken: %v; %d runs, %d looks", err, w.begun(), w.looks)
	}
	if err := NewRuns(cfg).StartDue(t.Context(), domain.LaneRef{Workspace: "ws"}); err != nil || w.begun() != 0 {
		t.Errorf("it stays due: %v, %d runs", err, w.begun())
	}
	w.slot = nil
	if err := NewRuns(cfg).StartDue(t.Context(), domain.LaneRef{Workspace: "ws"}); err != nil || w.begun() != 1 {
		t.Errorf("the slot is free: %v, %d runs", err, w.begun())
	}
}

// Overlap is settled for what has waited behind a run; what waits for the slot is let be.
func TestSettleOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		view  *automation.View
		plans string
		begun int
	}{
		"nothing goes":        {hourly(due(0, "")), "", 0},
		"a run goes: skip":    {hourly(due(0, ""), unended), "12:00 SKIPPED overlap", 0},
		"a run goes: queue":   {hourly(due(0, ""), unended, policy("", automation.OverlapQueue)), "", 0},
		"a run goes: restart": {hourly(due(0, ""), unended, policy("", automation.OverlapRestart)), "12:00 FIRED", 1},
	} {
		w, cfg := newWorld(t, c.view)
		NewRuns(cfg).SettleOverlap(t.Context(), domain.AutomationRef{WorkspaceID: "ws", ID: "aut"})
		var got string
		for _, p := range w.plans {
			got += occurrences(p.Change)
		}
		if got != c.plans || w.begun() != c.begun {
			t.Errorf("%s: %q, %d runs", name, got, w.begun())
		}
	}
}

// Five failures in a row disable an automation, and say so; one that ended well does not.
func TestDisableFailing(t *testing.T) {
	mixed := hourly(failedRuns(automation.FailuresToDisable))
	mixed.Ends[4] = domain.EndCompleted
	for name, c := range map[string]struct {
		view *automation.View
		want bool
	}{
		"four":               {hourly(failedRuns(4)), false},
		"five":               {hourly(failedRuns(5), due(0, "")), true},
		"five, disabled":     {hourly(failedRuns(5), disabled), false},
		"one of them worked": {mixed, false},
	} {
		w, cfg := newWorld(t, c.view)
		NewRuns(cfg).DisableIfFailing(t.Context(), domain.AutomationRef{WorkspaceID: "ws", ID: "aut"})
		a := w.view.Automation
		if got := a.DisabledReason == "failures"; got != c.want {
			t.Errorf("%s: %+v", name, a)
		}
		if !c.want {
			continue
		}
		change := w.plans[0].Change
		last := change.Events[len(change.Events)-1]
		if a.Enabled || a.NextAt != nil || occurrences(change) != "12:00 SKIPPED disabled" || last.Notice == nil || last.Notice.Code != "automation_disabled" {
			t.Errorf("%s: %+v, %s, %+v", name, a, occurrences(change), last)
		}
	}
}
