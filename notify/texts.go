package notify

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
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
		out[i] = item{What: a.Title().In(t.settings.Language), Link: t.links[i]}
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
func (t *message) title() string { return domain.TitleOf(t.asked).In(t.settings.Language) }

// cut returns a text on one line, truncated to maxText.
func cut(text string) string {
	text = visible.Line(strings.Join(strings.Fields(text), " "))
	return shorten.Characters(text, maxText)
}
