package scheduler

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Who comes next asks for the slot under the locks, as it is then.
func TestGrantNext(t *testing.T) {
	for name, c := range map[string]struct {
		choose func(o *office)
		again  time.Duration // 0: no session keeps waiting
		notes  []string
		calls  []string
	}{
		"no waiters": {func(*office) {}, 0, nil, []string{"waiters"}},
		"the next one gets it": {func(o *office) {
			o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session, Since: time.Now().Add(-time.Minute)}}
		}, 0, []string{"asked slot_free true", "drive me enrich", "waited 1m0s false"}, []string{"waiters"}},
		"another was faster": {func(o *office) {
			o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session, Since: time.Now().Add(-time.Minute)}}
			o.view.Holder = chat("other", domain.CallingAI)
		}, retryLook, nil, []string{"waiters"}},
		"it cannot be stored": {func(o *office) {
			o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session}}
			o.failing = errors.New("no database")
		}, retryLook, nil, []string{"waiters"}},
		"it has ended": {func(o *office) {
			o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: run("me", domain.ExecutingEnrichments)}}
			o.view = view(run("me", domain.Completed), nil)
		}, retryLook, nil, []string{"waiters"}},
		"what is due starts": {func(o *office) { o.waiters.DueSince = time.Now() }, 0, nil, []string{"waiters", "due"}},
		"the holder rests": {func(o *office) {
			o.waiters.Holder = chat("other", domain.Idle, func(s *domain.Session) { s.LastEventTime = time.Now() })
			o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session, Since: time.Now()}}
		}, 5 * time.Minute, nil, []string{"waiters"}},
		"it cannot be read":     {func(o *office) { o.err = errors.New("no database") }, retryLook, nil, []string{"waiters"}},
		"the workspace is gone": {func(o *office) { o.err = domain.NotFound("workspace") }, 0, nil, []string{"waiters"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, view(run("me", domain.ExecutingEnrichments), nil))
			c.choose(o)
			at, again := o.loop.queue.grantNext(t.Context(), lane)
			if again != (c.again != 0) || again && at.Sub(time.Now()) != c.again {
				t.Errorf("%s: again %v, in %s, want %s", name, again, at.Sub(time.Now()), c.again)
			}
			if !slices.Equal(o.notes, c.notes) || !slices.Equal(o.taken(), c.calls) {
				t.Errorf("%s: %q, %q", name, o.notes, o.calls)
			}
		})
	}
}

// TestSafePoint verifies that a driver at a safe point yields to a waiting session, and gets the time of the next
// check.
func TestSafePoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		holder := run("other", domain.CallingAI)
		o := newOffice(t, view(chat("me", domain.Idle), holder))
		o.waiters.Holder = holder
		o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session, Since: time.Now().Add(-time.Second)}}
		o.view.Queue = o.waiters.Queue
		o.loop.queue.SafePoint(t.Context(), holder)
		want := []string{"cut other: <nil>", "asked chat_preempts true", "waited 1s true"}
		if !slices.Equal(o.notes, want) {
			t.Errorf("%q, want %q", o.notes, want)
		}
	})
}

// Suspects that must be alone are held back while another one is being performed; who
// stands behind them need not wait for that.
func TestHoldBack(t *testing.T) {
	o := newWorld(t, nil)
	alone := func(at time.Time) *domain.Session {
		return chat("me", domain.CallingAI, func(s *domain.Session) { s.State.Suspicion = domain.Suspicion{Deaths: 3, ReenterAt: at} })
	}
	for name, c := range map[string]struct {
		session *domain.Session
		other   bool
		want    time.Duration // -1: it is not held back
	}{
		"its time has come":            {alone(noon), false, -1},
		"another one is performed":     {alone(noon), true, retryLook},
		"its time has not come":        {alone(noon.Add(time.Minute)), false, time.Minute},
		"two deaths need not be alone": {chat("me", domain.CallingAI, aside(noon)), true, -1},
		"no suspect":                   {chat("me", domain.CallingAI), true, -1},
	} {
		if o.door.probation.until = map[string]time.Time{}; c.other {
			o.door.probation.until["other"] = noon.Add(time.Minute)
		}
		w := &domain.Waiters{Queue: []domain.QueueRow{{SessionID: "me", Session: c.session}, {SessionID: "unread"}}}
		o.door.holdBack(w, noon)
		held := w.Queue[0].NotBefore
		if (held != nil) != (c.want != -1) || held != nil && held.Sub(noon) != c.want {
			t.Errorf("%s: until %v", name, held)
		}
	}
}

