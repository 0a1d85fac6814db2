package scheduler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/clock"
)

// office is the database and the automations around a loop, in virtual time.
type office struct {
	*world
	loop *Loop

	mu      sync.Mutex
	work    automation.DueWork
	swept   automation.DueWork // found by a sweep only
	waiters domain.Waiters
	reads   []time.Time
	sweeps  []time.Time
	calls   []string
	err     error // of automations
	away    bool
}

func newOffice(t *testing.T, v *domain.View) *office {
	o := &office{world: newWorld(t, v, func(c *Config) { c.Clock, c.Log = clock.System, zerolog.Nop() })}
	o.waiters = domain.Waiters{Workspace: &domain.Workspace{ID: "ws", Settings: domain.DefaultSettings()}}
	o.loop = NewLoop(o.door, &Queue{Door: o.door, Waiters: o, Due: o}, o, o, nil)
	return o
}

// runs starts the loop in a bubble, and stops it in the end.
func (o *office) runs(t *testing.T) {
	if err := o.loop.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.loop.Stop(context.Background()) })
	synctest.Wait()
}

func (o *office) DueWork(_ context.Context, now time.Time, _ int, sweep bool) (*automation.DueWork, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reads = append(o.reads, now)
	if o.away {
		return nil, errors.New("the database is away")
	}
	work := o.work
	if sweep {
		o.sweeps = append(o.sweeps, now)
		work.Waiting, work.Watching, work.Failing, work.Due = o.swept.Waiting, o.swept.Watching, o.swept.Failing, o.swept.Due
	}
	o.work = automation.DueWork{}
	return &work, nil
}

func (o *office) WaitingLanes(context.Context, string) ([]string, error) {
	return []string{lane.Lane}, nil
}

func (o *office) Waiters(context.Context, domain.LaneRef) (*domain.Waiters, error) {
	w := o.waiters
	w.At = time.Now()
	o.called("waiters")
	return &w, o.err
}

func (o *office) called(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, what)
}

func (o *office) RecordOccurrences(context.Context, domain.AutomationRef) error {
	o.called("record")
	return o.err
}
func (o *office) SettleOverlap(context.Context, domain.AutomationRef)    { o.called("settle") }
func (o *office) DisableIfFailing(context.Context, domain.AutomationRef) { o.called("failing") }
func (o *office) StartByEntries(context.Context, string) error {
	o.called("entries")
	return o.err
}
func (o *office) StartDue(context.Context, domain.LaneRef) error {
	o.called("due")
	return o.err
}

// taken are the calls since the last time.
func (o *office) taken() []string {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	calls := o.calls
	o.calls = nil
	return calls
}

// read is when it was asked what is due.
func (o *office) read() []time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.reads)
}

// Everything that can come due is done by the loop, each by whom it concerns.
func TestWhatTheLoopDoes(t *testing.T) {
	ref := domain.AutomationRef{WorkspaceID: "ws", ID: "aut"}
	for name, c := range map[string]struct {
		work, swept automation.DueWork
		news        func(d *Door)
		want        []string
	}{
		"an automation is due":     {work: automation.DueWork{Automations: []domain.AutomationRef{ref}}, want: []string{"record"}},
		"with waiters":             {swept: automation.DueWork{Waiting: []string{"ws"}}, want: []string{"waiters"}},
		"an occurrence has waited": {swept: automation.DueWork{Due: []domain.AutomationRef{ref}}, want: []string{"settle"}},
		"many runs have failed":    {swept: automation.DueWork{Failing: []domain.AutomationRef{ref}}, want: []string{"failing"}},
		"events were not seen":     {swept: automation.DueWork{Watching: []domain.AutomationRef{ref}}, want: []string{"entries"}},
		"a run has ended":          {news: func(d *Door) { d.Rested(run("r", domain.Completed)) }, want: []string{"failing", "waiters"}},
		"entries were made": {news: func(d *Door) {
			d.Committed(&domain.Change{WorkspaceID: "ws", Events: []*domain.LogEvent{
				{Type: domain.LogDataChanged, Change: &domain.DataChange{Noun: "entry", Operation: "created"}},
			}})
		}, want: []string{"entries"}},
		"a zone was made": {news: func(d *Door) {
			d.Committed(&domain.Change{WorkspaceID: "ws", Events: []*domain.LogEvent{
				{Type: domain.LogDataChanged, Change: &domain.DataChange{Noun: "zone", Operation: "created"}},
			}})
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, nil)
			o.work, o.swept = c.work, c.swept
			if c.news != nil {
				c.news(o.door)
			}
			o.runs(t)
			if got := o.taken(); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// TestSweeps verifies that all workspaces are swept every five minutes, and at once on request.
func TestSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, nil)
		begun := time.Now()
		o.runs(t)
		time.Sleep(7 * time.Minute)
		o.door.Sweep()
		synctest.Wait()
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		var got []time.Duration
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, at := range o.sweeps {
			got = append(got, at.Sub(begun))
		}
		if want := []time.Duration{0, 5 * time.Minute, 7 * time.Minute, 12 * time.Minute}; !slices.Equal(got, want) {
			t.Errorf("it swept after %v, want %v", got, want)
		}
	})
}

