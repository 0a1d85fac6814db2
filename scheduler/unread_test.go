package scheduler

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
)

// logged sends a world's log into a buffer.
func logged(w *world) *bytes.Buffer {
	var log bytes.Buffer
	w.door.cfg.Log = zerolog.New(&log)
	return &log
}

// A driver is given what waits without that which the decision has taken from it.
func TestTheDriverIsGivenWhatStillWaits(t *testing.T) {
	w := newWorld(t, nil)
	me := chat("me", domain.CallingAI)
	v := view(me, me, func(v *domain.View) {
		v.Inbox = []*domain.InboxItem{waitingItem("a", 1), waitingItem("b", 1), waitingItem("c", 1)}
	})
	var given []string
	w.door.cfg.Runner = driven{w, func(v *domain.View) {
		for _, item := range v.Inbox {
			given = append(given, item.ID)
		}
	}}
	w.door.drive(decision{
		view: v, step: &domain.Step{Session: me, Effect: domain.DoCallAI}, change: &domain.Change{InboxDone: []string{"inb_b"}},
	})
	if !slices.Equal(given, []string{"inb_a", "inb_c"}) || len(v.Inbox) != 3 {
		t.Errorf("given was %q, and what was read has %d", given, len(v.Inbox))
	}
}

// driven shows each view that is driven.
type driven struct {
	Runner
	shown func(*domain.View)
}

func (d driven) Drive(v *domain.View, _ domain.Effect) { d.shown(v) }

// What is refused late, after the machine has decided, is refused whole.
func TestWhatIsRefusedLate(t *testing.T) {
	no := domain.Errorf(domain.CodeConflict, "no")
	full := make([]*domain.InboxItem, domain.MaxWaiting)
	for i := range full {
		full[i] = waitingItem("x", 1)
	}
	working := func(change func(*domain.View)) *domain.View { return view(chat("me", domain.CallingAI), nil, change) }
	also := refused{EventRequest: EventRequest{Event: text("m")}, late: no}
	for name, c := range map[string]struct {
		view    *domain.View
		request Request
		want    domain.Code
	}{
		"what is written beside": {view(chat("me", domain.Idle), nil), also, domain.CodeConflict},
		"so many messages wait": {
			working(func(v *domain.View) { v.Session.HoldsSlot, v.Holder, v.Inbox = true, v.Session, full }), event(text("m")), domain.CodeQueueFull,
		},
		"what waits was not read in full": {
			view(chat("me", domain.Idle), nil, func(v *domain.View) { v.InboxBrief = true }), event(text("m")),
			domain.ErrorCode(domain.ErrInboxBrief),
		},
		"the machine takes no such event": {view(run("me", domain.Completed), nil), event(domain.RoundRequested{}), domain.CodeSessionEnded},
		"nor one that needs no slot":      {view(run("me", domain.Completed), nil), event(domain.StopRequested{}), domain.CodeSessionEnded},
	} {
		w := newWorld(t, c.view)
		if _, err := w.door.Deliver(t.Context(), c.request); err == nil || domain.ErrorCode(err) != c.want || len(w.changes)+len(w.notes) != 0 {
			t.Errorf("%s: %v, %d changes, %q", name, err, len(w.changes), w.notes)
		}
	}
}

// broken is a machine that takes events and fails at some.
type broken struct {
	pure
	at  string
	err error
}

func (b broken) Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	if e.Name() == b.at {
		return nil, b.err
	}
	return b.pure.Run(s, e, p)
}

