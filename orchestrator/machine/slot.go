package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func askSlot(t *turn) { t.asksSlot = true }

func leaveSlot(t *turn) { t.s.HoldsSlot = false }

// suspend takes the slot away. What has something to go on with comes back by itself;
// a chat at rest or in a wait just gives the slot up.
func suspend(t *turn) {
	t.s.HoldsSlot = false
	if chat(t) && !t.s.Phase.Working() {
		return
	}
	t.s.State.Suspended, t.s.State.SuspendedAt = true, t.p.Now
	if notChat(t) {
		t.s.EndReason = domain.EndSuspended
	}
}

// reenter takes a phase up again with the slot.
func reenter(t *turn) {
	if !t.hasSlot() {
		return
	}
	t.takenUp()
	t.s.State.Suspended, t.s.State.SuspendedAt = false, time.Time{}
	if notChat(t) && t.s.State.BegunAt.IsZero() {
		t.s.State.BegunAt = t.p.Now
	}
	t.clearStanding()
}

// clearStanding drops the reasons for standing still, which are no ends.
func (t *turn) clearStanding() {
	if t.s.EndReason == domain.EndSuspended || t.s.EndReason == domain.EndNetworkError {
		t.s.EndReason = ""
	}
}

// noLongerAside: it has the slot and goes on, so nothing sets it aside any more.
func noLongerAside(t *turn) { t.clearStanding() }

// goOnWaiting does what came due, or was answered, while the session was away.
func goOnWaiting(t *turn) {
	if !t.carryOutAnswer() {
		whatIsDue(t)
	}
}

// comeBack clears why the session stands still; the slot is asked for.
func comeBack(t *turn) {
	t.clearStanding()
	dueNow(t)
}
