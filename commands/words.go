package commands

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

// spoken is a text in the workspace's language.
func (e *Env) spoken(text domain.Text) string { return text.In(e.Settings.Language) }

func entriesText(n int) domain.Text {
	return domain.Count(n, "entry", "entries", "entrée", "entrées")
}
func toolsText(n int) domain.Text { return domain.Count(n, "tool", "tools", "outil", "outils") }

// nameText quotes a name, with invisible characters escaped: a card must not look like another one.
func nameText(name string) domain.Text {
	name = shorten.Characters(visible.Line(strings.Trim(name, " \n\t")), 80)
	return domain.Say("“%s”", "« %s »", name)
}

// quoted is nameText for what is called otherwise in each language.
func quoted(name domain.Text) domain.Text {
	return domain.Text{EN: nameText(name.EN).EN, FR: nameText(name.FR).FR}
}

// toolName names a tool for people; an unknown one by its id.
func (c *call) toolName(ctx context.Context, id string) domain.Text {
	tool, err := c.store.Tool(ctx, id)
	if err != nil {
		return nameText(id)
	}
	return nameText(tool.Name)
}

func (c *call) zoneName(ctx context.Context, id string) domain.Text {
	zone, err := c.store.Zone(ctx, id)
	if err != nil {
		return nameText(id)
	}
	return nameText(zone.Name)
}

// periodText describes a period: "last week", "from … to …".
func periodText(p calendar.Period) domain.Text {
	switch {
	case p.IsZero():
		return domain.Say("all of it", "en entier")
	case p.Relative != "":
		return relativeText(p.Relative)
	case p.From != "":
		return domain.Say("from %s to %s", "de %s à %s", relativeText(p.From), relativeText(p.To))
	case p.End == "":
		return domain.Say("since %s", "depuis %s", moment(p.Start))
	case p.Start == "":
		return domain.Say("until %s", "jusqu’à %s", moment(p.End))
	}
	return domain.Say("from %s to %s", "de %s à %s", moment(p.Start), moment(p.End))
}

// moment shortens an instant to what people read.
func moment(text string) string {
	if len(text) > len("2006-01-02T15:04") && text[10] == 'T' {
		text = text[:16]
	}
	text = strings.Replace(text, "T", " ", 1)
	return strings.TrimSuffix(text, " 00:00")
}

func relativeText(text string) domain.Text {
	known := map[string][2]string{
		"0_HOUR":  {"this hour", "cette heure"},
		"-1_HOUR": {"the last hour", "l’heure passée"},
		"0_DAY":   {"today", "aujourd’hui"},
		"-1_DAY":  {"yesterday", "hier"},
		"1_DAY":   {"tomorrow", "demain"},
		"0_WEEK": {
			"this week",
			"cette semaine",
		},
		"-1_WEEK":  {"last week", "la semaine dernière"},
		"1_WEEK":   {"next week", "la semaine prochaine"},
		"0_MONTH":  {"this month", "ce mois"},
		"-1_MONTH": {"last month", "le mois dernier"},
		"1_MONTH":  {"next month", "le mois prochain"},
		"0_YEAR":   {"this year", "cette année"},
		"-1_YEAR":  {"last year", "l’année dernière"},
		"1_YEAR":   {"next year", "l’année prochaine"},
	}
	text = strings.TrimPrefix(text, "+")
	if words, ok := known[text]; ok {
		return domain.Text{EN: words[0], FR: words[1]}
	}
	offset, unit, _ := strings.Cut(text, "_")
	units := map[string][2]string{"HOUR": {"hours", "heures"}, "DAY": {"days", "jours"}, "WEEK": {"weeks", "semaines"},
		"MONTH": {"months", "mois"}, "YEAR": {"years", "ans"}}
	if past, ok := strings.CutPrefix(offset, "-"); ok {
		return domain.Say("%[1]s %[2]s ago", "il y a %[1]s %[3]s", past, units[unit][0], units[unit][1])
	}
	return domain.Say("in %[1]s %[2]s", "dans %[1]s %[3]s", offset, units[unit][0], units[unit][1])
}
