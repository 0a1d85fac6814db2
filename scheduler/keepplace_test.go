package scheduler

import (
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestKeepPlace verifies that internal events (a timer, a late result) change the place in the queue only of a
// session that needs the slot now, has ended, or is no longer suspect.
func TestKeepPlace(t *testing.T) {
	suspect := chat("me", domain.CallingAI, aside(noon))
	for name, c := range map[string]struct {
		before, after *domain.Session
		asks, queues  bool
		want          string
	}{
		"nothing to ask for":           {chat("me", domain.Idle), chat("me", domain.Idle), false, false, "me IDLE"},
		"it wants the slot":            {chat("me", domain.Idle), chat("me", domain.Idle), true, false, "me IDLE queued; +me:0 RESUME"},
		"it queues for it already":     {chat("me", domain.Idle), chat("me", domain.Idle), true, true, "me IDLE queued"},
		"it comes back by itself":      {chat("me", domain.CallingAI), chat("me", domain.CallingAI, suspended), true, false, "me CALLING_AI suspended"},
		"it has ended":                 {run("me", domain.CallingAI), run("me", domain.Completed), true, true, "me COMPLETED; -me"},
		"it is poisoned":               {suspect, chat("me", domain.CallingAI, poisoned, aside(noon)), false, true, "me CALLING_AI; -me"},
		"a suspect stays where it is":  {suspect, suspect.Clone(), false, true, "me CALLING_AI queued"},
		"it is none any more":          {suspect, chat("me", domain.Idle), false, true, "me IDLE; -me"},
		"it is none, and asks as well": {suspect, chat("me", domain.Idle), true, true, "me IDLE queued; +me:1 RESUME"},
	} {
		after := c.after
		v := view(c.before, nil)
		if c.queues {
			queued(c.before)(v)
			after.QueuedAt = c.before.QueuedAt
		}
		d := decision{
			view: v, event: domain.SchedulerHeartbeat{}, step: &domain.Step{Session: after, AsksSlot: c.asks},
			change: &domain.Change{WorkspaceID: "ws", Sessions: []domain.SessionWrite{{Session: after}}},
		}
		t.Run(name, func(t *testing.T) { same(t, describe(noonRules().keepPlace(d)), c.want) })
	}
}

// A chat that is displaced while a message waits for it queues in turn, and what its call
// had reserved is free for the one that takes its place.
func TestWhoIsDisplacedWithAMessageWaitsInTurn(t *testing.T) {
	other := chat("other", domain.Idle, func(s *domain.Session) { s.State.ReservedCost = 0.5 })
	v := view(chat("me", domain.Idle), other, func(v *domain.View) {
		v.HolderInbox = []*domain.InboxItem{waitingItem("a", 1)}
		v.Spent.Reserved = 0.75
	})
	d, err := decideOn(v, event(text("m")))
	if err != nil {
		t.Fatal(err)
	}
	same(t, describe(d), "chat_switch; other IDLE claimed queued; me CALLING_AI claimed slot; +other:0 in_turn; -> call_ai")
	if d.view.Spent.Reserved != 0.25 || v.Spent.Reserved != 0.75 {
		t.Errorf("%v is reserved, and what was read says %v", d.view.Spent.Reserved, v.Spent.Reserved)
	}
}

// The time in the queue was no work of a run; a chat's clock is its person's.
func TestWhatHoldingChanges(t *testing.T) {
	for name, c := range map[string]struct {
		session   *domain.Session
		event     domain.Event
		keeps     bool
		suspended bool
		worked    time.Time
	}{
		"a chat":                      {chat("me", domain.Idle), domain.UserMessageSent{}, false, false, noon.Add(-time.Minute)},
		"a run":                       {run("me", domain.CallingAI), domain.SessionActivationRequested{}, false, false, noon},
		"one set aside at work":       {run("me", domain.CallingAI, suspended), domain.SessionActivationRequested{}, false, true, noon},
		"one set aside in a wait":     {run("me", domain.WaitingValidation, suspended), domain.ValidationReceived{}, false, false, noon},
		"but for one that resumes":    {run("me", domain.WaitingValidation, suspended), domain.SessionResumed{}, false, true, noon},
		"one that waited for so long": {run("me", domain.CallingAI), domain.SessionActivationRequested{}, true, false, noon},
	} {
		d := decision{view: view(c.session, nil), event: c.event}
		d.verdict.Keeps = c.keeps
		s := noonRules().holding(d)
		if !s.HoldsSlot || s.QueuedAt != nil || s.State.Suspended != c.suspended || !s.LastEventTime.Equal(c.worked) || (s.State.KeepsSlotUntil == 1) != c.keeps {
			t.Errorf("%s: %+v", name, s)
		}
		if c.session.HoldsSlot {
			t.Errorf("%s: what was read was changed", name)
		}
	}
}

// TestTheOrderOfTheLog verifies that in the log no session gets the slot before its holder has released it.
func TestTheOrderOfTheLog(t *testing.T) {
	d, err := decideOn(view(chat("me", domain.Idle), run("other", domain.CallingAI), queued(run("first", domain.CallingAI))), event(text("m")))
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	for _, e := range d.change.Events {
		log = append(log, e.SessionID)
	}
	last := d.change.Events[len(d.change.Events)-1]
	if last.Type != domain.LogSlotChanged || last.Slot.Holder.ID != "me" || !last.Slot.Since.Equal(noon) {
		t.Errorf("the last event is %+v", last)
	}
	if mine := slices.Index(log, "me"); mine < 0 || slices.Contains(log[mine:], "other") {
		t.Errorf("the log is of %q", log)
	}
}
