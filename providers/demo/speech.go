package demo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// speech is what is said, in the language of the request.
type speech struct {
	fr   bool
	said []string
}

// say adds to the final answer, in the person's language.
func (sp *speech) say(en, fr string, args ...any) {
	sp.said = append(sp.said, fmt.Sprintf(sp.in(en, fr), args...))
}

func (sp *speech) in(en, fr string) string {
	if sp.fr {
		return fr
	}
	return en
}

func (sp *speech) plural(n int, one, many, un, plusieurs string) string {
	if n == 1 || (sp.fr && n == 0) {
		return sp.in(one, un)
	}
	return sp.in(many, plusieurs)
}

// names lists records in the quotes of the language.
func (sp *speech) names(records []record) string {
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = fmt.Sprintf(sp.in("“%s”", "« %s »"), r.name)
	}
	return strings.Join(names, ", ")
}

func (sp *speech) listed(records []record) string {
	if len(records) == 0 {
		return "."
	}
	return sp.in(": ", " : ") + sp.names(records) + "."
}

func (sp *speech) decimal(n string) string {
	if sp.fr {
		return strings.Replace(n, ".", ",", 1)
	}
	return n
}

// round shows a number with at most two decimals.
func (sp *speech) round(v any) (string, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return "", false
	}
	f, err := n.Float64()
	if err != nil {
		return "", false
	}
	return sp.decimal(strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")), true
}

// values says how many there are.
func (sp *speech) values(count string) string {
	if count == "1" {
		return count + " " + sp.in("value", "valeur")
	}
	return count + " " + sp.in("values", "valeurs")
}

// bucket says which day, week or month it is that begins on a date.
func (sp *speech) bucket(date, group string) string {
	switch {
	case group == "week":
		return sp.in("the week of ", "semaine du ") + date
	case group == "month" && len(date) > 7:
		return date[:7]
	}
	return date
}

// nothing says that there are no entries, at all or in a period.
func (sp *speech) nothing(tool *record, when string) {
	if when != "" {
		sp.say("There is nothing in “%s” for this time: %s.", "Il n'y a rien dans « %s » pour cette période : %s.", tool.name, when)
		return
	}
	sp.say("There is nothing in “%s” yet.", "Il n'y a encore rien dans « %s ».", tool.name)
}

func (sp *speech) noSuch(records []record, what, name string) {
	if len(records) == 0 {
		sp.say("There is no %s yet.", "Il n'y a encore aucun élément (%s).", what)
		return
	}
	sp.say("I find no %s called “%s”. There are: %s.", "Je ne trouve pas de %s du nom de « %s ». Il y a : %s.", what, name, sp.names(records))
}

func (sp *speech) inUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return sp.in(", in ", ", en ") + unit
}
