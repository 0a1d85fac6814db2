package slot

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// waiter stands in the queue, at work, since so long.
func waiter(id string, kind domain.SessionType, since time.Duration, change ...func(*domain.QueueRow)) domain.QueueRow {
	at := noon.Add(-since)
	row := domain.QueueRow{SessionID: id, Since: at, Session: &domain.Session{ID: id, Type: kind, Phase: domain.CallingAI, LastEventTime: at}}
	for _, c := range change {
		c(&row)
	}
	return row
}

func blocked(row *domain.QueueRow) { row.Blocked = true }

// holder has the slot, in a phase, and was last active so long ago.
func holder(kind domain.SessionType, phase domain.Phase, since time.Duration) *domain.Session {
	at := noon.Add(-since)
	return &domain.Session{ID: "holder", Type: kind, Phase: phase, HoldsSlot: true, LastEventTime: at, LastUserInteractionTime: &at}
}

// Who gets the slot, who stands in whose way, what is due then, and when it is looked
// again. A chat is evicted after five minutes, an automation waits a quarter of an hour.
func TestNext(t *testing.T) {
	settings := domain.DefaultSettings()
	evicted, starved := time.Duration(settings.ChatEvictionAfter), time.Duration(settings.AutomationMaxWait)
	for name, c := range map[string]struct {
		waiters domain.Waiters
		want    string
		reason  Reason
		due     bool
		again   time.Duration // from noon on; 0: when something happens
	}{
		"no waiters": {waiters: domain.Waiters{}},
		"the first of two": {
			waiters: domain.Waiters{Queue: []domain.QueueRow{waiter("a", domain.Run, time.Minute), waiter("b", domain.Run, time.Hour)}},
			want:    "a", reason: SlotFree,
		},
		"the second does not overtake the first": {waiters: domain.Waiters{
			Holder: holder(domain.Run, domain.WaitingNetworkRetry, 0),
			Queue: []domain.QueueRow{
				waiter("a", domain.Run, time.Minute, func(r *domain.QueueRow) { r.Session.Phase = domain.WaitingNetworkRetry }),
				waiter("b", domain.Run, time.Hour),
			},
		}},
		"not even a chat that could pre-empt": {waiters: domain.Waiters{
			Holder: holder(domain.Run, domain.CallingAI, 0),
			Queue:  []domain.QueueRow{waiter("a", domain.Run, time.Minute), waiter("b", domain.Chat, time.Minute)},
		}},
		"nor does who was set aside": {waiters: domain.Waiters{
			Holder: holder(domain.Chat, domain.CallingAI, 0),
			Queue:  []domain.QueueRow{waiter("a", domain.Run, time.Minute)},
			Aside:  []*domain.Session{holder(domain.Run, domain.CallingAI, time.Hour)},
		}},
		"nor what is due": {waiters: domain.Waiters{
			Holder: holder(domain.Chat, domain.Idle, time.Minute), DueSince: noon.Add(-starved),
			Queue: []domain.QueueRow{waiter("a", domain.Run, time.Minute)},
		}, again: evicted - time.Minute},
		"a blocked session blocks no other": {
			waiters: domain.Waiters{Queue: []domain.QueueRow{waiter("a", domain.Run, time.Hour, blocked), waiter("b", domain.Run, time.Minute)}},
			want:    "b", reason: SlotFree,
		},
		"nor does a session that is gone": {
			waiters: domain.Waiters{Queue: []domain.QueueRow{{SessionID: "gone"}, waiter("b", domain.Run, time.Minute)}},
			want:    "b", reason: SlotFree,
		},
		"all are blocked, and something is due": {
			waiters: domain.Waiters{Queue: []domain.QueueRow{waiter("a", domain.Run, time.Hour, blocked)}, DueSince: noon}, due: true,
		},
		"of those aside the oldest": {
			waiters: domain.Waiters{Aside: []*domain.Session{
				{ID: "young", Type: domain.Run, Phase: domain.CallingAI, State: domain.SessionState{SuspendedAt: noon.Add(-time.Minute)}},
				{ID: "old", Type: domain.Run, Phase: domain.CallingAI, State: domain.SessionState{SuspendedAt: noon.Add(-time.Hour)}},
			}},
			want: "old", reason: SlotFree,
		},
		"nothing says when it was set aside: its last activity counts": {
			waiters: domain.Waiters{Aside: []*domain.Session{
				{ID: "young", Type: domain.Chat, Phase: domain.Idle, LastEventTime: noon.Add(-time.Minute)},
				{ID: "old", Type: domain.Chat, Phase: domain.Idle, LastEventTime: noon.Add(-time.Hour)},
			}},
			want: "old", reason: SlotFree,
		},
		"the holder itself is not granted it again": {waiters: domain.Waiters{
			Holder: holder(domain.Run, domain.CallingAI, 0), Aside: []*domain.Session{holder(domain.Run, domain.CallingAI, 0)},
		}},
		"something is due, the slot is free": {waiters: domain.Waiters{DueSince: noon}, due: true},
		"something is due, a chat works":     {waiters: domain.Waiters{Holder: holder(domain.Chat, domain.CallingAI, 0), DueSince: noon}},
		"something is due, a run works":      {waiters: domain.Waiters{Holder: holder(domain.Run, domain.CallingAI, 0), DueSince: noon}},
		"something is due, a chat rests": {
			waiters: domain.Waiters{Holder: holder(domain.Chat, domain.Idle, 0), DueSince: noon}, again: evicted,
		},
		"something is due, it rests for long": {
			waiters: domain.Waiters{Holder: holder(domain.Chat, domain.Idle, evicted), DueSince: noon}, due: true,
		},
		"something has been due for too long": {
			waiters: domain.Waiters{Holder: holder(domain.Chat, domain.Idle, 0), DueSince: noon.Add(-starved)}, due: true,
		},
		"something will be due for too long": {
			waiters: domain.Waiters{Holder: holder(domain.Chat, domain.Idle, 0), DueSince: noon.Add(time.Minute - starved)}, again: time.Minute,
		},
		"a chat asks, a starving run does not": {
			waiters: domain.Waiters{Holder: holder(domain.Chat, domain.WaitingValidation, 0), DueSince: noon.Add(-starved)}, again: evicted,
		},
		"a run starves in the queue": {
			waiters: domain.Waiters{Holder: holder(domain.Chat, domain.Idle, 0), Queue: []domain.QueueRow{waiter("a", domain.Run, starved)}},
			want:    "a", reason: WaitedTooLong,
		},
		"a holder that waits for the network yields": {
			waiters: domain.Waiters{Holder: holder(domain.Run, domain.WaitingNetworkRetry, 0), Queue: []domain.QueueRow{waiter("a", domain.Run, 0)}},
			want:    "a", reason: NetworkYields,
		},
		"a chat that asks pre-empts": {
			waiters: domain.Waiters{Holder: holder(domain.Run, domain.CallingAI, 0), Queue: []domain.QueueRow{waiter("a", domain.Chat, 0)}},
			want:    "a", reason: ChatPreempts,
		},
		"but for a running action": {waiters: domain.Waiters{
			Holder: holder(domain.Run, domain.CallingAI, 0), ActionRuns: true, Queue: []domain.QueueRow{waiter("a", domain.Chat, 0)},
		}},
		"and in turn it does not": {waiters: domain.Waiters{
			Holder: holder(domain.Run, domain.CallingAI, 0),
			Queue:  []domain.QueueRow{waiter("a", domain.Chat, time.Hour, func(r *domain.QueueRow) { r.Reason = domain.QueuedInTurn })},
		}},
	} {
		w := c.waiters
		w.Workspace = &domain.Workspace{Settings: settings}
		got := Next(&w, noon, notSent)
		id := ""
		if got.Session != nil {
			id = got.Session.ID
		}
		if id != c.want || got.StartsDue != c.due || id != "" && got.Verdict.Reason != c.reason {
			t.Errorf("%s: %q by %q, due %v; want %q by %q, due %v", name, id, got.Verdict.Reason, got.StartsDue, c.want, c.reason, c.due)
		}
		if again := got.LookAgain; again.IsZero() != (c.again == 0) || c.again != 0 && !again.Equal(noon.Add(c.again)) {
			t.Errorf("%s: it is looked again at %s, want %s after noon", name, again, c.again)
		}
	}
}

