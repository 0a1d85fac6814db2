package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func askSlot(t *turn) { t.asksSlot = true }

func leaveSlot(t *turn) { t.s.HoldsSlot = false }

// releasesSlot: an automation parks where it waits for somebody outside. (An ended
// session has given its slot up in end.)
func (t *turn) releasesSlot() bool {
	switch t.s.Phase {
	case domain.WaitingValidation, domain.WaitingBudget, domain.WaitingExternalResult:
		return notChat(t)
	case domain.WaitingCompletionConfirmation:
		return t.s.State.Waiting != nil && t.s.State.Waiting.ApprovalID != ""
	}
	return false
}

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
	if recovering(t) {
		t.s.State.Recoveries++
	}
	if !t.hasSlot() {
		return
	}
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

// maxRecoveries in a row at one place and the session is set apart.
const maxRecoveries = 3

func thirdTime(t *turn) bool { return t.s.State.Recoveries+1 >= maxRecoveries }

// poison sets a session apart that brings its process down: it frees the slot, and a
// person decides.
func poison(t *turn) {
	t.s.State.Recoveries++
	t.s.State.Poisoned = true
	t.s.HoldsSlot = false
	t.because("poisoned")
	t.openApproval(&domain.Approval{
		Kind: domain.ApprovalPoisoned, Text: "The session failed three times at the same place. Try again, or stop it?",
	})
	t.notice("error", "poisoned", "The session failed three times at the same place and was set apart.")
}

// tryAgain takes a poisoned session up from where it stands.
func tryAgain(t *turn) {
	t.s.State.Poisoned = false
	t.s.State.Recoveries = 0
	for _, a := range t.open {
		if a.Kind == domain.ApprovalPoisoned {
			t.settleOne(a, domain.ApprovalApproved)
		}
	}
	t.clearStanding()
}
