package slot

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestWhoComesNext covers the choice of the next session on views as they are read: one that waits for its turn
// comes behind all explicit requests, however late those came, and blocks none.
func TestWhoComesNext(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	soon := now.Add(10 * time.Second)
	row := func(id string, kind domain.SessionType, reason string, since time.Duration, notBefore *time.Time) domain.QueueRow {
		s := &domain.Session{ID: id, Type: kind, Phase: domain.CallingAI, LastEventTime: now.Add(-since)}
		return domain.QueueRow{SessionID: id, Session: s, Reason: reason, Since: now.Add(-since), NotBefore: notBefore}
	}
	resting := &domain.Session{ID: "chat", Type: domain.Chat, Phase: domain.Idle, HoldsSlot: true, LastEventTime: now.Add(-time.Minute)}
	answered := &domain.Session{ID: "chat", Type: domain.Chat, Phase: domain.Idle, HoldsSlot: true, LastEventTime: now}
	asking := &domain.Session{ID: "chat", Type: domain.Chat, Phase: domain.WaitingValidation, HoldsSlot: true, LastEventTime: now}
	at := func(id string) *domain.Session {
		s := &domain.Session{ID: id, Type: domain.Chat, Phase: domain.CallingAI, LastEventTime: now.Add(-time.Minute)}
		s.State.Suspended, s.State.SuspendedAt = true, now.Add(-time.Minute)
		return s
	}
	working := &domain.Session{ID: "chat", Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true, LastEventTime: now}
	answer := row("answer", domain.Chat, string(domain.CauseResume), time.Minute, nil)
	answer.Trigger, answer.Session.Phase, answer.Session.State.Suspended = domain.TriggerResume, domain.ParsingAIResponse, true
	for name, c := range map[string]struct {
		holder *domain.Session
		queue  []domain.QueueRow
		aside  []*domain.Session
		want   string
		again  time.Time
	}{
		"who asks goes before who waits in its turn": {
			queue: []domain.QueueRow{row("run", domain.Run, "holder_busy", time.Second, nil), row("turn", domain.Chat, domain.QueuedInTurn, time.Hour, nil)}, want: "run",
		},
		"then the oldest request": {
			queue: []domain.QueueRow{row("turn", domain.Chat, domain.QueuedInTurn, time.Second, nil)}, aside: []*domain.Session{at("aside")}, want: "aside",
		},
		"a suspect before its time is looked at then": {
			queue: []domain.QueueRow{row("suspect", domain.Chat, domain.QueuedSuspect, time.Hour, &soon)}, again: soon,
		},
		"and blocks no other": {
			queue: []domain.QueueRow{row("suspect", domain.Chat, domain.QueuedSuspect, time.Hour, &soon)}, aside: []*domain.Session{at("aside")}, want: "aside", again: soon,
		},
		"its session need not be read for that": {
			queue: []domain.QueueRow{{SessionID: "suspect", Reason: domain.QueuedSuspect, NotBefore: &soon}}, again: soon,
		},
		"when its time has come a chat at rest gives way": {
			holder: resting, queue: []domain.QueueRow{row("suspect", domain.Chat, domain.QueuedSuspect, time.Hour, &now)}, want: "suspect",
		},
		"a chat whose place was taken comes when the other has its answer": {
			holder: resting, queue: []domain.QueueRow{row("turn", domain.Chat, domain.QueuedInTurn, time.Hour, nil)}, want: "turn",
		},
		"not in the moment in which it came": {
			holder: answered, aside: []*domain.Session{at("aside")}, again: now.Add(domain.ChatRest),
		},
		"nor from one that asks its person": {
			holder: asking, aside: []*domain.Session{at("aside")}, again: now.Add(5 * time.Minute),
		},
		"an answer comes as soon as the holder rests": {holder: answered, queue: []domain.QueueRow{answer}, want: "answer"},
		"not while it works":                          {holder: working, queue: []domain.QueueRow{answer}},
		"and meanwhile it stops no message": {
			holder: working, queue: []domain.QueueRow{answer, row("message", domain.Chat, "call_begins", time.Second, nil)}, want: "message",
		},
		"nor lets a session in turn pass": {
			queue: []domain.QueueRow{row("turn", domain.Chat, domain.QueuedInTurn, time.Hour, nil), answer}, want: "answer",
		},
		"a run waits until it is inactive": {
			holder: resting, queue: []domain.QueueRow{row("run", domain.Run, "holder_busy", time.Second, nil)}, again: now.Add(4 * time.Minute),
		},
	} {
		w := &domain.Waiters{Workspace: &domain.Workspace{Settings: domain.DefaultSettings()}, Holder: c.holder, Queue: c.queue, Aside: c.aside}
		choice := Next(w, now, notSent)
		got := ""
		if choice.Session != nil {
			got = choice.Session.ID
		}
		if got != c.want || !choice.LookAgain.Equal(c.again) {
			t.Errorf("%s: next is %q, again at %s; want %q, %s", name, got, choice.LookAgain, c.want, c.again)
		}
	}
}
