package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// say formats the phrase of the workspace's language.
func (e *Env) say(english, french string, args ...any) string {
	return e.Settings.Say(english, french, args...)
}

// count says "1 entry" or "12 entries".
func (e *Env) count(n int, english, englishMany, french, frenchMany string) string {
	if e.Settings.Language == "fr" {
		if n < 2 {
			return fmt.Sprintf("%d %s", n, french)
		}
		return fmt.Sprintf("%d %s", n, frenchMany)
	}
	return domain.Plural(n, english, englishMany)
}

func (e *Env) entries(n int) string { return e.count(n, "entry", "entries", "entrée", "entrées") }
func (e *Env) tools(n int) string   { return e.count(n, "tool", "tools", "outil", "outils") }

// name quotes the name of something as people write it. What it holds that nobody sees
// is shown: a card must not look like another one.
func (e *Env) name(name string) string {
	name = jsonbody.Cut(domain.VisibleLine(strings.Trim(name, " \n\t")), 80)
	if e.Settings.Language == "fr" {
		return "« " + name + " »"
	}
	return "“" + name + "”"
}

// toolName names a tool for people; an unknown one by its id.
func (c *call) toolName(ctx context.Context, id string) string {
	tool, err := c.store.Tool(ctx, id)
	if err != nil {
		return c.env.name(id)
	}
	return c.env.name(tool.Name)
}

func (c *call) zoneName(ctx context.Context, id string) string {
	zone, err := c.store.Zone(ctx, id)
	if err != nil {
		return c.env.name(id)
	}
	return c.env.name(zone.Name)
}

// period says a period in words: "last week", "from … to …".
func (e *Env) period(p domain.Period) string {
	switch {
	case p.IsZero():
		return e.say("all of it", "en entier")
	case p.Relative != "":
		return e.relative(p.Relative)
	case p.From != "":
		return e.say("from %s to %s", "de %s à %s", e.relative(p.From), e.relative(p.To))
	case p.End == "":
		return e.say("since %s", "depuis %s", moment(p.Start))
	case p.Start == "":
		return e.say("until %s", "jusqu’à %s", moment(p.End))
	}
	return e.say("from %s to %s", "de %s à %s", moment(p.Start), moment(p.End))
}

// moment shortens an instant to what people read.
func moment(text string) string {
	if len(text) > len("2006-01-02T15:04") && text[10] == 'T' {
		text = text[:16]
	}
	text = strings.Replace(text, "T", " ", 1)
	return strings.TrimSuffix(text, " 00:00")
}

func (e *Env) relative(text string) string {
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
		return e.say("%[1]s", "%[2]s", words[0], words[1])
	}
	offset, unit, _ := strings.Cut(text, "_")
	units := map[string][2]string{"HOUR": {"hours", "heures"}, "DAY": {"days", "jours"}, "WEEK": {"weeks", "semaines"},
		"MONTH": {"months", "mois"}, "YEAR": {"years", "ans"}}
	if past, ok := strings.CutPrefix(offset, "-"); ok {
		return e.say("%[1]s %[2]s ago", "il y a %[1]s %[3]s", past, units[unit][0], units[unit][1])
	}
	return e.say("in %[1]s %[2]s", "dans %[1]s %[3]s", offset, units[unit][0], units[unit][1])
}
