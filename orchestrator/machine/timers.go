package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// agentMaxActive is how long an agent may work in total.
const agentMaxActive = 5 * time.Minute

// whatIsDue asks for the event of the timer that is due, if one is.
func whatIsDue(t *turn) {
	now, w := t.p.Now, t.s.State.Waiting
	if poisoned(t) {
		return
	}
	if survived(t) {
		t.s.State.Suspicion = domain.Suspicion{}
	}
	if t.s.Phase.Working() {
		if reason := t.watchdog(); reason != "" && t.first == "SchedulerHeartbeat" {
			t.follow(domain.WatchdogExpired{Reason: reason})
		}
		return
	}
	if w == nil || answered(t) {
		return
	}
	if e := t.s.Phase.Due(); e != nil && !t.s.AsksPerson() && !w.At.After(now) {
		t.follow(e)
	} else if at := t.denialAt(); at != nil && !at.After(now) {
		t.follow(domain.ApprovalExpired{ApprovalID: w.ApprovalID})
	}
}

func thenSessionCompleted(t *turn) { t.follow(domain.SessionCompleted{}) }

// denialAt is when the present wait turns into a no; nil when it never does.
func (t *turn) denialAt() *time.Time {
	w := t.s.State.Waiting
	if w == nil || !t.s.Phase.Waiting() {
		return nil
	}
	for _, a := range t.open {
		if a.ID == w.ApprovalID && a.Status == domain.ApprovalStatusOpen && a.OnExpiry == "deny" {
			return a.ExpiresAt
		}
	}
	return nil
}

// setTimer sets the time at which the session is looked at again.
func (t *turn) setTimer() {
	t.s.WakeAt = t.wakeAt()
}

func (t *turn) wakeAt() *time.Time {
	w := t.s.State.Waiting
	if poisoned(t) || answered(t) {
		return nil
	}
	if t.s.Phase.Due() != nil && !t.s.AsksPerson() {
		if w == nil || t.s.Phase == domain.WaitingNetworkRetry && !t.hasSlot() && !w.At.After(t.p.Now) {
			return nil // due already: only the slot is missing
		}
		return new(w.At)
	}
	if t.s.Phase.Working() {
		return earliest(t.watchdogAt(), t.clearedAt())
	}
	return t.denialAt()
}

// earliest is the earlier of two times, of which each may be none.
func earliest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// The watchdog of what works without a person.

func (t *turn) maxActive() time.Duration {
	if agent(t) {
		return agentMaxActive
	}
	return time.Duration(t.p.Settings.MaxActiveDuration)
}

func (t *turn) watched() bool {
	return notChat(t) && t.s.Phase.Working() && t.hasSlot() && !setAside(t)
}

// countWork adds the time since the last event to the session's working time, unless
// it did not work then: suspended, without the slot, or its process was down.
func (t *turn) countWork() {
	if t.watched() && !recovering(t) && !t.s.LastEventTime.IsZero() {
		t.s.State.WorkedMicros += max(0, t.p.Now.Sub(t.s.LastEventTime).Microseconds())
	}
}

func (t *turn) watchdog() string {
	if !t.watched() {
		return ""
	}
	still := t.p.Now.Sub(t.s.LastEventTime)
	if limit := time.Duration(t.p.Settings.MaxInactivity); limit > 0 && still >= limit {
		return "Nothing happened for " + limit.String() + "."
	}
	worked := time.Duration(t.s.State.WorkedMicros) * time.Microsecond
	if limit := t.maxActive(); limit > 0 && worked+still >= limit {
		return "It worked for more than " + limit.String() + " in total."
	}
	return ""
}

func (t *turn) watchdogAt() *time.Time {
	if !t.watched() {
		return nil
	}
	var at *time.Time
	if limit := time.Duration(t.p.Settings.MaxInactivity); limit > 0 {
		due := t.s.LastEventTime.Add(limit)
		at = &due
	}
	if limit := t.maxActive(); limit > 0 {
		due := t.s.LastEventTime.Add(limit - time.Duration(t.s.State.WorkedMicros)*time.Microsecond)
		if at == nil || due.Before(*at) {
			at = &due
		}
	}
	return at
}