// Wherever the machine fails in a decision of several steps, nothing of it is stored.
func TestAMachineThatFails(t *testing.T) {
	failure := errors.New("a bug")
	for name, c := range map[string]struct {
		view    *domain.View
		request Request
		at      string
	}{
		"the holder is suspended": {view(chat("me", domain.Idle), run("other", domain.CallingAI)), event(text("m")), "SessionSuspended"},
		"the holder is evicted": {
			view(run("me", domain.ExecutingEnrichments), chat("other", domain.Idle, longAgo)), event(domain.SessionActivationRequested{}),
			"SessionEvicted",
		},
		"it takes the event":       {view(chat("me", domain.Idle), nil), event(text("m")), "UserMessageSent"},
		"it is re-entered":         {view(chat("me", domain.CallingAI, suspended), nil), event(text("m")), "SessionActivationRequested"},
		"the event joins it there": {view(chat("me", domain.CallingAI, suspended), nil), event(text("m")), "UserMessageSent"},
		"the event waits in the queue": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI), polite), event(text("m")), "UserMessageSent",
		},
		"it needs no slot": {view(chat("me", domain.CallingAI), nil), event(domain.StopRequested{}), "StopRequested"},
	} {
		w := newWorld(t, c.view, func(cfg *Config) { cfg.Machine = broken{at: c.at, err: failure} })
		if _, err := w.door.Deliver(t.Context(), c.request); !errors.Is(err, failure) || len(w.changes)+len(w.notes) != 0 {
			t.Errorf("%s: %v, %d changes, %q", name, err, len(w.changes), w.notes)
		}
	}
}

func longAgo(s *domain.Session) { s.LastEventTime = noon.Add(-time.Hour) }

// A message that cannot be stored is refused to its sender, with nothing half done.
func TestAMessageThatIsRefused(t *testing.T) {
	rich, by := domain.RichContent{LinearText: "Hello."}, domain.Author{ID: "ann"}
	for name, do := range map[string]func(*Messages) error{
		"sent": func(m *Messages) error {
			_, err := m.SendMessage(t.Context(), "ws", "me", domain.NewMessage{Rich: rich, By: by})
			return err
		},
		"edited": func(m *Messages) error {
			_, err := m.EditMessage(t.Context(), "ws", "me", "msg_a", rich, by)
			return err
		},
		"withdrawn": func(m *Messages) error { _, err := m.WithdrawMessage(t.Context(), "ws", "me", "msg_a"); return err },
	} {
		w := newWorld(t, view(chat("me", domain.Idle), nil))
		w.failing = errAway
		if err := do(w.messages()); !errors.Is(err, errAway) || len(w.notes) != 0 {
			t.Errorf("%s: %v, %q", name, err, w.notes)
		}
	}
	if stored(&domain.Change{}, "msg") != nil {
		t.Error("a change that brings no message has one")
	}
}

// What the loop could not do is logged with whom it concerns, and not while it stops.
func TestTheLoopReportsFailures(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(context.Context, *office)
		want string
	}{
		"a timer": {func(ctx context.Context, o *office) {
			o.failing = errAway
			o.loop.wakeSessions(ctx, []domain.SessionRef{{WorkspaceID: "ws", SessionID: "me"}})
		}, `"session":"me"`},
		"occurrences": {func(ctx context.Context, o *office) {
			o.err = errAway
			o.loop.recordOccurrences(ctx, []domain.AutomationRef{{WorkspaceID: "ws", ID: "aut"}})
		}, `"automation":"aut"`},
		"entries": {func(ctx context.Context, o *office) {
			o.err = errAway
			o.door.wakeups.entriesMade("ws")
			o.loop.lookForEntries(ctx)
		}, `"workspace":"ws"`},
		"what is due": {func(ctx context.Context, o *office) {
			o.err = errAway
			o.loop.queue.startDue(ctx, lane)
		}, `"workspace":"ws"`},
	} {
		for _, stops := range []bool{false, true} {
			o := newOffice(t, view(chat("me", domain.Idle), nil))
			log := logged(o.world)
			ctx, stop := context.WithCancel(t.Context())
			if stops {
				stop()
			}
			c.do(ctx, o)
			stop()
			if got := strings.Contains(log.String(), c.want); got == stops {
				t.Errorf("%s, stopping %v: %s", name, stops, log)
			}
		}
	}
}

