package scheduler

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// act starts what follows from a stored decision: the displaced driver is cut, the effect begins, and the
// next session for the slot is looked for.
func (d *Door) act(decided decision) {
	if decided.step == nil {
		return
	}
	d.cutDisplaced(decided)
	d.actOnVerdict(decided)
	d.drive(decided)
	if decided.view.Session.HoldsSlot && !decided.step.Session.HoldsSlot || decided.step.AsksSlot {
		d.wakeups.look(decided.step.Session.LaneRef(), d.cfg.Clock())
	}
	for i := range decided.change.Sessions { // a run may end because another session takes the slot
		if run := decided.change.Sessions[i].Session; run.Type == domain.Run && run.Phase == domain.Completed {
			d.wakeups.runEnded(run)
		}
	}
}

func (d *Door) cutDisplaced(decided decision) {
	holder := decided.verdict.Displaced
	if holder == nil {
		return
	}
	if cut := decided.cut; cut != nil {
		d.cfg.Runner.Cut(cut.ID, cut.RunEpoch, d.cfg.Causes.Preempted)
	}
	displaced := decided.change.Session(holder.ID)
	if displaced.State.CallAside {
		return // its driver continues
	}
	d.cfg.Runner.Cut(displaced.ID, displaced.RunEpoch, d.cfg.Causes.Preempted)
	if holder.Phase.Working() {
		d.wakeups.look(displaced.LaneRef(), d.cfg.Clock())
	}
}

// actOnVerdict counts the decision of the slot's policy. If a session queues, the holder is notified to
// stop at its next safe point, and the queue is checked when the verdict's time has come.
func (d *Door) actOnVerdict(decided decision) {
	verdict, s := decided.verdict, decided.step.Session
	if verdict.Reason != "" {
		d.cfg.Observer.Asked(verdict.Reason, verdict.Grant)
	}
	if !decided.queued {
		return
	}
	d.cfg.Log.Debug().Str("workspace", s.WorkspaceID).Str("session", s.ID).Int("position", s.QueuePosition).
		Str("reason", string(verdict.Reason)).Msg("a session queues for the slot")
	if holder := decided.view.Holder; holder != nil && (verdict.Preempting || verdict.Reason == slot.AutomationKeeps) {
		d.cfg.Runner.Yield(holder.ID)
	}
	d.wakeups.look(s.LaneRef(), d.cfg.Clock())
}

// drive sets the session's effect going, or ends the one that the decision made needless.
func (d *Door) drive(decided decision) {
	step := decided.step
	if step.Effect != domain.DoNothing {
		view := *decided.view
		view.Session = step.Session
		view.Inbox = slices.DeleteFunc(slices.Clone(view.Inbox), func(i *domain.InboxItem) bool {
			return slices.Contains(decided.change.InboxDone, i.ID)
		})
		d.cfg.Runner.Drive(&view, step.Effect)
		return
	}
	if len(decided.change.Transitions) > 0 && decided.view.Session.Phase.Working() {
		d.cfg.Runner.Cut(step.Session.ID, step.Session.RunEpoch, d.cfg.Causes.Interrupted)
	}
}
