package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func askSlot(s *step) { s.asksSlot = true }

func leaveSlot(s *step) { s.session.HoldsSlot = false }

// suspend takes the slot away. What has something to go on with comes back by itself;
// a chat at rest or in a wait just gives the slot up.
func suspend(s *step) {
	s.session.HoldsSlot = false
	if chat(s) && !s.session.Phase.Working() {
		return
	}
	s.session.State.Suspended, s.session.State.SuspendedAt = true, s.policy.Now
	if notChat(s) {
		s.session.EndReason = domain.EndSuspended
	}
}

// reenter takes a phase up again with the slot.
func reenter(s *step) {
	if !withSlot(s) {
		return
	}
	takenUp(s)
	s.session.State.Suspended, s.session.State.SuspendedAt = false, time.Time{}
	if notChat(s) && s.session.State.BegunAt.IsZero() {
		s.session.State.BegunAt = s.policy.Now
	}
	clearStanding(s)
}

// clearStanding drops the reasons for standing still, which are no ends.
func clearStanding(s *step) {
	if s.session.EndReason == domain.EndSuspended || s.session.EndReason == domain.EndNetworkError {
		s.session.EndReason = ""
	}
}

// noLongerAside: it has the slot and goes on, so nothing sets it aside any more.
func noLongerAside(s *step) { clearStanding(s) }

// goOnWaiting does what came due, or was answered, while the session was away.
func goOnWaiting(s *step) {
	if !carryOutAnswer(s) {
		whatIsDue(s)
	}
}

// comeBack clears why the session stands still; the slot is asked for.
func comeBack(s *step) {
	clearStanding(s)
	dueNow(s)
}
