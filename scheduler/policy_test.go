package scheduler

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// The activation table of the spec, cell by cell.
func TestAsk(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	chat := func(id string, phase domain.Phase, idle time.Duration) *domain.Session {
		at := now.Add(-idle)
		return &domain.Session{ID: id, Type: domain.Chat, Phase: phase, LastEventTime: at, LastUserInteractionTime: &at}
	}
	run := func(id string, phase domain.Phase) *domain.Session {
		return &domain.Session{ID: id, Type: domain.Automation, Phase: phase, LastEventTime: now}
	}
	alone := domain.DefaultSettings()
	polite := domain.DefaultSettings()
	polite.ChatPreempts = false
	for name, c := range map[string]struct {
		asker, holder *domain.Session
		settings      *domain.Settings
		byItself      bool
		want          Verdict
	}{
		"the slot is free":                       {asker: chat("a", domain.Idle, 0), want: Verdict{Grant: true, Reason: SlotFree}},
		"it has it already":                      {asker: chat("a", domain.Idle, 0), holder: chat("a", domain.Idle, 0), want: Verdict{Grant: true, Reason: HoldsItAlready}},
		"a chat at rest gives way to a chat":     {asker: chat("a", domain.Idle, 0), holder: chat("b", domain.Idle, 0), want: Verdict{Grant: true, Reason: ChatSwitch}},
		"a chat at work gives way to a chat":     {asker: chat("a", domain.Idle, 0), holder: chat("b", domain.CallingAI, 0), want: Verdict{Grant: true, Reason: ChatSwitch}},
		"an automation gives way to a chat":      {asker: chat("a", domain.Idle, 0), holder: run("b", domain.CallingAI), want: Verdict{Grant: true, Reason: ChatPreempts}},
		"unless pre-emption is off":              {asker: chat("a", domain.Idle, 0), holder: run("b", domain.CallingAI), settings: &polite, want: Verdict{Reason: PreemptionOff}},
		"an automation waits for a chat":         {asker: run("a", domain.CallingAI), holder: chat("b", domain.Idle, time.Minute), want: Verdict{Reason: HolderBusy}},
		"an inactive chat is evicted":            {asker: run("a", domain.CallingAI), holder: chat("b", domain.Idle, 5*time.Minute), want: Verdict{Grant: true, Evict: true, Reason: HolderInactive}},
		"a chat that waits is inactive too":      {asker: run("a", domain.CallingAI), holder: chat("b", domain.WaitingValidation, 6*time.Minute), want: Verdict{Grant: true, Evict: true, Reason: HolderInactive}},
		"a chat at work is never inactive":       {asker: run("a", domain.CallingAI), holder: chat("b", domain.CallingAI, time.Hour), want: Verdict{Reason: HolderBusy}},
		"an automation waits for an automation":  {asker: run("a", domain.CallingAI), holder: run("b", domain.CallingAI), want: Verdict{Reason: HolderBusy}},
		"a chat that was switched away waits":    {asker: chat("a", domain.CallingAI, 0), holder: chat("b", domain.Idle, time.Minute), byItself: true, want: Verdict{Reason: HolderBusy}},
		"and comes back when the other is still": {asker: chat("a", domain.CallingAI, 0), holder: chat("b", domain.Idle, 6*time.Minute), byItself: true, want: Verdict{Grant: true, Evict: true, Reason: HolderInactive}},
	} {
		t.Run(name, func(t *testing.T) {
			settings := c.settings
			if settings == nil {
				settings = &alone
			}
			got := Ask(c.asker, c.holder, settings, now, c.byItself)
			if c.want.Grant && c.want.Reason != SlotFree && c.want.Reason != HoldsItAlready {
				c.want.Displaced = c.holder
			}
			if got != c.want {
				t.Errorf("Ask = %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestARunningQuestionIsCountedFromThePersonsLastWord(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	long := now.Add(-time.Hour)
	settings := domain.DefaultSettings()
	s := &domain.Session{Type: domain.Chat, Phase: domain.WaitingCommunicationResponse, LastEventTime: now, LastUserInteractionTime: &long}
	if !Inactive(s, &settings, now) {
		t.Error("a wait counts from the person's last word, not from the server's last event")
	}
	s.Phase = domain.Idle
	if Inactive(s, &settings, now) {
		t.Error("at rest the last event counts")
	}
}
