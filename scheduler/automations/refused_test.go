package automations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// closed is a door that lets nothing through.
type closed struct {
	*world
	err error
}

func (c closed) Deliver(context.Context, scheduler.Request) (*scheduler.Outcome, error) {
	return nil, c.err
}

// What cannot be looked at by the loop is logged, unless there is nothing left to look at.
func TestWhatTheLoopReceives(t *testing.T) {
	ref := domain.AutomationRef{WorkspaceID: "ws", ID: "aut"}
	away := errors.New("the database is away")
	for name, c := range map[string]struct {
		do     func(context.Context, *Runs)
		err    error
		logged bool
	}{
		"failing":                  {func(ctx context.Context, r *Runs) { r.DisableIfFailing(ctx, ref) }, away, true},
		"failing, and deleted":     {func(ctx context.Context, r *Runs) { r.DisableIfFailing(ctx, ref) }, domain.NotFound("automation"), false},
		"overlap":                  {func(ctx context.Context, r *Runs) { r.SettleOverlap(ctx, ref) }, away, true},
		"overlap, the slot is not": {func(ctx context.Context, r *Runs) { r.SettleOverlap(ctx, ref) }, scheduler.ErrSlotTaken, false},
	} {
		for _, stops := range []bool{false, true} {
			w, cfg := newWorld(t, hourly(due(0, ""), unended))
			var log bytes.Buffer
			cfg.Door, cfg.Log = closed{w, c.err}, zerolog.New(&log)
			ctx, stop := context.WithCancel(t.Context())
			if stops {
				stop()
			}
			c.do(ctx, NewRuns(cfg))
			stop()
			if want := c.logged && !stops; strings.Contains(log.String(), `"automation":"aut"`) != want {
				t.Errorf("%s, stopping %v: %s", name, stops, log.String())
			}
		}
	}
	w, cfg := newWorld(t, hourly())
	cfg.Door = closed{w, away}
	if err := NewRuns(cfg).RecordOccurrences(t.Context(), ref); !errors.Is(err, away) || w.looks != 0 {
		t.Errorf("recorded: %v, %d looks", err, w.looks)
	}
}

// TestAScheduleThatCannotBeRead verifies that a stored schedule that can no longer be parsed is reported and that
// nothing is written.
func TestAScheduleThatCannotBeRead(t *testing.T) {
	v := hourly(func(v *automation.View) { v.Automation.Schedule.TimeZone = "Nowhere" })
	if change, err := noonRules().recordDue(v); err == nil || change != nil {
		t.Errorf("%+v, %v", change, err)
	}
	w, cfg := newWorld(t, v)
	if err := NewRuns(cfg).RecordOccurrences(t.Context(), domain.AutomationRef{WorkspaceID: "ws", ID: "aut"}); err == nil ||
		len(w.plans) != 0 {
		t.Errorf("%v, %d plans", err, len(w.plans))
	}
}

// After a long time away the rows are bounded: one stands for all that have none.
func TestSoManyThatTheyHaveNoRows(t *testing.T) {
	v := hourly(policy(automation.MisfireSkip, ""), func(v *automation.View) {
		v.Automation.ScheduleSince = noon.AddDate(-1, 0, 0)
		v.Automation.Schedule.StartsAt = "2025-05-04T10:00:00"
	})
	change, err := noonRules().recordDue(v)
	if err != nil {
		t.Fatal(err)
	}
	first, last := automation.Occurrences(change)[0], automation.Occurrences(change)[len(automation.Occurrences(change))-1]
	if len(automation.Occurrences(change)) > 300 || first.State != automation.OccurrenceMissed || !strings.HasPrefix(first.Reason, "too_many until 2026-") {
		t.Errorf("%d rows, the first is %+v", len(automation.Occurrences(change)), first)
	}
	if !last.ScheduledAt.Equal(noon) || last.State != automation.OccurrenceDue {
		t.Errorf("the last is %+v", last)
	}
	ids := map[string]bool{}
	for _, o := range automation.Occurrences(change) {
		ids[o.ID] = true
		if o.AutomationID != "aut" || !o.RecordedAt.Equal(noon) {
			t.Errorf("a row is %+v", o)
		}
	}
	if len(ids) != len(automation.Occurrences(change)) {
		t.Errorf("%d ids for %d rows", len(ids), len(automation.Occurrences(change)))
	}
}

// What is coalesced says into which instant, and a row that is closed keeps its id.
func TestWhatIsCoalescedSaysIntoWhat(t *testing.T) {
	v := hourly(due(-1, ""), func(v *automation.View) { v.LastScheduled = noon.Add(-time.Hour) })
	change, err := noonRules().recordDue(v)
	if err != nil || occurrences(change) != "11:00 COALESCED missed; 12:00 DUE misfire" {
		t.Fatalf("%s, %v", occurrences(change), err)
	}
	closed := automation.Occurrences(change)[0]
	if closed.ID != "occ-1" || closed.CoalescedInto == nil || !closed.CoalescedInto.Equal(noon) {
		t.Errorf("the row is %+v", closed)
	}
	if v.Due[0].State != automation.OccurrenceDue {
		t.Error("the row that was read was written to")
	}
}

// Which ends of runs count as failures.
func TestWhichEndsAreFailures(t *testing.T) {
	for end, want := range map[domain.EndReason]bool{
		domain.EndError: true, domain.EndTimeout: true, domain.EndLimitReached: true, domain.EndCompleted: false, "STOPPED": false,
	} {
		v := hourly(failedRuns(automation.FailuresToDisable))
		v.Ends[2] = end
		if got := noonRules().disableFailing(v) != nil; got != want {
			t.Errorf("with one that ended as %s: disabled %v", end, got)
		}
	}
	v := hourly(failedRuns(automation.FailuresToDisable), func(v *automation.View) { v.Workspace.Settings.Language = "fr" })
	change := noonRules().disableFailing(v)
	if text := change.Events[len(change.Events)-1].Notice.Text; !strings.HasPrefix(text, `L’automatisation "Hourly" a été désactivée`) {
		t.Errorf("in French: %s", text)
	}
	if !v.Automation.Enabled {
		t.Error("the automation that was read was written to")
	}
}

