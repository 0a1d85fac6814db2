package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func askSlot(s *step) { s.asksSlot = true }

func leaveSlot(s *step) { s.session.HoldsSlot = false }

// suspend takes the slot away. A session with work left returns by itself; a chat at rest or in a wait
// only releases the slot.
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
	clearPause(s)
}

// clearPause clears the reasons for pausing, which are no ends.
func clearPause(s *step) {
	if s.session.EndReason == domain.EndSuspended || s.session.EndReason == domain.EndNetworkError {
		s.session.EndReason = ""
	}
}

// noLongerAside: it has the slot and continues, so it is not set aside any more.
func noLongerAside(s *step) { clearPause(s) }

// goOnWaiting does what came due, or was answered, while the session was away.
func goOnWaiting(s *step) {
	if !carryOutAnswer(s) {
		whatIsDue(s)
	}
}

// comeBack clears the reason for the pause; the slot is requested.
func comeBack(s *step) {
	clearPause(s)
	dueNow(s)
}