// Nothing is polled: between the times that are known, nothing is read.
func TestNothingIsPolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, nil)
		o.work.Next = time.Now().Add(90 * time.Second)
		o.runs(t)
		time.Sleep(89 * time.Second)
		synctest.Wait()
		if len(o.read()) != 1 {
			t.Errorf("it was read %d times before anything was due", len(o.read()))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(o.read()) != 2 {
			t.Errorf("it was read %d times when something was due", len(o.read()))
		}
	})
}

// What could not be read or recorded is tried again after two seconds.
func TestTheLoopTriesAgain(t *testing.T) {
	ref := domain.AutomationRef{WorkspaceID: "ws", ID: "aut"}
	for name, c := range map[string]struct {
		breaks, repairs func(o *office)
		reads           int
	}{
		"the database was away": {func(o *office) { o.away = true }, func(o *office) { o.away = false }, 2},
		"nothing was recorded": {func(o *office) {
			o.work.Automations, o.err = []domain.AutomationRef{ref}, errors.New("no")
		}, func(o *office) { o.err = nil }, 2},
		"it is not there any more": {func(o *office) {
			o.work.Automations, o.err = []domain.AutomationRef{ref}, domain.NotFound("automation")
		}, func(o *office) { o.err = nil }, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, nil)
			c.breaks(o)
			o.runs(t)
			o.mu.Lock()
			c.repairs(o)
			o.mu.Unlock()
			time.Sleep(time.Minute)
			synctest.Wait()
			if len(o.read()) != c.reads || c.reads == 2 && o.read()[1].Sub(o.read()[0]) != retryLook {
				t.Errorf("%s: it was read at %v", name, o.read())
			}
		})
	}
}

// A full batch is not the end: the rest is read at once.
func TestAFullBatchIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, nil)
		o.work.Automations = make([]domain.AutomationRef, dueBatch)
		o.runs(t)
		if len(o.read()) != 2 || len(o.taken()) != dueBatch {
			t.Errorf("it was read %d times", len(o.read()))
		}
	})
}

// RunOnce does all that is due, and what comes due by that.
func TestRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := run("me", domain.CallingAI)
		o := newOffice(t, view(me, me))
		o.work.Automations = []domain.AutomationRef{{WorkspaceID: "ws", ID: "aut"}}
		o.door.wakeups.runEnded(me)
		o.door.Look("ws")
		if err := o.loop.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := o.taken(); !slices.Equal(got, []string{"record", "failing", "waiters"}) {
			t.Errorf("%q", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := o.loop.RunOnce(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// A heartbeat comes to a session whose time has come, unless another node was quicker;
// only who performs a suspect can say that it lives.
func TestHeartbeat(t *testing.T) {
	entered := noon.Add(-time.Hour)
	suspect := func(s *domain.Session) {
		s.State.Suspicion = domain.Suspicion{Deaths: 2, EnteredAt: entered}
		s.WakeAt = s.State.Suspicion.ClearedAt(domain.Caution{})
	}
	for name, c := range map[string]struct {
		session *domain.Session
		driven  bool
		comes   bool
	}{
		"its time has come":               {chat("me", domain.CallingAI, wakeAt(noon)), false, true},
		"it is performed here":            {chat("me", domain.CallingAI, wakeAt(noon)), true, true},
		"its time has not come":           {chat("me", domain.CallingAI, wakeAt(noon.Add(1))), false, false},
		"it has none any more":            {chat("me", domain.CallingAI), false, false},
		"a suspect, performed here":       {chat("me", domain.CallingAI, suspect), true, true},
		"a suspect, performed by another": {chat("me", domain.CallingAI, suspect), false, false},
	} {
		w := newWorld(t, view(c.session, c.session))
		w.drives = c.driven
		e, err := heartbeatRequest{}.event(w.view, w.door.rules().moment)
		if (err == nil) != c.comes || err != nil && !errors.Is(err, errNothingToDo) {
			t.Errorf("%s: %v", name, err)
		}
		if beat, ok := e.(domain.SchedulerHeartbeat); c.comes && (!ok || beat.Driven != c.driven) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestWakeSessions verifies that a session already woken by another node is no error, and that a failed wake-up is
// retried.
func TestWakeSessions(t *testing.T) {
	for name, c := range map[string]struct {
		session *domain.Session
		failing error
		want    bool
	}{
		"it is woken":         {chat("me", domain.Idle, wakeAt(noon)), nil, true},
		"another was quicker": {chat("me", domain.Idle), nil, true},
		"it is gone":          {chat("me", domain.Idle, wakeAt(noon)), domain.NotFound("session"), true},
		"it has ended":        {run("me", domain.Completed, wakeAt(noon)), domain.Errorf(domain.CodeSessionEnded, "ended"), true},
		"no database":         {chat("me", domain.Idle, wakeAt(noon)), domain.Errorf(domain.CodeUnavailable, "no database"), false},
	} {
		w := newWorld(t, view(c.session, nil))
		w.failing = c.failing
		if got := NewLoop(w.door, nil, nil, nil, nil).wakeSessions(t.Context(), []domain.SessionRef{{WorkspaceID: "ws", SessionID: "me"}}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
