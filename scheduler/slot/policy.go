package slot

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Reason is why the slot's policy decided as it did. It is logged, counted and shown.
type Reason string

const (
	SlotFree        Reason = "slot_free"
	HoldsItAlready  Reason = "holds_it_already"
	ChatSwitch      Reason = "chat_switch"         // another CHAT releases it at once
	ChatPreempts    Reason = "chat_preempts"       // the AUTOMATION is suspended
	NetworkYields   Reason = "network_wait_yields" // the holder only waits for the network
	HolderInactive  Reason = "holder_inactive"     // the CHAT that holds it has been inactive for long
	WaitedTooLong   Reason = "waited_too_long"     // automation_max_wait is over and the CHAT rests
	PreemptionOff   Reason = "chat_preempts_off"   // chat_preempts=false
	ActionRuns      Reason = "action_runs"         // the holder's running action is let finish
	AutomationKeeps Reason = "automations_turn"    // an AUTOMATION that waited too long keeps it for a roundtrip
	HolderBusy      Reason = "holder_busy"         // wait for the holder
	OwnRunGoes      Reason = "own_run_goes"        // two runs of one automation never go at the same time
	TakenUpAgain    Reason = "taken_up_again"      // a suspect's time has come, and the CHAT rests
	SetApart        Reason = "set_apart"           // it is poisoned, or a suspect that must still wait
	BehindTheOthers Reason = "behind_the_others"   // first in, first out
	callBegins      Reason = "call_begins"         // the CHAT that holds it has not sent its request to the AI
	answerReady     Reason = "answer_ready"        // an answer can be acted on, and the CHAT does not work
)

// Verdict is the policy's decision on one request for the slot.
type Verdict struct {
	// Grant: the candidate gets the slot now. If Displaced is set it is taken from that
	// session, which is evicted (at rest for long) or suspended.
	Grant     bool
	Displaced *domain.Session
	Evict     bool
	// Keeps: the candidate keeps the slot for one whole roundtrip.
	Keeps bool
	// First: the candidate is first in the queue, in place of any other CHAT; Preempting: it takes the slot
	// as soon as the running action ends.
	First      bool
	Preempting bool
	Reason     Reason
}

// Request is one request for the slot.
type Request struct {
	Candidate, Holder *domain.Session
	// ActionRuns: the holder has started an action whose outcome is not stored.
	ActionRuns bool
	// BehindOwnRun: an earlier run of the candidate's automation has not ended.
	BehindOwnRun bool
	// Ahead is how many are before the candidate in the queue.
	Ahead int
	// Since is when the candidate began to wait; zero: it asks for the first time.
	Since time.Time
	// Unattended: no person waits for it. The session was set aside during its work, and takes the slot
	// only when it is free.
	Unattended bool
	// Returning: it had the slot when its process died, stood aside, and its time has come.
	Returning bool
	// HasAnswer: its call ended without the slot, which it needs to act on the answer.
	HasAnswer bool
	// BeginsUntil is how long the holder, a CHAT that begins a call, keeps the slot in any case; zero: it does not begin one.
	BeginsUntil time.Time
	// Barred: it must not get the slot now, under any circumstances.
	Barred   bool
	Settings *domain.Settings
	Now      time.Time
}

// Decide returns the verdict on a request for the slot: a cell of the activation table.
func Decide(r Request) Verdict {
	switch {
	case r.Holder != nil && r.Holder.ID == r.Candidate.ID:
		return Verdict{Grant: true, Reason: HoldsItAlready}
	case r.Barred:
		return Verdict{Reason: SetApart}
	case r.BehindOwnRun:
		return Verdict{Reason: OwnRunGoes}
	case r.Holder == nil:
		return r.whenFree()
	case r.ActionRuns:
		return Verdict{First: r.byPerson(), Preempting: r.byPerson(), Reason: ActionRuns}
	case r.byPerson():
		return r.fromChat()
	case r.Holder.Type == domain.Chat:
		return r.againstChat()
	case r.Holder.Phase == domain.WaitingNetworkRetry && r.Candidate.Phase != domain.WaitingNetworkRetry && r.Ahead == 0:
		return Verdict{Grant: true, Displaced: r.Holder, Reason: NetworkYields}
	default:
		return Verdict{Reason: HolderBusy}
	}
}

// byPerson: a person's own request, which goes before every automation's. An answer that waits for the slot is none for
// another CHAT: it does not interrupt the work of that one.
func (r *Request) byPerson() bool {
	return r.Candidate.Type == domain.Chat && !r.Unattended && !(r.HasAnswer && r.Holder != nil && r.Holder.Type == domain.Chat)
}

