package slot

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// The activation table of the spec, cell by cell.
func TestDecide(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	chat := func(id string, phase domain.Phase, idle time.Duration) *domain.Session {
		at := now.Add(-idle)
		return &domain.Session{ID: id, Type: domain.Chat, Phase: phase, LastEventTime: at, LastUserInteractionTime: &at}
	}
	run := func(id string, phase domain.Phase) *domain.Session {
		return &domain.Session{ID: id, Type: domain.Run, Phase: phase, LastEventTime: now}
	}
	keeping := func(id string, had, until int) *domain.Session {
		s := run(id, domain.CallingAI)
		s.State.TotalRoundtrips, s.State.KeepsSlotUntil = had, until
		return s
	}
	alone := domain.DefaultSettings()
	polite := domain.DefaultSettings()
	polite.ChatPreempts = false
	for name, c := range map[string]struct {
		candidate, holder *domain.Session
		settings          *domain.Settings
		unattended        bool
		barred            bool
		returning         bool
		ahead             int
		actionRuns        bool
		ownRun            bool
		since             time.Time
		want              Verdict
	}{
		"the slot is free": {candidate: chat("a", domain.Idle, 0), want: Verdict{Grant: true, Reason: SlotFree}},
		"it has it already": {
			candidate: chat("a", domain.Idle, 0),
			holder:    chat("a", domain.Idle, 0), want: Verdict{Grant: true, Reason: HoldsItAlready},
		},
		"a chat at rest gives way to a chat": {
			candidate: chat("a", domain.Idle, 0),
			holder:    chat("b", domain.Idle, 0), want: Verdict{Grant: true, Reason: ChatSwitch},
		},
		"a chat at work gives way to a chat": {
			candidate: chat("a", domain.Idle, 0),
			holder:    chat("b", domain.CallingAI, 0), want: Verdict{Grant: true, Reason: ChatSwitch},
		},
		"an automation gives way to a chat": {
			candidate: chat("a", domain.Idle, 0),
			holder:    run("b", domain.CallingAI), want: Verdict{Grant: true, Reason: ChatPreempts},
		},
		"unless pre-emption is off": {
			candidate: chat("a", domain.Idle, 0),
			holder:    run("b", domain.CallingAI), settings: &polite, want: Verdict{First: true, Reason: PreemptionOff},
		},
		"an automation waits for a chat": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.Idle, time.Minute), want: Verdict{Reason: HolderBusy},
		},
		"an inactive chat is evicted": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.Idle, 5*time.Minute), want: Verdict{Grant: true, Evict: true, Reason: HolderInactive},
		},
		"a chat that waits is inactive too": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.WaitingValidation, 6*time.Minute), want: Verdict{Grant: true, Evict: true, Reason: HolderInactive},
		},
		"a chat at work is never inactive": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.CallingAI, time.Hour), want: Verdict{Reason: HolderBusy},
		},
		"a suspect waits for its time": {
			candidate: chat("a", domain.CallingAI, 0),
			barred:    true, want: Verdict{Reason: SetApart},
		},
		"then it comes back to a chat at rest": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.Idle, 0), unattended: true, returning: true, want: Verdict{Grant: true, Evict: true, Reason: TakenUpAgain},
		},
		"but not to one at work": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.CallingAI, 0), unattended: true, returning: true, want: Verdict{Reason: HolderBusy},
		},
		"nor to one that waits for its person": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.WaitingValidation, 0), unattended: true, returning: true, want: Verdict{Reason: HolderBusy},
		},
		"an automation waits for an automation": {
			candidate: run("a", domain.CallingAI),
			holder:    run("b", domain.CallingAI), want: Verdict{Reason: HolderBusy},
		},
		"a chat that was switched away waits": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.Idle, domain.ChatRest-1), unattended: true, want: Verdict{Reason: HolderBusy},
		},
		"until the other has its answer and rests": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.Idle, domain.ChatRest), unattended: true, want: Verdict{Grant: true, Reason: ChatSwitch},
		},
		"not while it waits for its person": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.WaitingValidation, time.Minute), unattended: true, want: Verdict{Reason: HolderBusy},
		},
		"nor behind those who queue": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.Idle, time.Minute), unattended: true, ahead: 1, want: Verdict{Reason: BehindTheOthers},
		},
		"a run goes behind those who queue": {
			candidate: run("a", domain.ExecutingEnrichments),
			ahead:     1, want: Verdict{Reason: BehindTheOthers},
		},
		"a chat goes before them": {
			candidate: chat("a", domain.Idle, 0),
			ahead:     3, want: Verdict{Grant: true, Reason: SlotFree},
		},
		"even when the chat is inactive": {
			candidate: run("a", domain.ExecutingEnrichments),
			holder:    chat("b", domain.Idle, time.Hour), ahead: 1, want: Verdict{Reason: BehindTheOthers},
		},
		"who goes already waits for no other run": {
			candidate: run("a", domain.CallingAI),
			holder:    run("a", domain.CallingAI), ownRun: true, want: Verdict{Grant: true, Reason: HoldsItAlready},
		},
		"a run waits for a parked one of its own": {
			candidate: run("a", domain.ExecutingEnrichments),
			ownRun:    true, want: Verdict{Reason: OwnRunGoes},
		},
		"a chat waits for a running action": {
			candidate: chat("a", domain.Idle, 0),
			holder:    run("b", domain.ExecutingActions), actionRuns: true, want: Verdict{First: true, Preempting: true, Reason: ActionRuns},
		},
		"so does a run": {
			candidate: run("a", domain.CallingAI),
			holder:    run("b", domain.ExecutingActions), actionRuns: true, want: Verdict{Reason: ActionRuns},
		},
		"who waits for the network yields": {
			candidate: run("a", domain.CallingAI),
			holder:    run("b", domain.WaitingNetworkRetry), want: Verdict{Grant: true, Reason: NetworkYields},
		},
		"even to a chat that does not pre-empt": {
			candidate: chat("a", domain.Idle, 0),
			holder:    run("b", domain.WaitingNetworkRetry), settings: &polite, want: Verdict{Grant: true, Reason: NetworkYields},
		},
		"two that wait for the network don't swap": {
			candidate: run("a", domain.WaitingNetworkRetry),
			holder:    run("b", domain.WaitingNetworkRetry), want: Verdict{Reason: HolderBusy},
		},
		"who waited too long takes it at rest": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.Idle, time.Minute), since: now.Add(-time.Hour), want: Verdict{Grant: true, Evict: true, Keeps: true, Reason: WaitedTooLong},
		},
		"but not from a chat that asks something": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.WaitingValidation, time.Minute), since: now.Add(-time.Hour), want: Verdict{Reason: HolderBusy},
		},
		"nor from a chat at work": {
			candidate: run("a", domain.CallingAI),
			holder:    chat("b", domain.CallingAI, 0), since: now.Add(-2 * time.Hour), want: Verdict{Reason: HolderBusy},
		},
		"then a chat waits for one roundtrip": {
			candidate: chat("a", domain.Idle, 0),
			holder:    keeping("b", 3, 4), want: Verdict{First: true, Reason: AutomationKeeps},
		},
		"and no longer": {
			candidate: chat("a", domain.Idle, 0),
			holder:    keeping("b", 4, 4), want: Verdict{Grant: true, Reason: ChatPreempts},
		},
		"and comes back when the other is still": {
			candidate: chat("a", domain.CallingAI, 0),
			holder:    chat("b", domain.Idle, 6*time.Minute), unattended: true, want: Verdict{Grant: true, Evict: true, Reason: HolderInactive},
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings := c.settings
			if settings == nil {
				settings = &alone
			}
			got := Decide(Request{
				Candidate: c.candidate, Holder: c.holder, Settings: settings, Now: now, Unattended: c.unattended, Barred: c.barred, Returning: c.returning,
				Ahead: c.ahead, ActionRuns: c.actionRuns, BehindOwnRun: c.ownRun, Since: c.since,
			})
			if c.want.Grant && c.want.Reason != SlotFree && c.want.Reason != HoldsItAlready {
				c.want.Displaced = c.holder
			}
			if got != c.want {
				t.Errorf("Decide = %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestARunningQuestionIsCountedFromThePersonsLastWord(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	long := now.Add(-time.Hour)
	settings := domain.DefaultSettings()
	s := &domain.Session{Type: domain.Chat, Phase: domain.WaitingCommunicationResponse, LastEventTime: now, LastUserInteractionTime: &long}
	if !inactive(s, &settings, now) {
		t.Error("a wait counts from the person's last word, not from the server's last event")
	}
	s.Phase = domain.Idle
	if inactive(s, &settings, now) {
		t.Error("at rest the last event counts")
	}
}

func notSent(string, time.Time) bool { return false }
