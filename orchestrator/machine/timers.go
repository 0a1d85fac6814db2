package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// whatIsDue asks for the event of the timer that is due, if one is.
func whatIsDue(s *step) {
	now, w := s.policy.Now, s.session.State.Waiting
	if poisoned(s) {
		return
	}
	if survived(s) {
		s.session.State.Suspicion = domain.Suspicion{}
	}
	if s.session.Phase.Working() {
		if reason := watchdog(s); reason != (domain.Text{}) && s.first == "SchedulerHeartbeat" {
			s.follow(domain.WatchdogExpired{Reason: reason})
		}
		return
	}
	if w == nil || answered(s) {
		return
	}
	if e := s.session.Phase.Due(); e != nil && !s.session.AsksPerson() && !w.At.After(now) {
		s.follow(e)
	} else if at := denialAt(s); at != nil && !at.After(now) {
		s.follow(domain.ApprovalExpired{ApprovalID: w.ApprovalID})
	}
}

func thenSessionCompleted(s *step) { s.follow(domain.SessionCompleted{}) }

// denialAt is when the present wait turns into a no; nil when it never does.
func denialAt(s *step) *time.Time {
	w := s.session.State.Waiting
	if w == nil || !s.session.Phase.Waiting() {
		return nil
	}
	for _, a := range s.open {
		if a.ID == w.ApprovalID && a.Status == domain.ApprovalStatusOpen && a.OnExpiry == "deny" {
			return a.ExpiresAt
		}
	}
	return nil
}

// setTimer sets the time at which the session is looked at again.
func setTimer(s *step) {
	s.session.WakeAt = wakeAt(s)
}

func wakeAt(s *step) *time.Time {
	w := s.session.State.Waiting
	if poisoned(s) || answered(s) {
		return nil
	}
	if s.session.Phase.Due() != nil && !s.session.AsksPerson() {
		if called(s) { // who drives it minds its time
			return nil
		}
		if w == nil || s.session.Phase == domain.WaitingNetworkRetry && !withSlot(s) && !w.At.After(s.policy.Now) {
			return nil // due already: only the slot is missing
		}
		return new(w.At)
	}
	if s.session.Phase.Working() {
		return earliest(watchdogAt(s), clearedAt(s))
	}
	return denialAt(s)
}

// earliest is the earlier of two times, of which each may be none.
func earliest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// The watchdog of what works without a person.

func maxActive(s *step) time.Duration {
	if agent(s) {
		return domain.AgentMaxActive
	}
	return time.Duration(s.policy.Settings.MaxActiveDuration)
}

func watched(s *step) bool {
	return notChat(s) && s.session.Phase.Working() && (withSlot(s) || callAside(s)) && !setAside(s)
}

// countWork adds the time since the last event to the session's working time, unless
// it did not work then: suspended, without the slot, or its process was down.
func countWork(s *step) {
	if watched(s) && !recovering(s) && !s.session.LastEventTime.IsZero() {
		s.session.State.WorkedMicros += max(0, s.policy.Now.Sub(s.session.LastEventTime).Microseconds())
	}
}

// watchdog returns why a session must be stopped; empty if it must not.
func watchdog(s *step) domain.Text {
	if !watched(s) {
		return domain.Text{}
	}
	still := s.policy.Now.Sub(s.session.LastEventTime)
	if limit := time.Duration(s.policy.Settings.MaxInactivity); limit > 0 && still >= limit {
		return domain.Say("Nothing happened for %s.", "Rien ne s’est passé pendant %s.", domain.Lasting(limit))
	}
	worked := time.Duration(s.session.State.WorkedMicros) * time.Microsecond
	if limit := maxActive(s); limit > 0 && worked+still >= limit {
		return domain.Overtime(limit)
	}
	return domain.Text{}
}

func watchdogAt(s *step) *time.Time {
	if !watched(s) || called(s) { // who drives an agent minds its time
		return nil
	}
	var at *time.Time
	if limit := time.Duration(s.policy.Settings.MaxInactivity); limit > 0 {
		due := s.session.LastEventTime.Add(limit)
		at = &due
	}
	if limit := maxActive(s); limit > 0 {
		due := s.session.LastEventTime.Add(limit - time.Duration(s.session.State.WorkedMicros)*time.Microsecond)
		if at == nil || due.Before(*at) {
			at = &due
		}
	}
	return at
}