func (r *Request) whenFree() Verdict {
	if r.Ahead > 0 && !r.byPerson() {
		return Verdict{Reason: BehindTheOthers}
	}
	return Verdict{Grant: true, Reason: SlotFree}
}

// fromChat is the row of the table in which a CHAT asks.
func (r *Request) fromChat() Verdict {
	switch h := r.Holder; {
	case h.Type == domain.Chat && r.Now.Before(r.BeginsUntil):
		return Verdict{Reason: callBegins}
	case h.Type == domain.Chat:
		return Verdict{Grant: true, Displaced: h, Reason: ChatSwitch}
	case h.Phase == domain.WaitingNetworkRetry:
		return Verdict{Grant: true, Displaced: h, Reason: NetworkYields}
	case h.Phase.Working() && h.State.TotalRoundtrips < h.State.KeepsSlotUntil:
		return Verdict{First: true, Reason: AutomationKeeps}
	case r.Settings.ChatPreempts:
		return Verdict{Grant: true, Displaced: h, Reason: ChatPreempts}
	default:
		return Verdict{First: true, Reason: PreemptionOff}
	}
}

// againstChat is the column in which a CHAT holds the slot and something without a person
// behind it asks.
func (r *Request) againstChat() Verdict {
	if r.Ahead > 0 {
		return Verdict{Reason: BehindTheOthers}
	}
	if inactive(r.Holder, r.Settings, r.Now) {
		return Verdict{Grant: true, Displaced: r.Holder, Evict: true, Reason: HolderInactive}
	}
	if r.HasAnswer && !r.Holder.Phase.Working() {
		return Verdict{Grant: true, Displaced: r.Holder, Reason: answerReady}
	}
	if r.Returning && r.Holder.Phase == domain.Idle {
		return Verdict{Grant: true, Displaced: r.Holder, Evict: true, Reason: TakenUpAgain}
	}
	if r.Candidate.Type == domain.Chat && !r.Holder.Phase.Working() && !r.Now.Before(r.Holder.GivesWayAt(r.Candidate, r.Settings)) {
		return Verdict{Grant: true, Displaced: r.Holder, Reason: ChatSwitch}
	}
	if r.Candidate.Type != domain.Chat && r.Holder.Phase == domain.Idle && !r.Since.IsZero() &&
		!r.Now.Before(starvesAt(r.Since, r.Settings)) {
		return Verdict{Grant: true, Displaced: r.Holder, Evict: true, Keeps: true, Reason: WaitedTooLong}
	}
	return Verdict{Reason: HolderBusy}
}

// starvesAt is when an automation that waits since then has waited too long.
func starvesAt(since time.Time, settings *domain.Settings) time.Time {
	return since.Add(time.Duration(settings.AutomationMaxWait))
}

// inactive reports whether a CHAT has been inactive for longer than chat_eviction_after. A working one
// never is.
func inactive(s *domain.Session, settings *domain.Settings, now time.Time) bool {
	return !s.Phase.Working() && !now.Before(s.InactiveAt(settings))
}

// Needed reports whether an event needs the slot: the session works afterwards.
func Needed(e domain.Event) bool {
	switch e := e.(type) {
	case domain.InterruptRequested:
		return e.Then != nil // the message that follows begins a round
	case domain.CompletionConfirmed:
		return false // it ends
	case domain.SessionActivationRequested, domain.UserMessageSent, domain.RoundRequested, domain.SessionResumed, domain.AgentAnswered:
		return true
	}
	_, answered := domain.AnswerOf(e)
	return answered
}

// CallOut reports whether the request of a session's call, begun at an instant, is known to be on its way.
type CallOut func(session string, since time.Time) bool

const (
	// beginsWithin is how long a call may begin before its session can be displaced, if its provider does not answer.
	beginsWithin = 100 * time.Millisecond
	// preparesWithin is the same for the work that precedes the call.
	preparesWithin = time.Second
)

// BeginsUntil is how long a CHAT keeps the slot to begin its call: once its request is on its way, the call needs no slot.
// So of several CHATs that begin at the same time each makes its call. Zero: it begins none.
func BeginsUntil(holder *domain.Session, callOut CallOut) time.Time {
	switch {
	case holder == nil || holder.Type != domain.Chat:
	case holder.Phase == domain.ExecutingEnrichments:
		return holder.LastEventTime.Add(preparesWithin)
	case holder.Phase == domain.CallingAI && !holder.State.CallSince.IsZero() && !callOut(holder.ID, holder.State.CallSince):
		return holder.State.CallSince.Add(beginsWithin)
	}
	return time.Time{}
}
