package scheduler

import (
	"errors"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// What is set going after a decision was stored.
func TestAct(t *testing.T) {
	causes := func(c *Config) {
		c.Causes = Causes{Preempted: errors.New("preempted"), Interrupted: errors.New("interrupted"), Stopped: errors.New("stopped")}
	}
	working := func() *domain.View {
		me := chat("me", domain.CallingAI)
		return view(me, me)
	}
	for name, c := range map[string]struct {
		view    *domain.View
		request Request
		notes   []string
		looks   int
	}{
		"it runs": {view(chat("me", domain.Idle), nil), event(text("m")), []string{"asked slot_free true", "drive me call_ai"}, 0},
		"a chat at rest is displaced": {view(chat("me", domain.Idle), chat("other", domain.Idle)), event(text("m")),
			[]string{"cut other: preempted", "asked chat_switch true", "drive me call_ai"}, 0},
		"a run at work is displaced, and comes back": {view(chat("me", domain.Idle), run("other", domain.CallingAI)), event(text("m")),
			[]string{"cut other: preempted", "asked chat_preempts true", "drive me call_ai"}, 1},
		"it queues": {view(run("me", domain.ExecutingEnrichments), chat("other", domain.Idle)), event(domain.SessionActivationRequested{}),
			[]string{"asked holder_busy false", "cut me: interrupted"}, 1},
		"it queues, and the holder yields": {view(chat("me", domain.Idle), run("other", domain.ExecutingActions), actionRuns), event(text("m")),
			[]string{"asked action_runs false", "yield other"}, 1},
		"a message waits, the work continues": {working(), event(text("m")), []string{"asked holds_it_already true"}, 0},
		"the work is stopped":                 {working(), event(domain.StopRequested{By: "me"}), []string{"cut me: interrupted"}, 1},
		"nothing happens":                     {working(), event(nil), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.view, causes)
			if _, err := w.door.Deliver(t.Context(), c.request); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(w.notes, c.notes) {
				t.Errorf("%q, want %q", w.notes, c.notes)
			}
			if looks := w.looks(); looks != c.looks {
				t.Errorf("%d looks were asked for, want %d", looks, c.looks)
			}
		})
	}
}

// TestARunThatEndsIsLookedAfter verifies that a run that ends because its slot is taken is handled like any other.
func TestARunThatEndsIsLookedAfter(t *testing.T) {
	me := run("me", domain.CallingAI)
	w := newWorld(t, view(me, me))
	if _, err := w.door.Deliver(t.Context(), event(domain.StopRequested{})); err != nil {
		t.Fatal(err)
	}
	if ended := w.door.wakeups.takeEnded(); len(ended) != 1 || ended[0].ID != "me" {
		t.Errorf("%v has ended", ended)
	}
}

// A model that was not called before is looked up outside of the transaction, once.
func TestAnUnknownModelIsLookedUpFirst(t *testing.T) {
	for name, r := range map[string]func(w *world) Request{
		"a session": func(*world) Request { return event(text("m")) },
		"a run": func(w *world) Request {
			w.automation = &automation.View{View: *view(nil, nil), Automation: &automation.Automation{ID: "aut"}}
			begins := Plan{Run: &NewRun{Session: run("new", domain.ExecutingEnrichments)}}
			return PlanRequest{Target{Workspace: "ws"}, "aut", planned{plan: begins}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, view(chat("me", domain.Idle), nil))
			w.models, w.door.cfg.Models = map[string]bool{}, w
			if _, err := w.door.Deliver(t.Context(), r(w)); err != nil {
				t.Fatal(err)
			}
			if w.notes[0] != `learn ""` || len(w.changes) != 1 {
				t.Errorf("%q, and %d changes", w.notes, len(w.changes))
			}
		})
	}
}

// What cannot be stored sets nothing going.
func TestWhatIsNotStoredDoesNothing(t *testing.T) {
	w := newWorld(t, view(chat("me", domain.Idle), nil))
	w.failing = domain.Errorf(domain.CodeUnavailable, "no database")
	if _, err := w.door.Deliver(t.Context(), event(text("m"))); !errors.Is(err, w.failing) || len(w.notes) != 0 {
		t.Errorf("%v, %q", err, w.notes)
	}
}

// A refusal that is one value for all shows each their own session, never another's.
func TestARefusalShowsNoSessionOfOthers(t *testing.T) {
	shared := domain.Errorf(domain.CodeMessagePlaced, "It is in its place.")
	for _, id := range []string{"mine", "theirs"} {
		w := newWorld(t, view(chat(id, domain.Idle), nil))
		_, err := w.door.Deliver(t.Context(), refused{why: shared})
		e, ok := errors.AsType[*domain.Error](err)
		if !ok || e.Session == nil || e.Session.ID != id || !errors.Is(err, shared) {
			t.Errorf("%s is shown %+v", id, e.Session)
		}
	}
	if shared.Session != nil {
		t.Error("the shared refusal was written to")
	}
}

// A run begins in the log behind what makes room for it, and before its own events; what
// the plan writes beside comes last.
func TestAPlanWithARun(t *testing.T) {
	v := &automation.View{View: *view(nil, chat("other", domain.Idle, func(s *domain.Session) { s.LastEventTime = noon.Add(-3600e9) })),
		Automation: &automation.Automation{ID: "aut"}}
	fired := &domain.Change{WorkspaceID: "ws"}
	fired.Emit(domain.LogEvent{Type: domain.LogOccurrence})
	begins := Plan{Run: &NewRun{Session: run("new", domain.ExecutingEnrichments), Messages: []*domain.Message{{ID: "m"}}}, Change: fired}
	d, err := noonRules().decidePlan(v, PlanRequest{Planner: planned{plan: begins}}, false)
	if err != nil {
		t.Fatal(err)
	}
	same(t, describe(d), "holder_inactive; other IDLE claimed; new EXECUTING_ENRICHMENTS made claimed slot; -> enrich")
	var log []string
	for _, e := range d.change.Events {
		log = append(log, e.SessionID+" "+string(e.Type))
	}
	want := []string{
		"other session.phase", "other session.status", "new session.created", "new message.created", "new session.phase", "new session.status",
		" slot.changed", " occurrence.recorded",
	}
	if !slices.Equal(log, want) || d.change.Messages[0].ID != "m" {
		t.Errorf("the log is %q, want %q", log, want)
	}
}