// With force a deletion ends the runs first; what it cannot end, it does not delete.
func TestADeletionThatCannotEndTheRuns(t *testing.T) {
	away := domain.Errorf(domain.CodeUnavailable, "no database")
	for name, c := range map[string]struct {
		stop error
		want domain.Code
		ends int
	}{
		"they cannot be stopped":       {away, domain.CodeUnavailable, 1},
		"they begin again, faster":     {nil, domain.CodeSessionBusy, maxStops},
		"they end, and others go":      {domain.Errorf(domain.CodeSessionEnded, "ended"), domain.CodeSessionBusy, maxStops},
		"they are gone, and others go": {domain.NotFound("session"), domain.CodeSessionBusy, maxStops},
	} {
		w, cfg := newWorld(t, hourly(unended))
		w.onStop = func(string) error { return c.stop }
		err := NewService(cfg).DeleteAutomation(t.Context(), "ws", "aut", 0, true)
		if domain.ErrorCode(err) != c.want || len(w.stopped) != c.ends || w.view.Automation.DeletedAt != nil {
			t.Errorf("%s: %v, %d stopped", name, err, len(w.stopped))
		}
	}
}

// An automation that has lost its SEED can be deleted.
func TestDeleteWithoutItsSeed(t *testing.T) {
	w, cfg := newWorld(t, hourly(func(v *automation.View) { v.SeedSession, v.Seed = nil, nil }))
	if err := NewService(cfg).DeleteAutomation(t.Context(), "ws", "aut", 3, false); err != nil || len(w.plans[0].Change.Sessions) != 0 ||
		w.view.Automation.DeletedAt == nil {
		t.Errorf("%v, %+v", err, w.plans)
	}
}

// keyed notes whether the context of a stop carries the request's values.
type keyed struct {
	*world
	carried []any
}

type key struct{}

func (k *keyed) StopSession(ctx context.Context, ws, id string, by domain.Author) (*domain.Receipt, error) {
	k.carried = append(k.carried, ctx.Value(key{}))
	return k.world.StopSession(ctx, ws, id, by)
}

// The request's idempotency key is spent by the run that begins, not by the one that ends
// for it; but the stop ends with the request.
func TestTheKeyIsSpentByTheNewRun(t *testing.T) {
	w, cfg := newWorld(t, hourly(webhook, unended, policy("", automation.OverlapRestart), func(v *automation.View) {
		v.Automation.HookHash = HookHash("token")
	}))
	k := &keyed{world: w}
	cfg.Sessions = k
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "idempotency"))
	r, err := NewRuns(cfg).TriggerAutomation(ctx, "aut", "token", nil)
	if err != nil || r.Result != domain.Activated || !slices.Equal(k.carried, []any{nil}) || w.stopped[0] != "old by overlap" {
		t.Errorf("%+v, %v, carried %v, stopped %q", r, err, k.carried, w.stopped)
	}
	if stop(); (forgetful{ctx}).Err() == nil {
		t.Error("the step outlives its request")
	}
}

// What refuses a run that is asked for: nothing is written.
func TestARunThatIsRefused(t *testing.T) {
	away := errors.New("the condition cannot be read")
	noSeed := func(v *automation.View) { v.Seed = nil }
	full := func(v *automation.View) {
		v.Workspace.Settings.MaxQueueLength, v.Queue = 1, []domain.QueueRow{{SessionID: "other"}}
	}
	known := func(v *automation.View) { v.Automation.HookHash = HookHash("token") }
	for name, c := range map[string]struct {
		view      *automation.View
		condition error
		code      domain.Code
	}{
		"no message":                   {hourly(webhook, known, noSeed), nil, domain.CodeConflict},
		"the queue is full":            {hourly(webhook, known, full), nil, domain.CodeQueueFull},
		"the condition cannot be read": {hourly(webhook, known), away, domain.ErrorCode(away)},
	} {
		w, cfg := newWorld(t, c.view)
		cfg.Conditions = &failing{world: w, conditions: c.condition}
		_, err := NewRuns(cfg).TriggerAutomation(t.Context(), "aut", "token", json.RawMessage(`{}`))
		if err == nil || domain.ErrorCode(err) != c.code || len(w.plans) != 0 {
			t.Errorf("%s: %v, %d plans", name, err, len(w.plans))
		}
	}
	w, cfg := newWorld(t, hourly(noSeed))
	if _, err := NewRuns(cfg).ExecuteAutomation(t.Context(), "ws", "aut", "me"); domain.ErrorCode(err) != domain.CodeConflict ||
		len(w.plans) != 0 {
		t.Errorf("by hand: %v", err)
	}
}

// A message of a SEED without text is copied too, and takes the note.
func TestASeedWithoutText(t *testing.T) {
	v := hourly(func(v *automation.View) { v.Seed[0].Rich, v.Seed[0].Seq = nil, 12 })
	plan, err := noonRules().begin(v, start{note: "It rang.", by: "webhook"})
	if err != nil {
		t.Fatal(err)
	}
	m := plan.Run.Messages[0]
	if m.Rich.LinearText != "\n\nIt rang." || len(m.Rich.Segments) != 1 || m.Seq != 0 || v.Seed[0].Rich != nil {
		t.Errorf("%+v of %+v", m, v.Seed[0])
	}
}
