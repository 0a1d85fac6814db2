package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Reason says why the slot's policy decided as it did. It is logged, counted and
// shown.
type Reason string

const (
	SlotFree       Reason = "slot_free"
	HoldsItAlready Reason = "holds_it_already"
	ChatSwitch     Reason = "chat_switch"       // another CHAT gives it up at once
	ChatPreempts   Reason = "chat_preempts"     // the AUTOMATION is suspended
	PreemptionOff  Reason = "chat_preempts_off" // chat_preempts=false
	HolderInactive Reason = "holder_inactive"   // the CHAT that holds it has been inactive for long
	HolderBusy     Reason = "holder_busy"       // wait for the holder
)

// Verdict is what the policy says about one request for the slot.
type Verdict struct {
	// Grant: the asker gets the slot now. If Displaced is set it is taken from that
	// session, which is evicted (at rest for long) or suspended.
	Grant     bool
	Displaced *domain.Session
	Evict     bool
	Reason    Reason
}

// Ask decides about a request for the slot: a cell of the activation table. byItself:
// nobody asks just now, the session has been waiting and takes the slot only when it
// is free or its holder inactive.
func Ask(asker, holder *domain.Session, settings *domain.Settings, now time.Time, byItself bool) Verdict {
	switch {
	case holder == nil:
		return Verdict{Grant: true, Reason: SlotFree}
	case holder.ID == asker.ID:
		return Verdict{Grant: true, Reason: HoldsItAlready}
	case byItself || asker.Type != domain.Chat:
		if holder.Type == domain.Chat && Inactive(holder, settings, now) {
			return Verdict{Grant: true, Displaced: holder, Evict: true, Reason: HolderInactive}
		}
		return Verdict{Reason: HolderBusy}
	case holder.Type == domain.Chat:
		return Verdict{Grant: true, Displaced: holder, Reason: ChatSwitch}
	case settings.ChatPreempts:
		return Verdict{Grant: true, Displaced: holder, Reason: ChatPreempts}
	default:
		return Verdict{Reason: PreemptionOff}
	}
}

// Inactive says whether a CHAT has been inactive for longer than chat_eviction_after.
// At work it never is.
func Inactive(s *domain.Session, settings *domain.Settings, now time.Time) bool {
	return !s.Phase.Working() && !now.Before(InactiveAt(s, settings))
}

// InactiveAt is when a session that is not at work counts as inactive: a wait counts
// from the person's last word, everything else from the last event.
func InactiveAt(s *domain.Session, settings *domain.Settings) time.Time {
	since := s.LastEventTime
	if s.Phase.Waiting() && s.LastUserInteractionTime != nil {
		since = *s.LastUserInteractionTime
	}
	return since.Add(time.Duration(settings.ChatEvictionAfter))
}

// NeedsSlot says whether an event can only go on with the slot: the session works
// afterwards.
func NeedsSlot(e domain.Event) bool {
	switch e := e.(type) {
	case domain.InterruptRequested:
		return e.Then != nil // the message that follows begins a round
	case domain.SessionActivationRequested, domain.UserMessageSent, domain.ValidationReceived,
		domain.CommunicationResponseReceived, domain.CommunicationCancelled, domain.BudgetRaised,
		domain.BudgetRefused, domain.CompletionConfirmed, domain.CompletionRejected,
		domain.RoundRequested, domain.SessionResumed:
		return true
	}
	return false
}