func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// TestTheEarliestLookCounts verifies that the next check is at the earliest time at which a session may get the
// slot.
func TestTheEarliestLookCounts(t *testing.T) {
	var c Choice
	for _, s := range []struct{ at, want int }{{3, 3}, {5, 3}, {1, 1}, {2, 1}} {
		c.lookAgainAt(minute(s.at))
		if !c.LookAgain.Equal(minute(s.want)) {
			t.Errorf("after %d: %s, want %d", s.at, c.LookAgain, s.want)
		}
	}
}

// When a session at rest counts as inactive, to the instant; at work it never does.
func TestInactive(t *testing.T) {
	settings := domain.DefaultSettings()
	after := time.Duration(settings.ChatEvictionAfter)
	for name, c := range map[string]struct {
		phase domain.Phase
		since time.Duration
		want  bool
	}{
		"at rest, just before":     {domain.Idle, after - 1, false},
		"at rest, just then":       {domain.Idle, after, true},
		"it asks, just before":     {domain.WaitingValidation, after - 1, false},
		"it asks, just then":       {domain.WaitingValidation, after, true},
		"at work, for ever":        {domain.CallingAI, 24 * time.Hour, false},
		"its actions run for long": {domain.ExecutingActions, 24 * time.Hour, false},
	} {
		if got := inactive(holder(domain.Chat, c.phase, c.since), &settings, noon); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	unspoken := &domain.Session{Phase: domain.WaitingValidation, LastEventTime: noon}
	if at := unspoken.InactiveAt(&settings); !at.Equal(noon.Add(after)) {
		t.Errorf("without a person's word: %s", at)
	}
}

// TestTheNetworkYieldsInTheOrderOfTheQueue verifies that a session that waits for the network yields to the first
// of the queue only.
func TestTheNetworkYieldsInTheOrderOfTheQueue(t *testing.T) {
	settings := domain.DefaultSettings()
	for ahead, want := range map[int]Verdict{0: {Grant: true, Reason: NetworkYields}, 1: {Reason: HolderBusy}} {
		r := Request{
			Candidate: &domain.Session{ID: "a", Type: domain.Run, Phase: domain.CallingAI},
			Holder:    holder(domain.Run, domain.WaitingNetworkRetry, 0), Ahead: ahead, Settings: &settings, Now: noon,
		}
		if want.Grant {
			want.Displaced = r.Holder
		}
		if got := Decide(r); got != want {
			t.Errorf("behind %d: %+v", ahead, got)
		}
	}
}
