package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Reason says why the slot's policy decided as it did. It is logged, counted and
// shown.
type Reason string

const (
	SlotFree        Reason = "slot_free"
	HoldsItAlready  Reason = "holds_it_already"
	ChatSwitch      Reason = "chat_switch"         // another CHAT gives it up at once
	ChatPreempts    Reason = "chat_preempts"       // the AUTOMATION is suspended
	NetworkYields   Reason = "network_wait_yields" // the holder only waits for the network
	HolderInactive  Reason = "holder_inactive"     // the CHAT that holds it has been inactive for long
	WaitedTooLong   Reason = "waited_too_long"     // automation_max_wait is over and the CHAT rests
	PreemptionOff   Reason = "chat_preempts_off"   // chat_preempts=false
	ActionRuns      Reason = "action_runs"         // the holder's running action is let finish
	AutomationsTurn Reason = "automations_turn"    // an AUTOMATION that waited too long keeps it for a roundtrip
	HolderBusy      Reason = "holder_busy"         // wait for the holder
	OwnRunGoes      Reason = "own_run_goes"        // two runs of one automation never go at the same time
	TakenUpAgain    Reason = "taken_up_again"      // a suspect's time has come, and the CHAT rests
	SetApart        Reason = "set_apart"           // it is poisoned, or a suspect whose time has not come
	BehindTheOthers Reason = "behind_the_others"   // first in, first out
)

// Verdict is what the policy says about one request for the slot.
type Verdict struct {
	// Grant: the asker gets the slot now. If Displaced is set it is taken from that
	// session, which is evicted (at rest for long) or suspended.
	Grant     bool
	Displaced *domain.Session
	Evict     bool
	// Keeps: the asker keeps the slot for one whole roundtrip, whoever asks.
	Keeps bool
	// First: the asker stands first in the queue, in the place of any other CHAT;
	// Preempting: it takes the slot as soon as the running action ends.
	First      bool
	Preempting bool
	Reason     Reason
}

// Asks is one request for the slot.
type Asks struct {
	Asker, Holder *domain.Session
	// ActionRuns: the holder has started an action whose outcome is not stored.
	ActionRuns bool
	// BehindOwnRun: an earlier run of the asker's automation has not ended.
	BehindOwnRun bool
	// Ahead is how many stand before the asker in the queue.
	Ahead int
	// Since is when the asker began to wait; zero: it asks for the first time.
	Since time.Time
	// ByItself: nobody asks just now. The session was set aside in the middle of its
	// work, and takes the slot only when that is in nobody's way.
	ByItself bool
	// Returns: it had the slot when its process died, stood aside, and its time has come.
	Returns bool
	// Apart: it must not get the slot now, whatever else is so.
	Apart    bool
	Settings *domain.Settings
	Now      time.Time
}

// Ask decides about a request for the slot: a cell of the activation table.
func Ask(a Asks) Verdict {
	switch {
	case a.Holder != nil && a.Holder.ID == a.Asker.ID:
		return Verdict{Grant: true, Reason: HoldsItAlready}
	case a.Apart:
		return Verdict{Reason: SetApart}
	case a.BehindOwnRun:
		return Verdict{Reason: OwnRunGoes}
	case a.Holder == nil:
		return a.whenFree()
	case a.ActionRuns:
		return Verdict{First: a.chatAsks(), Preempting: a.chatAsks(), Reason: ActionRuns}
	case a.chatAsks():
		return a.chat()
	case a.Holder.Type == domain.Chat:
		return a.ofChat()
	case a.Holder.Phase == domain.WaitingNetworkRetry && a.Asker.Phase != domain.WaitingNetworkRetry && a.Ahead == 0:
		return Verdict{Grant: true, Displaced: a.Holder, Reason: NetworkYields}
	default:
		return Verdict{Reason: HolderBusy}
	}
}

// chatAsks: a person's own request, which goes before every automation's.
func (a *Asks) chatAsks() bool { return a.Asker.Type == domain.Chat && !a.ByItself }

func (a *Asks) whenFree() Verdict {
	if a.Ahead > 0 && !a.chatAsks() {
		return Verdict{Reason: BehindTheOthers}
	}
	return Verdict{Grant: true, Reason: SlotFree}
}

// chat is the row of the table in which a CHAT asks.
func (a *Asks) chat() Verdict {
	switch h := a.Holder; {
	case h.Type == domain.Chat:
		return Verdict{Grant: true, Displaced: h, Reason: ChatSwitch}
	case h.Phase == domain.WaitingNetworkRetry:
		return Verdict{Grant: true, Displaced: h, Reason: NetworkYields}
	case h.Phase.Working() && h.State.TotalRoundtrips < h.State.KeepsSlotUntil:
		return Verdict{First: true, Reason: AutomationsTurn}
	case a.Settings.ChatPreempts:
		return Verdict{Grant: true, Displaced: h, Reason: ChatPreempts}
	default:
		return Verdict{First: true, Reason: PreemptionOff}
	}
}

// ofChat is the column in which a CHAT holds the slot and something without a person
// behind it asks.
func (a *Asks) ofChat() Verdict {
	if a.Ahead > 0 {
		return Verdict{Reason: BehindTheOthers}
	}
	if Inactive(a.Holder, a.Settings, a.Now) {
		return Verdict{Grant: true, Displaced: a.Holder, Evict: true, Reason: HolderInactive}
	}
	if a.Returns && a.Holder.Phase == domain.Idle {
		return Verdict{Grant: true, Displaced: a.Holder, Evict: true, Reason: TakenUpAgain}
	}
	if a.Asker.Type != domain.Chat && a.Holder.Phase == domain.Idle && !a.Since.IsZero() &&
		!a.Now.Before(StarvesAt(a.Since, a.Settings)) {
		return Verdict{Grant: true, Displaced: a.Holder, Evict: true, Keeps: true, Reason: WaitedTooLong}
	}
	return Verdict{Reason: HolderBusy}
}

// StarvesAt is when an automation that waits since then has waited too long.
func StarvesAt(since time.Time, settings *domain.Settings) time.Time {
	return since.Add(time.Duration(settings.AutomationMaxWait))
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
	case domain.CompletionConfirmed:
		return false // it ends
	case domain.SessionActivationRequested, domain.UserMessageSent, domain.RoundRequested, domain.SessionResumed:
		return true
	}
	_, answered := domain.AnswerOf(e)
	return answered
}
