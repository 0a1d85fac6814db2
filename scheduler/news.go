package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

const (
	// headStart is how much earlier than the others the node looks that has committed
	// something. Who looks later finds it done.
	headStart = 150 * time.Millisecond
	// timerHeadStart is the same for what comes due.
	timerHeadStart = 2 * time.Second
)

// Committed is called for every change that this process commits: something may be due because of it, and
// new entries may start automations.
func (d *Door) Committed(change *domain.Change) {
	d.probation.note(change)
	d.wakeups.comesDue(change)
	d.callsBegin(change)
	for _, e := range change.Events {
		if e.Type == domain.LogDataChanged && e.Change.MadeEntries() {
			d.wakeups.entriesMade(change.WorkspaceID)
			return
		}
	}
}

// callsBegin has the next of those who wait looked for when the holder's call has begun. CallSent comes earlier, but only
// from providers that are reached by HTTP.
func (d *Door) callsBegin(change *domain.Change) {
	for i := range change.Sessions {
		s := change.Sessions[i].Session
		if !s.HoldsSlot || !d.wakeups.hasWaiters(s.LaneRef()) {
			continue
		}
		if until := slot.BeginsUntil(s, d.calls.out); !until.IsZero() {
			d.wakeups.look(s.LaneRef(), until)
		}
	}
}

// Rested is called when a driver came to rest: if its session released the slot, the next one is looked
// for.
func (d *Door) Rested(s *domain.Session) {
	d.calls.since.Delete(s.ID)
	if !s.HoldsSlot || d.wakeups.hasWaiters(s.LaneRef()) {
		d.wakeups.look(s.LaneRef(), d.cfg.Clock())
	}
	if s.WakeAt != nil {
		d.wakeups.timer(*s.WakeAt)
	}
	if s.Type == domain.Run && s.Phase == domain.Completed {
		d.wakeups.runEnded(s)
	}
}

// HandleHint handles the hint of another node. That node acts on it; this one checks a little later, in case that
// node is gone by then.
func (d *Door) HandleHint(h domain.Hint) {
	now, lanes := d.cfg.Clock(), domain.LaneRef{Workspace: h.WorkspaceID}
	if h.Queue {
		d.wakeups.waits(lanes) // until the look says otherwise
	}
	if h.Queue || h.Automation || h.Slot && d.wakeups.hasWaiters(lanes) {
		d.wakeups.look(lanes, now.Add(headStart))
	}
	if h.WakeAt != nil {
		d.wakeups.timer(h.WakeAt.Add(timerHeadStart))
	}
}

// Look requests a check of a workspace: something may be due, or a session may be waiting.
func (d *Door) Look(workspace string) {
	d.wakeups.look(domain.LaneRef{Workspace: workspace}, d.cfg.Clock())
}

// Sweep looks at all workspaces now: a hint may have been lost, or a node is gone that
// would have looked.
func (d *Door) Sweep() { d.wakeups.sweep() }
