package notify

import (
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// item describes one approval in a notification.
type item struct {
	What    string
	Details []string // // only if the workspace shows content
	Link    string
	Until   string
}

// maxText bounds a text in characters; the link leads to all of it.
const maxText = 500

func (t *message) items() []item {
	out := make([]item, len(t.asked))
	for i, a := range t.asked {
		a = a.In(t.settings.Language)
		out[i] = item{What: what(a, t.settings), Link: t.links[i]}
		if a.ExpiresAt != nil {
			out[i].Until = t.settings.Say("until %s", "jusqu’au %s", t.settings.When(*a.ExpiresAt))
		}
		if !t.settings.Notifications.ShowContent {
			continue
		}
		if text := cut(a.Text); text != "" {
			out[i].Details = append(out[i].Details, text)
		}
		for _, action := range a.Actions {
			out[i].Details = append(out[i].Details, cut(action.Text))
		}
	}
	return out
}

// title is a one-line summary without content.
func (t *message) title() string {
	if n := len(t.asked); n > 1 {
		return t.settings.Say("%d requests need your answer", "%d demandes en attente", n)
	}
	return what(t.asked[0], t.settings)
}

func what(a *domain.Approval, s *domain.Settings) string {
	switch a.Kind {
	case domain.ApprovalActions:
		if len(a.Actions) > 1 {
			return s.Say("%d changes need your approval", "%d modifications à approuver", len(a.Actions))
		}
		return s.Say("A change needs your approval", "Une modification attend votre accord")
	case domain.ApprovalQuestion:
		return s.Say("A question for you", "Une question pour vous")
	case domain.ApprovalBudget:
		return s.Say("A budget is used up", "Un budget est épuisé")
	case domain.ApprovalCompletion:
		return s.Say("Is this finished?", "Est-ce terminé ?")
	case domain.ApprovalOutcome:
		return s.Say("A call has an unknown outcome", "On ne sait pas ce qu’est devenu un appel")
	case domain.ApprovalClientCalls:
		return s.Say("A program has to run a tool of its own", "Un programme doit exécuter un outil à lui")
	case domain.ApprovalReconnect:
		return s.Say("Sign-in required", "Quelqu’un doit se connecter")
	}
	return s.Say("Fermata needs you", "Fermata a besoin de vous")
}

// cut returns a text on one line, truncated to maxText.
func cut(text string) string {
	text = domain.VisibleLine(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText]) + "…"
}
