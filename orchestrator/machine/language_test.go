package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestCardsAreInTheLanguageOfTheWorkspace covers every kind of approval and the messages about it.
func TestCardsAreInTheLanguageOfTheWorkspace(t *testing.T) {
	french := func(t *testing.T, kind domain.SessionType) *world {
		w := newWorld(t, kind)
		w.settings.Language = "fr"
		return w
	}
	budget := french(t, domain.Chat)
	budget.settings.Limits.Chat.MaxCostPerMonth = new(2.0)
	p := budget.policy()
	p.Estimate, p.Spent = priced, domain.Spent{Month: "2030-01", ThisMonth: 2.5}
	over := said(t, budget, p)

	done := french(t, domain.Run)
	done.ask = true
	done.must(domain.EnrichmentsExecuted{})
	for _, e := range done.answered(part{"complete", ""}) {
		done.must(e)
	}
	poisoned := french(t, domain.Chat)
	poisoned.must(domain.UserMessageSent{Message: poisoned.message("hello")})
	poisoned.s.State.Suspicion.Deaths = 3
	poisoned.must(domain.SessionActivationRequested{Recovery: true, Died: true})
	var asked []*domain.Approval
	asked = append(asked, over.Change.Approvals...)
	asked = append(asked, done.open()...)
	asked = append(asked, poisoned.open()...)
	want := map[domain.ApprovalKind]string{
		domain.ApprovalBudget:     "Le budget « dépense de l’espace de travail par mois » est épuisé : $2.5 sur $2. Continuer ?",
		domain.ApprovalCompletion: "L’automatisation dit avoir terminé. Est-ce le cas ?",
		domain.ApprovalPoisoned:   "Le serveur s’est arrêté quatre fois de suite pendant cette étape de la session. Réessayer, ou l’arrêter ?",
	}
	for _, a := range asked {
		if a.Text != want[a.Kind] {
			t.Errorf("the card of kind %s says %q, want %q", a.Kind, a.Text, want[a.Kind])
		}
		delete(want, a.Kind)
	}
	if len(want) > 0 {
		t.Errorf("no approval of kind %v", want)
	}
	for _, e := range over.Change.Events {
		if e.Message != nil && e.Message.System != nil && !strings.HasSuffix(e.Message.System.Summary, "Le travail s’arrête ici.") {
			t.Errorf("the record says %q", e.Message.System.Summary)
		}
	}
}

// TestLimitsAreInBothLanguages: what ends a round is read by a person.
func TestLimitsAreInBothLanguages(t *testing.T) {
	for name := range whatIsLimited {
		text := limitText(name, 3)
		if !strings.HasPrefix(text.EN, "The limit of 3 ") || !strings.HasSuffix(text.EN, " is reached.") {
			t.Errorf("%s: %q", name, text.EN)
		}
		if !strings.HasPrefix(text.FR, "La limite de 3 ") || !strings.HasSuffix(text.FR, " est atteinte.") {
			t.Errorf("%s: %q", name, text.FR)
		}
	}
}

// TestWatchdogIsInTheLanguageOfTheWorkspace: why a run was stopped stands in the chat.
func TestWatchdogIsInTheLanguageOfTheWorkspace(t *testing.T) {
	for language, want := range map[string][2]string{
		"en": {"Nothing happened for 10 minutes.", "It worked for more than 1 hour 30 minutes in total."},
		"fr": {"Rien ne s’est passé pendant 10 minutes.", "Durée de travail dépassée (1 heure 30 minutes au total)."},
	} {
		w := newWorld(t, domain.Run)
		w.settings.Language = language
		w.settings.MaxInactivity, w.settings.MaxActiveDuration = domain.Duration(10*time.Minute), domain.Duration(90*time.Minute)
		still := &domain.Session{Type: domain.Run, Phase: domain.CallingAI, LastEventTime: w.now.Add(-10 * time.Minute)}
		long := &domain.Session{Type: domain.Run, Phase: domain.CallingAI, LastEventTime: w.now}
		long.State.WorkedMicros = (90 * time.Minute).Microseconds()
		for i, session := range []*domain.Session{still, long} {
			session.HoldsSlot = true
			if got := watchdog(&step{policy: w.policy(), session: session}).In(language); got != want[i] {
				t.Errorf("%s: %q, want %q", language, got, want[i])
			}
		}
	}
}
