package notify

import (
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// item is one thing that is told, in words.
type item struct {
	What    string
	Details []string // only where the workspace wants content told
	Link    string
	Until   string
}

// maxTold is how much of a text is told, in characters: all of it is behind the link.
const maxTold = 500

func (t *told) items() []item {
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

// title is the news in a line, without content.
func (t *told) title() string {
	if n := len(t.asked); n > 1 {
		return t.settings.Say("%d things wait for you", "%d demandes en attente", n)
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
		return s.Say("What became of a call is not known", "On ne sait pas ce qu’est devenu un appel")
	case domain.ApprovalClientCalls:
		return s.Say("A program has to run a tool of its own", "Un programme doit exécuter un outil à lui")
	case domain.ApprovalReconnect:
		return s.Say("Somebody has to sign in", "Quelqu’un doit se connecter")
	}
	return s.Say("Fermata needs you", "Fermata a besoin de vous")
}

// cut is a text on one line, not longer than is told.
func cut(text string) string {
	text = domain.VisibleLine(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) <= maxTold {
		return text
	}
	return string([]rune(text)[:maxTold]) + "…"
}
