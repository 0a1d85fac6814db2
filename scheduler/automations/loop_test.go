package automations

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// A server starts with much that is due, and looks at one after the other. Meanwhile a
// session sets a timer: it is woken then, and not at the next sweep.
func TestATimerThatIsSetDuringATickIsNotLost(t *testing.T) {
	for name, busy := range map[string]func(m *minutely){
		"while it is read what is due": func(m *minutely) { m.reading = time.Second },
		"while what is due is done":    func(m *minutely) { m.deciding = time.Second },
	} {
		synctest.Test(t, func(t *testing.T) {
			m := newMinutely(t)
			busy(m)
			m.start()
			time.Sleep(500 * time.Millisecond)
			at := time.Now()
			m.door.Committed(&domain.Change{WorkspaceID: "default", Sessions: []domain.SessionWrite{{
				Session: &domain.Session{ID: "ses_1", WorkspaceID: "default", WakeAt: &at},
			}}})
			time.Sleep(5 * time.Second)
			if looks := m.looks(); !looks[len(looks)-1].After(at) {
				t.Errorf("%s: a timer for %s was set; it was looked what is due at %v", name, at, looks)
			}
		})
	}
}

// TestEachOccurrenceIsRecordedWhenItComes covers an automation that is due every minute while its own last run is
// active. Each occurrence is recorded when it is due, although nothing else happens then.
func TestEachOccurrenceIsRecordedWhenItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMinutely(t)
		m.start()
		time.Sleep(10*time.Minute + time.Second)
		for i, o := range m.recorded() {
			if late := o.RecordedAt.Sub(o.ScheduledAt); late > time.Second {
				t.Errorf("number %d was recorded %s late", i+1, late)
			}
		}
		if n := len(m.recorded()); n != 10 {
			t.Errorf("%d occurrences in ten minutes", n)
		}
	})
}

// A sweep that the database did not answer is made up for at once: it may have been the
// one that a lost connection asked for.
func TestASweepThatFailedIsMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMinutely(t)
		m.away = true
		m.start()
		time.Sleep(10 * time.Second)
		m.back()
		time.Sleep(3 * time.Second)
		if m.swept() != 1 {
			t.Errorf("%d sweeps were answered", m.swept())
		}
		time.Sleep(time.Minute) // and then it is enough
		if m.swept() != 1 {
			t.Errorf("%d sweeps were answered after a minute", m.swept())
		}
	})
}

// minutely is a database with one automation that is due every minute and whose last run is active.
type minutely struct {
	Store
	idle
	t                 *testing.T
	door              *scheduler.Door
	loop              *scheduler.Loop
	reading, deciding time.Duration // how long it takes

	mu    sync.Mutex
	order *automation.Automation
	rows  []*automation.Occurrence
	read  []time.Time
	sweep int
	away  bool
}

func newMinutely(t *testing.T) *minutely {
	now := time.Now()
	next := now.Add(time.Minute)
	m := &minutely{t: t, order: &automation.Automation{
		ID: "aut_1", WorkspaceID: "default", Enabled: true, Overlap: automation.OverlapSkip, NextAt: &next, ScheduleSince: now,
		Schedule: &automation.Schedule{Type: "interval", Expression: "PT1M", TimeZone: "UTC", StartsAt: now.UTC().Format("2006-01-02T15:04:05")},
	}}
	m.door = scheduler.NewDoor(scheduler.Config{
		Store: m, Machine: m, Runner: m, Observer: m, Clock: clock.System, NewID: repeatable.IDs(), Log: zerolog.Nop(),
	})
	runs := NewRuns(Config{Door: m.door, Store: m, Clock: clock.System, NewID: repeatable.IDs(), Log: zerolog.Nop()})
	m.loop = scheduler.NewLoop(m.door, &scheduler.Queue{Door: m.door, Waiters: m, Due: runs}, m, runs, nil)
	return m
}

func (m *minutely) start() {
	if err := m.loop.Start(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = m.loop.Stop(context.Background()) })
}

func (m *minutely) DueWork(_ context.Context, now time.Time, _ int, sweep bool) (*automation.DueWork, error) {
	m.mu.Lock()
	m.read = append(m.read, now)
	if m.away {
		m.mu.Unlock()
		return nil, errors.New("the database is away")
	}
	ref := domain.AutomationRef{WorkspaceID: "default", ID: m.order.ID}
	todo := &automation.DueWork{}
	if m.order.NextAt.After(now) {
		todo.Next = *m.order.NextAt
	} else {
		todo.Automations = []domain.AutomationRef{ref}
	}
	if sweep {
		m.sweep++
		todo.Due = []domain.AutomationRef{ref}
	}
	m.mu.Unlock()
	time.Sleep(m.reading)
	return todo, nil
}

func (m *minutely) DecideAutomation(
	ctx context.Context, _, _ string, decide func(context.Context, *automation.View) (*domain.Change, error),
) (*domain.Change, error) {
	time.Sleep(m.deciding)
	m.mu.Lock()
	v := &automation.View{
		View:       domain.View{Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}},
		Automation: m.order, Unended: []*domain.Session{{ID: "ses_0", Type: domain.Run}},
	}
	for _, row := range m.rows {
		v.LastScheduled = row.ScheduledAt
		if row.State == automation.OccurrenceDue {
			v.Due = append(v.Due, row)
		}
	}
	change, err := decide(ctx, v)
	if change == nil || err != nil {
		m.mu.Unlock()
		return change, err
	}
	m.store(change)
	m.mu.Unlock()
	m.door.Committed(change)
	return change, nil
}

func (m *minutely) store(change *domain.Change) {
	for _, write := range automation.Writes(change) {
		m.order = write.Automation
	}
	for _, row := range automation.Occurrences(change) {
		if last := len(m.rows) - 1; last >= 0 && m.rows[last].ID == row.ID {
			m.rows[last] = row
		} else {
			m.rows = append(m.rows, row)
		}
	}
}

func (m *minutely) WaitingLanes(context.Context, string) ([]string, error) {
	return []string{domain.LaneWorkspace}, nil
}

func (m *minutely) Waiters(context.Context, domain.LaneRef) (*domain.Waiters, error) {
	return &domain.Waiters{At: clock.System(), Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}}, nil
}

func (m *minutely) recorded() []*automation.Occurrence {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*automation.Occurrence(nil), m.rows...)
}

func (m *minutely) looks() []time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]time.Time(nil), m.read...)
}

func (m *minutely) swept() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sweep
}

func (m *minutely) back() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = false
}

func (m *minutely) Decide(
	context.Context, string, string, *domain.Session, func(context.Context, *domain.View) (*domain.Change, error),
) (*domain.Change, error) {
	m.t.Error("nothing is to be decided about a session")
	return nil, nil
}

// idle is a machine, a run loop and an observer to whom nothing comes.
type idle struct{}

func (idle) Run(*domain.Session, domain.Event, *domain.Policy) (*domain.Step, error) {
	return nil, errors.New("the machine is asked")
}
func (idle) Accepts(*domain.Session, domain.Event) error { return nil }
func (idle) Drive(*domain.View, domain.Effect)           {}
func (idle) Cut(string, int64, error)                    {}
func (idle) Yield(string)                                {}
func (idle) Drives(string) bool                          { return false }
func (idle) Asked(slot.Reason, bool)                     {}
func (idle) Waited(time.Duration, bool)                  {}
