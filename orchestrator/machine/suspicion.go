package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// died: the process that performed the session's step is gone, and did not stop in good
// order.
func died(s *step) bool {
	e, ok := s.event.(domain.SessionActivationRequested)
	return ok && e.Recovery && e.Died
}

// judged is how the session is taken up after this death.
func judged(s *step) domain.Reentry {
	return s.policy.Caution.After(s.session.State.Suspicion.Deaths + 1)
}

func suspect(s *step) bool { return died(s) && withSlot(s) && judged(s).Wait > 0 }
func guilty(s *step) bool  { return died(s) && withSlot(s) && judged(s).Poisoned }

// standAside releases the slot and waits in the queue: others continue, and the step is resumed later.
func standAside(s *step) {
	s.session.State.Suspicion = domain.Suspicion{
		Deaths: s.session.State.Suspicion.Deaths + 1, ReenterAt: s.policy.Now.Add(judged(s).Wait),
	}
	s.session.HoldsSlot = false
	s.because("suspect")
	standLast(s, domain.QueuedSuspect, s.session.State.Suspicion.ReenterAt)
}

// takenUp notes that the step is being performed again.
func takenUp(s *step) {
	is := s.session.State.Suspicion
	switch {
	case died(s):
		s.session.State.Suspicion = domain.Suspicion{Deaths: is.Deaths + 1, EnteredAt: s.policy.Now}
	case recovering(s): // its process stopped in good order
		s.session.State.Suspicion = domain.Suspicion{}
	case is.Deaths > 0:
		s.session.State.Suspicion = domain.Suspicion{Deaths: is.Deaths, EnteredAt: s.policy.Now}
	}
}

// keepsSuspicion: an event without progress of the session.
func keepsSuspicion(event string) bool {
	return event == "SessionActivationRequested" || event == "SessionSuspended"
}

// survived: the process that performs the step has lived with it for long enough.
func survived(s *step) bool {
	e, heartbeat := s.event.(domain.SchedulerHeartbeat)
	at := clearedAt(s)
	return heartbeat && e.Driven && at != nil && !at.After(s.policy.Now)
}

func clearedAt(s *step) *time.Time {
	if !s.session.Phase.Working() || !withSlot(s) {
		return nil
	}
	return s.session.State.Suspicion.ClearedAt(s.policy.Caution)
}

// poison isolates a session that crashes its process: it releases the slot, and a person decides.
func poison(s *step) {
	s.session.State.Poisoned, s.session.State.Suspicion = true, domain.Suspicion{}
	s.session.HoldsSlot = false
	s.because("poisoned")
	asked := &domain.Approval{Kind: domain.ApprovalPoisoned}
	s.openApproval(asked.Ask(
		domain.Say("The server died four times in a row while it performed this step of the session. Try again, or stop it?",
			"Le serveur s’est arrêté quatre fois de suite pendant cette étape de la session. Réessayer, ou l’arrêter ?"), s.language()))
	s.notice("error", "poisoned", domain.Say("The server died four times in a row at the same step of a session, which was set apart.",
		"Le serveur s’est arrêté quatre fois de suite à la même étape d’une session, qui a été mise de côté."))
}

// tryAgain resumes a poisoned session where it stopped.
func tryAgain(s *step) {
	s.session.State.Poisoned = false
	s.session.State.Suspicion = domain.Suspicion{}
	for _, a := range s.open {
		if a.Kind == domain.ApprovalPoisoned {
			s.settleOne(a, domain.ApprovalStatusApproved)
		}
	}
	clearPause(s)
}