// A plan without a run only writes; the zero plan does not even that.
func TestAPlanWithoutARun(t *testing.T) {
	w := newWorld(t, nil)
	w.automation = &automation.View{View: *view(nil, nil), Automation: &automation.Automation{ID: "aut"}}
	for _, plan := range []Plan{{}, {Change: &domain.Change{WorkspaceID: "ws"}}} {
		w.changes = nil
		o, err := w.door.Deliver(t.Context(), PlanRequest{Target: Target{Workspace: "ws"}, Planner: planned{plan: plan}})
		if err != nil || o.Session != nil || o.Seq() != 0 || len(w.notes) != 0 {
			t.Errorf("%+v, %v, %q", o, err, w.notes)
		}
		if stored := len(w.changes) == 1; stored != (plan.Change != nil) {
			t.Errorf("%d changes were stored", len(w.changes))
		}
	}
	refusal := errors.New("no")
	if _, err := w.door.Deliver(t.Context(), PlanRequest{Planner: planned{why: refusal}}); !errors.Is(err, refusal) {
		t.Error(err)
	}
}

// A scheduled run that does not get the slot at once is not made at all.
func TestARunThatIsOnTimeOrNotAtAll(t *testing.T) {
	v := view(nil, run("other", domain.CallingAI))
	_, err := noonRules().begin(v, NewRun{Session: run("new", domain.ExecutingEnrichments), OnTime: true}, true)
	if !errors.Is(err, ErrSlotTaken) {
		t.Errorf("it is made: %v", err)
	}
	d, err := noonRules().begin(v, NewRun{Session: run("new", domain.ExecutingEnrichments)}, true)
	if err != nil {
		t.Fatal(err)
	}
	same(t, describe(d), "holder_busy; new EXECUTING_ENRICHMENTS made claimed queued; +new:0 holder_busy")
}

// calling: the session has the slot, and its call begins.
func calling(s *domain.Session) { s.HoldsSlot, s.State.CallSince = true, noon }

// TestNews covers the handling of committed changes, hints of other nodes, and sessions that come to rest.
func TestNews(t *testing.T) {
	soon := noon.Add(1e9)
	for name, c := range map[string]struct {
		news  func(d *Door)
		looks int
		wakes bool
	}{
		"a timer": {func(d *Door) {
			d.Committed(&domain.Change{Sessions: []domain.SessionWrite{{Session: chat("a", domain.Idle, wakeAt(soon))}}})
		}, 0, true},
		"of a deleted session": {func(d *Door) {
			d.Committed(&domain.Change{Sessions: []domain.SessionWrite{{Session: chat("a", domain.Idle, wakeAt(soon)), Delete: true}}})
		}, 0, false},
		"a schedule": {func(d *Door) {
			d.Committed(&domain.Change{Rows: []domain.Row{automation.Write{Automation: &automation.Automation{NextAt: &soon}}}})
		}, 0, true},
		"a rest without the slot": {func(d *Door) { d.Rested(chat("a", domain.Idle)) }, 1, false},
		"a rest with it, without waiters": {
			func(d *Door) { d.Rested(chat("a", domain.Idle, func(s *domain.Session) { s.HoldsSlot = true })) },
			0, false,
		},
		"a rest with it, with waiters": {func(d *Door) {
			d.wakeups.waits(lane)
			d.Rested(chat("a", domain.Idle, func(s *domain.Session) { s.HoldsSlot = true }))
		}, 1, false},
		"a call begins, with waiters": {func(d *Door) {
			d.wakeups.waits(lane)
			d.Committed(&domain.Change{Sessions: []domain.SessionWrite{{Session: chat("a", domain.CallingAI, calling)}}})
		}, 1, false},
		"a call begins, no waiters": {func(d *Door) {
			d.Committed(&domain.Change{Sessions: []domain.SessionWrite{{Session: chat("a", domain.CallingAI, calling)}}})
		}, 0, false},
		"a queue elsewhere":            {func(d *Door) { d.HandleHint(domain.Hint{WorkspaceID: "ws", Queue: true}) }, 1, false},
		"a slot elsewhere, no waiters": {func(d *Door) { d.HandleHint(domain.Hint{WorkspaceID: "ws", Slot: true}) }, 0, false},
		"a slot elsewhere, with waiters": {func(d *Door) {
			d.wakeups.waits(lane)
			d.HandleHint(domain.Hint{WorkspaceID: "ws", Slot: true})
		}, 1, false},
		"a timer elsewhere": {func(d *Door) { d.HandleHint(domain.Hint{WorkspaceID: "ws", WakeAt: &soon}) }, 0, true},
		"a look":            {func(d *Door) { d.Look("ws") }, 1, false},
	} {
		d := newWorld(t, nil).door
		c.news(d)
		far := noon.Add(3600e9)
		if looks := len(d.wakeups.dueLooks(noon.Add(1e9))); looks != c.looks {
			t.Errorf("%s: %d looks, want %d", name, looks, c.looks)
		}
		if wakes := d.wakeups.next(far).Before(far); wakes != c.wakes {
			t.Errorf("%s: a timer is set: %v", name, wakes)
		}
	}
}
