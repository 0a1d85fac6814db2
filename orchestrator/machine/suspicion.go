package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// died: the process that performed the session's step is gone, and did not stop in good
// order.
func died(t *turn) bool {
	e, ok := t.event.(domain.SessionActivationRequested)
	return ok && e.Recovery && e.Died
}

// judged is how the session is taken up after this death.
func (t *turn) judged() domain.Reentry { return t.p.Caution.After(t.s.State.Suspicion.Deaths + 1) }

func suspect(t *turn) bool { return died(t) && t.hasSlot() && t.judged().Wait > 0 }
func guilty(t *turn) bool  { return died(t) && t.hasSlot() && t.judged().Poisoned }

// standAside frees the slot and waits in the queue: others go on, and the step is taken
// up again later.
func standAside(t *turn) {
	t.s.State.Suspicion = domain.Suspicion{
		Deaths: t.s.State.Suspicion.Deaths + 1, ReenterAt: t.p.Now.Add(t.judged().Wait),
	}
	t.s.HoldsSlot = false
	t.because("suspect")
	t.standLast(domain.QueuedSuspect, t.s.State.Suspicion.ReenterAt)
}

// takenUp notes that the step is being performed again.
func (t *turn) takenUp() {
	is := t.s.State.Suspicion
	switch {
	case died(t):
		t.s.State.Suspicion = domain.Suspicion{Deaths: is.Deaths + 1, EnteredAt: t.p.Now}
	case recovering(t): // its process stopped in good order
		t.s.State.Suspicion = domain.Suspicion{}
	case is.Deaths > 0:
		t.s.State.Suspicion = domain.Suspicion{Deaths: is.Deaths, EnteredAt: t.p.Now}
	}
}

// keepsSuspicion: an event that brings the session no step forward.
func keepsSuspicion(event string) bool {
	return event == "SessionActivationRequested" || event == "SessionSuspended"
}

// survived: the process that performs the step has lived with it for long enough.
func survived(t *turn) bool {
	e, heartbeat := t.event.(domain.SchedulerHeartbeat)
	at := t.clearedAt()
	return heartbeat && e.Driven && at != nil && !at.After(t.p.Now)
}

func (t *turn) clearedAt() *time.Time {
	if !t.s.Phase.Working() || !t.hasSlot() {
		return nil
	}
	return t.s.State.Suspicion.ClearedAt(t.p.Caution)
}

// poison sets a session apart that brings its process down: it frees the slot, and a
// person decides.
func poison(t *turn) {
	t.s.State.Poisoned, t.s.State.Suspicion = true, domain.Suspicion{}
	t.s.HoldsSlot = false
	t.because("poisoned")
	t.openApproval(&domain.Approval{
		Kind: domain.ApprovalPoisoned, Text: t.say("The server died four times in a row while it performed this step of the session. Try again, or stop it?",
			"Le serveur s’est arrêté quatre fois de suite pendant cette étape de la session. Réessayer, ou l’arrêter ?"),
	})
	t.notice("error", "poisoned", t.say("The server died four times in a row at the same step of a session, which was set apart.",
		"Le serveur s’est arrêté quatre fois de suite à la même étape d’une session, qui a été mise de côté."))
}

// tryAgain takes a poisoned session up from where it stands.
func tryAgain(t *turn) {
	t.s.State.Poisoned = false
	t.s.State.Suspicion = domain.Suspicion{}
	for _, a := range t.open {
		if a.Kind == domain.ApprovalPoisoned {
			t.settleOne(a, domain.ApprovalStatusApproved)
		}
	}
	t.clearStanding()
}
