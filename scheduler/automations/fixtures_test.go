package automations

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/scheduler"
)

// noon is now, in all decisions.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func noonRules() rules { return rules{now: noon, newID: repeatable.IDs()} }

// hourly is an automation that has been due every hour since ten, with a SEED.
func hourly(change ...func(*automation.View)) *automation.View {
	ten := noon.Add(-2 * time.Hour)
	v := &automation.View{
		View: domain.View{Workspace: &domain.Workspace{ID: "ws", Settings: domain.DefaultSettings()}},
		Automation: &automation.Automation{
			ID: "aut", WorkspaceID: "ws", Name: "Hourly", Enabled: true, Misfire: automation.MisfireOnce, Overlap: automation.OverlapSkip,
			ScheduleSince: ten, SeedSessionID: "seed", Version: 3,
			Schedule: &automation.Schedule{Type: "interval", Expression: "PT1H", TimeZone: "UTC", StartsAt: "2026-05-04T10:00:00"},
		},
		SeedSession: &domain.Session{ID: "seed", Type: domain.Seed},
		Seed:        []*domain.Message{{ID: "m1", SessionID: "seed", Rich: &domain.RichContent{LinearText: "Look."}}},
	}
	for _, c := range change {
		c(v)
	}
	return v
}

func due(hours int, reason string) func(*automation.View) {
	return func(v *automation.View) {
		at := noon.Add(time.Duration(hours) * time.Hour)
		v.Due = append(v.Due, &automation.Occurrence{ID: fmt.Sprint("occ", hours), ScheduledAt: at, State: automation.OccurrenceDue, Reason: reason, RecordedAt: at})
	}
}

func unended(v *automation.View) {
	v.Unended = append(v.Unended, &domain.Session{ID: "old", Type: domain.Run})
}

func failedRuns(n int) func(*automation.View) {
	return func(v *automation.View) {
		for range n {
			v.Ends = append(v.Ends, domain.EndError)
		}
	}
}

func disabled(v *automation.View) { v.Automation.Enabled = false }

func policy(misfire automation.MisfirePolicy, overlap automation.OverlapPolicy) func(*automation.View) {
	return func(v *automation.View) { v.Automation.Misfire, v.Automation.Overlap = misfire, overlap }
}

// occurrences are those of a change, in words.
func occurrences(c *domain.Change) string {
	if c == nil {
		return ""
	}
	var all []string
	for _, o := range automation.Occurrences(c) {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", o.ScheduledAt.Format("15:04"), o.State, o.Reason)))
	}
	return strings.Join(all, "; ")
}

// world is the door over one automation: plans are made of its view, and kept.
type world struct {
	Store
	t       *testing.T
	view    *automation.View
	plans   []scheduler.Plan
	looks   int
	stopped []string
	// onStop is the result of stopping a run; nil: it has ended.
	onStop func(id string) error
	events []*domain.LogEvent
	made   []*userdata.Entry
	slot   error         // what the door says of a run that begins
	taint  *domain.Taint // of every session
}

func newWorld(t *testing.T, v *automation.View) (*world, Config) {
	w := &world{t: t, view: v}
	return w, Config{
		Door: w, Sessions: w, Store: w, Events: w, Conditions: w, Checks: w, Providers: w,
		SealHook: func(_, _, token string) (string, error) { return "sealed:" + token, nil },
		Clock:    func() time.Time { return noon }, NewID: repeatable.IDs(), Log: zerolog.Nop(),
	}
}

func (w *world) Deliver(_ context.Context, r scheduler.Request) (*scheduler.Outcome, error) {
	plan, err := r.(scheduler.PlanRequest).Planner.Plan(w.view)
	if err != nil {
		return nil, fmt.Errorf("deliver: %w", err)
	}
	o := &scheduler.Outcome{Change: &domain.Change{WorkspaceID: "ws"}}
	o.Change.Merge(plan.Change)
	if plan.Run != nil {
		if w.slot != nil {
			return nil, w.slot
		}
		o.Session = plan.Run.Session
	}
	w.plans = append(w.plans, plan)
	for _, a := range automation.Writes(o.Change) {
		w.view.Automation = a.Automation
	}
	return o, nil
}

func (w *world) Look(string) { w.looks++ }

func (w *world) StopSession(_ context.Context, _, id string, by domain.Author) (*domain.Receipt, error) {
	w.stopped = append(w.stopped, id+" by "+by.ID)
	if w.onStop != nil {
		return nil, w.onStop(id)
	}
	w.view.Unended = nil
	return &domain.Receipt{}, nil
}

func (w *world) Provider(_ context.Context, _, id string) (*outside.Provider, error) {
	if id == "prv" {
		return &outside.Provider{ID: id}, nil
	}
	return nil, domain.NotFound("provider")
}

func (w *world) Automation(context.Context, string, string) (*automation.Automation, error) {
	return w.view.Automation, nil
}

func (w *world) AutomationOfHook(context.Context, string) (*automation.Automation, error) {
	return w.view.Automation, nil
}

func (w *world) DueOccurrences(context.Context, string) ([]domain.AutomationRef, error) {
	return []domain.AutomationRef{{WorkspaceID: "ws", ID: "aut"}}, nil
}

func (w *world) WatchingAutomations(context.Context, string) ([]domain.AutomationRef, error) {
	return []domain.AutomationRef{{WorkspaceID: "ws", ID: "aut"}}, nil
}

func (w *world) Session(_ context.Context, _, id string) (*domain.Session, error) {
	if id == "gone" {
		return nil, domain.NotFound("session")
	}
	s := &domain.Session{ID: id, AutomationID: strings.TrimPrefix(id, "run of ")}
	s.State.Taint = w.taint
	return s, nil
}

func (w *world) Events(_ context.Context, _, _ string, after int64, _ domain.PageSize) ([]*domain.LogEvent, bool, error) {
	var later []*domain.LogEvent
	for _, e := range w.events {
		if e.Seq > after {
			later = append(later, e)
		}
	}
	return later, false, nil
}

func (w *world) EntriesMadeAt(context.Context, string, string, time.Time, int) ([]*userdata.Entry, error) {
	return w.made, nil
}

// Holds: a condition is the text that the value must contain.
func (w *world) Holds(schema, value json.RawMessage) (bool, error) {
	return strings.Contains(string(value), strings.Trim(string(schema), `"`)), nil
}

func (w *world) CheckTriggers(context.Context, string, []automation.Trigger) error { return nil }
func (w *world) CheckCommands(context.Context, string, []string) error             { return nil }

func (w *world) CheckGrant(context.Context, string, time.Time, *domain.Grant) error { return nil }

// begun counts the runs that begin.
func (w *world) begun() (n int) {
	for _, p := range w.plans {
		if p.Run != nil {
			n++
		}
	}
	return n
}
