package scheduler

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// A chat comes to rest while the scheduler looks who waits, and the look still saw it at
// work. Who waits is looked for once more: nobody would tell of that rest again.
func TestARestDuringALookIsNotMissed(t *testing.T) {
	chat := &domain.Session{ID: "ses_1", WorkspaceID: "default", Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true}
	run := &domain.Session{ID: "ses_2", WorkspaceID: "default", Type: domain.Automation, Phase: domain.CallingAI}
	run.State.Suspended = true
	for name, aside := range map[string][]*domain.Session{"somebody waits": {run}, "nobody does": nil} {
		w := &lookedAt{recovery: &recovery{}, waiters: &domain.Waiters{
			Workspace: &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}, Holder: chat, Aside: aside,
		}}
		door := NewDoor(Config{Agenda: w, Runner: w, Observer: w, Clock: clock.System, Log: zerolog.Nop()})
		w.meanwhile = func() {
			rested := chat.Clone()
			rested.Phase = domain.Idle
			door.Rested(rested)
		}
		door.lookAt(t.Context(), "default")
		if len(door.agenda.due(clock.System().Add(time.Second))) != 1 {
			t.Errorf("%s: no other look was asked for", name)
		}
		w.meanwhile = func() {}
		door.lookAt(t.Context(), "default")
		if waits := door.agenda.somebodyWaits("default"); waits != (aside != nil) {
			t.Errorf("%s: after the look the agenda says %v", name, waits)
		}
	}
}

// An older look that found nobody does not silence a younger one that did.
func TestAnOlderLookSilencesNobody(t *testing.T) {
	a := newAgenda(nil)
	older := a.waits("default")
	younger := a.waits("default")
	if a.nobodyWaits("default", older); !a.somebodyWaits("default") {
		t.Error("the older look silenced the younger one")
	}
	if a.nobodyWaits("default", younger); a.somebodyWaits("default") {
		t.Error("nobody waits, and the agenda does not know it")
	}
}

// lookedAt is a database in which something happens during a look.
type lookedAt struct {
	*recovery
	waiters   *domain.Waiters
	meanwhile func()
}

func (l *lookedAt) Agenda(context.Context, time.Time, int, bool) (*domain.Agenda, error) {
	return &domain.Agenda{}, nil
}

func (l *lookedAt) Waiters(context.Context, string) (*domain.Waiters, error) {
	l.meanwhile()
	return l.waiters, nil
}