// What is due and could not be started is looked at again, a little later.
func TestWhatIsDueIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, nil)
		o.waiters.DueSince = time.Now()
		o.runs(t)
		o.taken()
		o.loop.queue.Due = failsOnce{o, new(int)}
		o.door.Look("ws")
		if calls := o.taken(); !slices.Equal(calls, []string{"waiters"}) {
			t.Errorf("at first: %q", calls)
		}
		time.Sleep(retryLook + time.Millisecond)
		if calls := o.taken(); !slices.Equal(calls, []string{"waiters", "due"}) {
			t.Errorf("and again: %q", calls)
		}
		time.Sleep(time.Minute)
		if calls := o.taken(); slices.Contains(calls, "due") {
			t.Errorf("and then: %q", calls)
		}
	})
}

// failsOnce starts nothing the first time.
type failsOnce struct {
	*office
	tries *int
}

func (f failsOnce) StartDue(ctx context.Context, lane domain.LaneRef) error {
	if *f.tries++; *f.tries == 1 {
		return errAway
	}
	return f.office.StartDue(ctx, lane)
}

// TestARecoveryThatCannotRead verifies that a recovery whose read fails changes nothing, logs the error, and takes
// nothing up.
func TestARecoveryThatCannotRead(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*registry, *LeaseManager)
		want string
	}{
		"who has no driver": {func(r *registry, k *LeaseManager) { k.recoverOnce(t.Context()) }, "could not look for sessions without a driver"},
		"who was let go": {func(r *registry, k *LeaseManager) {
			k.lapsed, k.until = true, time.Now().Add(time.Hour)
			k.recoverOwn(t.Context())
		}, "could not look for the sessions that were let go"},
		"who stands aside": {func(r *registry, k *LeaseManager) { k.absolve(t.Context()) }, "sessions that stand aside could not be cleared"},
	} {
		r, k, recovered := newLeaseManager(t, working())
		var log bytes.Buffer
		k.Log, r.err = zerolog.New(&log), errAway
		c.do(r, k)
		if !strings.Contains(log.String(), c.want) || *recovered != 0 || len(r.changes) != 0 {
			t.Errorf("%s: %s, %d recovered", name, log.String(), *recovered)
		}
	}
	r, k, recovered := newLeaseManager(t, working())
	var log bytes.Buffer
	k.Log, r.failing, r.claimable = zerolog.New(&log), errAway, [][]domain.SessionRef{refs(2)}
	k.recoverOnce(t.Context())
	if n := strings.Count(log.String(), "a session could not be taken up"); n != 2 || *recovered != 0 {
		t.Errorf("%d were reported, %d recovered", n, *recovered)
	}
}

// Sessions that were let go are taken up only while the lease is held, once, and not those
// that this process still drives.
func TestWhoWasLetGoIsTakenUp(t *testing.T) {
	for name, c := range map[string]struct {
		lapsed, drives bool
		until          time.Duration
		recovered      int
		left           bool // it looks for them again
	}{
		"none was released":        {false, false, time.Hour, 0, false},
		"the lease is not back":    {true, false, -time.Second, 0, true},
		"the lease is back":        {true, false, time.Hour, 1, false},
		"this process drives them": {true, true, time.Hour, 0, false},
	} {
		r, k, recovered := newLeaseManager(t, working())
		k.Leases = owning{r}
		k.lapsed, k.until, r.drives = c.lapsed, time.Now().Add(c.until), c.drives
		k.recoverOwn(t.Context())
		if *recovered != c.recovered || k.lapsed != c.left {
			t.Errorf("%s: %d recovered, looks again %v", name, *recovered, k.lapsed)
		}
	}
}

// owning owns one session at work.
type owning struct{ *registry }

func (owning) Owned(context.Context) ([]domain.SessionRef, error) { return refs(1), nil }