// Which suspects are being performed is known of what is committed.
func TestProbation(t *testing.T) {
	p := probation{until: map[string]time.Time{}}
	suspect := chat("me", domain.CallingAI, func(s *domain.Session) {
		s.HoldsSlot, s.State.Suspicion = true, domain.Suspicion{Deaths: 3, EnteredAt: noon}
	})
	note := func(s *domain.Session) { p.note(&domain.Change{Sessions: []domain.SessionWrite{{Session: s}}}) }
	note(suspect)
	if !p.others("other", noon) || p.others("me", noon) {
		t.Error("it is performed, and not known")
	}
	if p.others("other", noon.Add(time.Hour)) {
		t.Error("the process has survived it long ago")
	}
	rested := suspect.Clone()
	rested.HoldsSlot = false
	if note(rested); p.others("other", noon) {
		t.Error("it has given the slot up")
	}
}

// A process that stops in good order clears the suspects that it has set aside.
func TestAbsolve(t *testing.T) {
	me := chat("me", domain.CallingAI, aside(noon.Add(time.Minute)))
	w := newWorld(t, view(me, nil, queued(me), func(v *domain.View) { v.Queue[0].Reason = domain.QueuedSuspect }))
	if err := w.door.absolve(t.Context(), domain.SessionRef{WorkspaceID: "ws", SessionID: "me"}); err != nil {
		t.Fatal(err)
	}
	change := w.changes[0]
	if s := change.Session("me"); s.State.Suspicion != (domain.Suspicion{}) || change.Enqueue[0].Reason != domain.QueuedInTurn {
		t.Errorf("%+v, %+v", s.State.Suspicion, change.Enqueue)
	}
	w = newWorld(t, view(chat("me", domain.CallingAI), nil))
	if err := w.door.absolve(t.Context(), domain.SessionRef{}); !errors.Is(err, errNothingToDo) {
		t.Errorf("nothing is held against it: %v", err)
	}
}

// A session's time that was set while the due work was read is not forgotten, and the
// earliest of all counts.
func TestWakeups(t *testing.T) {
	w := newWakeups()
	a, b := domain.LaneRef{Workspace: "ws", Lane: "a"}, domain.LaneRef{Workspace: "ws", Lane: "b"}
	w.look(a, noon.Add(time.Minute))
	w.look(a, noon.Add(time.Hour))
	w.look(b, noon)
	if due := w.dueLooks(noon); !slices.Equal(due, []domain.LaneRef{b}) {
		t.Errorf("%q are due", due)
	}
	if next := w.next(noon.Add(time.Hour)); !next.Equal(noon.Add(time.Minute)) {
		t.Errorf("next is %s", next)
	}
	w.timer(noon.Add(time.Second))
	if w.note(noon.Add(2*time.Second)) || w.note(time.Time{}) || !w.note(noon) {
		t.Error("the earliest time does not count")
	}
	if due, sweeps := w.begin(noon, false); !due || sweeps {
		t.Errorf("%v, %v", due, sweeps)
	}
	w.retry(noon, true)
	if due, sweeps := w.begin(noon.Add(retryLook), false); !due || !sweeps {
		t.Errorf("a sweep that failed is made up for: %v, %v", due, sweeps)
	}
	if due, sweeps := w.begin(noon.Add(time.Hour), false); due || sweeps {
		t.Errorf("once: %v, %v", due, sweeps)
	}
	w.sweep()
	if !w.takeSweep() || w.takeSweep() {
		t.Error("a sweep is asked for once")
	}
	w.entriesMade("a")
	w.entriesMade("a")
	if len(w.takeEntries()) != 1 || len(w.takeEntries()) != 0 {
		t.Error("a workspace is looked at once")
	}
	w.runEnded(run("r", domain.Completed))
	if !w.anyEnded() || len(w.takeEnded()) != 1 || w.anyEnded() {
		t.Error("a run is looked after once")
	}
}
