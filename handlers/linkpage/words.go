package linkpage

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

func wordsIn(s *domain.Settings) Words {
	return Words{
		Because: s.Say("Why you are asked:", "Pourquoi on vous le demande :"),
		Choose:  s.Say("Choose", "Choisissez"),
		Other:   s.Say("Something else", "Autre chose"),
		Answer:  s.Say("Your answer", "Votre réponse"),
		Comment: s.Say("Comment (optional)", "Un mot (facultatif)"),
		Figures: s.Say("Your browser runs no scripts. Type these figures to answer:",
			"Votre navigateur n’exécute pas de scripts. Pour répondre, tapez ces chiffres :"),
		Again: s.Say("Show the buttons", "Afficher les boutons"),
	}
}

// settledAs says what was decided, by whom and when.
func settledAs(a *domain.Approval, s *domain.Settings) string {
	what := s.Say("Settled", "Réglé")
	switch a.Status {
	case domain.ApprovalStatusApproved:
		what = s.Say("Approved", "Approuvé")
		if a.Kind == domain.ApprovalQuestion {
			what = s.Say("Answered", "Répondu")
		}
	case domain.ApprovalStatusRefused:
		what = s.Say("Refused", "Refusé")
	case domain.ApprovalStatusExpired:
		what = s.Say("The time for an answer is over", "Le délai pour répondre est écoulé")
	case domain.ApprovalStatusSuperseded, domain.ApprovalStatusStale:
		what = s.Say("Asked again: this page is outdated", "Redemandé : cette fiche ne compte plus")
	case domain.ApprovalStatusStopped, domain.ApprovalStatusInterrupted, domain.ApprovalStatusEvicted:
		what = s.Say("No longer needed: the session was stopped", "Plus nécessaire : la session a été arrêtée")
	}
	if by := whoIn(a.SettledBy, s); by != "" {
		what += " " + by
	}
	if a.SettledAt != nil {
		what += ", " + s.When(*a.SettledAt)
	}
	return what + "."
}

// whoIn names who settled it.
func whoIn(by string, s *domain.Settings) string {
	recipient, link := people.RecipientOf(by)
	switch {
	case by == "":
		return ""
	case link && recipient == "":
		return s.Say("by a link", "par un lien")
	case link:
		return s.Say("by the link sent to %s", "par le lien envoyé à %s", recipient)
	case by == "local":
		return s.Say("on the server's own machine", "sur la machine du serveur")
	}
	return s.Say("by %s", "par %s", by)
}