// A run whose driver came to rest at its end is looked after, and what it waits for is noted.
func TestARunThatCameToRest(t *testing.T) {
	soon := noon.Add(time.Second)
	for name, c := range map[string]struct {
		session *domain.Session
		ended   int
		wakes   bool
	}{
		"a run that has ended":  {run("r", domain.Completed), 1, false},
		"a run that waits":      {run("r", domain.WaitingValidation), 0, false},
		"a chat that has ended": {chat("c", domain.Completed), 0, false},
		"one with a timer":      {run("r", domain.WaitingNetworkRetry, wakeAt(soon)), 0, true},
	} {
		d := newWorld(t, nil).door
		d.Rested(c.session)
		if ended := len(d.wakeups.takeEnded()); ended != c.ended {
			t.Errorf("%s: %d runs are looked after", name, ended)
		}
		d.wakeups.dueLooks(noon)
		if wakes := d.wakeups.next(noon.Add(time.Hour)).Equal(soon); wakes != c.wakes {
			t.Errorf("%s: it is woken %v", name, wakes)
		}
	}
}

// TestSeq verifies that the number of a receipt is that of the last event, or the session's if there was no event.
func TestSeq(t *testing.T) {
	s := &domain.Session{LastSeq: 7}
	change := &domain.Change{Events: []*domain.LogEvent{{Seq: 8}, {Seq: 9}}}
	for name, c := range map[string]struct {
		outcome Outcome
		want    int64
	}{
		"events":              {Outcome{Session: s, Change: change}, 9},
		"events of no one":    {Outcome{Change: change}, 9},
		"without an event":    {Outcome{Session: s, Change: &domain.Change{}}, 7},
		"of none, nothing":    {Outcome{Change: &domain.Change{}}, 0},
		"as the receipt says": {Outcome{Session: s, Change: change, Queued: true}, 9},
	} {
		if got := c.outcome.Seq(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if c.outcome.Session == nil {
			continue
		}
		r := c.outcome.ActivationReceipt()
		if r.Seq != c.want || (r.Result == domain.Queued) != c.outcome.Queued {
			t.Errorf("%s: the receipt is %+v", name, r)
		}
	}
}

// TestARestIsLookedAtWhenItIsOver verifies that a session that must wait for a chat at rest is checked when the
// rest has lasted long enough, neither polled before nor forgotten.
func TestARestIsLookedAtWhenItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, view(run("me", domain.ExecutingEnrichments), nil))
		rests := chat("other", domain.Idle, func(s *domain.Session) { s.LastEventTime = time.Now().Add(-2 * time.Minute) })
		o.waiters.Holder = rests
		o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session, Since: time.Now()}}
		o.runs(t)
		o.taken()
		o.door.Look("ws")
		if calls := o.taken(); !slices.Equal(calls, []string{"waiters"}) {
			t.Errorf("at first: %q", calls)
		}
		time.Sleep(3*time.Minute - time.Millisecond)
		if calls := o.taken(); len(calls) != 0 {
			t.Errorf("before its time: %q", calls)
		}
		time.Sleep(2 * time.Millisecond)
		if calls := o.taken(); len(calls) == 0 {
			t.Error("it was forgotten")
		}
	})
}

// A driver at a safe point does not forget who must wait longer.
func TestASafePointNotesWhenToLookAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, view(run("me", domain.ExecutingEnrichments), nil))
		o.waiters.Holder = chat("other", domain.Idle, func(s *domain.Session) { s.LastEventTime = time.Now() })
		o.waiters.Queue = []domain.QueueRow{{WorkspaceID: "ws", SessionID: "me", Session: o.view.Session, Since: time.Now()}}
		o.loop.queue.SafePoint(t.Context(), o.view.Session)
		want := time.Now().Add(time.Duration(o.waiters.Workspace.Settings.ChatEvictionAfter))
		if at := o.door.wakeups.next(time.Now().Add(24 * time.Hour)); !at.Equal(want) {
			t.Errorf("it is looked again at %s, want %s", at, want)
		}
	})
}
