package demo

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// speech is what is said, in the language of the request. Once it is stopped, nothing more is said.
type speech struct {
	fr, stopped bool
	said        []string
}

// add adds lines to the final answer.
func (sp *speech) add(lines ...string) {
	if !sp.stopped {
		sp.said = append(sp.said, strings.Join(lines, "\n"))
	}
}

// say adds to the final answer, in the person's language.
func (sp *speech) say(text string, args ...any) { sp.add(sp.in(text, args...)) }

// stop says why a plan ends here.
func (sp *speech) stop(text string, args ...any) {
	sp.say(text, args...)
	sp.stopped = true
}

//go:embed french.json
var translations []byte

// french has the French translation of each English text.
var french = sync.OnceValue(func() map[string]string {
	var all map[string]string
	if err := json.Unmarshal(translations, &all); err != nil {
		panic(fmt.Sprintf("demo: read the translations: %v", err)) // they are a part of the program
	}
	return all
})

// in is an English text in the person's language.
func (sp *speech) in(text string, args ...any) string {
	if sp.fr {
		text = french()[text]
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// counted is a number with its noun; both languages add an s.
func (sp *speech) counted(n any, noun string) string {
	text := fmt.Sprint(n)
	if text == "1" || sp.fr && text == "0" {
		return text + " " + sp.in(noun)
	}
	return text + " " + sp.in(noun) + "s"
}

// names lists records in the quotes of the language.
func (sp *speech) names(records []record) string {
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = sp.in("“%s”", r.name)
	}
	return strings.Join(names, ", ")
}

func (sp *speech) decimal(n string) string {
	if sp.fr {
		return strings.Replace(n, ".", ",", 1)
	}
	return n
}

// round shows a number with at most two decimals; "" is no number.
func (sp *speech) round(v any) string {
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil {
		return ""
	}
	return sp.decimal(strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), "."))
}

// bucket says which day, week or month it is that begins on a date.
func (sp *speech) bucket(date, group string) string {
	switch {
	case group == "week":
		return sp.in("the week of ") + date
	case group == "month" && len(date) > 7:
		return date[:7]
	}
	return date
}

// need is the record of that name; without one it stops.
func (sp *speech) need(all []record, what, name string) record {
	r, ok := best(all, name)
	switch {
	case ok:
	case len(all) == 0:
		sp.stop("There is no %s yet.", what)
	default:
		sp.stop("I find no %s called “%s”. There are: %s.", what, name, sp.names(all))
	}
	return r
}

// line says an entry in words.
func (sp *speech) line(tool, e record) string {
	text, _ := e.data["text"].(string)
	head, _ := e.data["title"].(string)
	if v := sp.round(e.data["value"]); v != "" {
		text = v + after(unitOf(tool, ""))
	}
	switch {
	case text == "" && (head == "" || len(e.data) > 1):
		text = sp.fields(e.data)
	case head != "" && text != "" && head != text:
		text = head + sp.in(": ") + text
	}
	text = oneLine(cmp.Or(text, head))
	if done, ok := e.data["done"].(bool); ok {
		return map[bool]string{true: "[x] ", false: "[ ] "}[done] + text
	}
	if at := e.text("timestamp"); len(at) >= 10 {
		return at[:10] + "  " + text
	}
	return text
}

// fields says the data of a type of the person's own: "author: Frank Herbert, pages: 412".
func (sp *speech) fields(data object) string {
	var said []string
	for _, key := range slices.Sorted(maps.Keys(data)) {
		value := cmp.Or(sp.round(data[key]), fmt.Sprint(data[key]))
		if yes, ok := data[key].(bool); ok {
			value = map[bool]string{true: sp.in("yes"), false: sp.in("no")}[yes]
		}
		said = append(said, key+sp.in(": ")+value)
	}
	return strings.Join(said, ", ")
}

// nothing says that there are no entries, at all or in a period.
func (sp *speech) nothing(tool record, when string) {
	if when != "" {
		sp.say("There is nothing in “%s” for this time: %s.", tool.name, when)
		return
	}
	sp.say("There is nothing in “%s” yet.", tool.name)
}

// entries says a page of entries, and that there is more.
func (sp *speech) entries(tool record, when string, data step) {
	entries := look(data).entries
	if len(entries) == 0 {
		sp.nothing(tool, when)
		return
	}
	lines := []string{sp.in("The latest of “%s”:", tool.name)}
	for _, e := range entries {
		lines = append(lines, "- "+sp.line(tool, e))
	}
	if cursorIn(data.text) != "" {
		lines = append(lines, "", sp.in("There is more: say “more”."))
	}
	sp.add(lines...)
}

// figures says statistics in words, with the change between the two latest entries.
func (sp *speech) figures(tool record, when, group string, figures, data step) {
	found := look(figures)
	count := sp.round(found.stats["count"])
	if count == "" || count == "0" {
		sp.nothing(tool, when)
		return
	}
	if when != "" {
		when = ", " + when
	}
	unit := after(unitOf(tool, ""))
	lines := []string{sp.in("“%s”%s: %s.", tool.name, when, sp.counted(count, "value"))}
	for _, f := range [][2]string{{"last", "last: "}, {"min", "lowest: "}, {"max", "highest: "}, {"mean", "mean: "}} {
		if v := sp.round(found.stats[f[0]]); v != "" {
			lines = append(lines, "- "+sp.in(f[1])+v+unit)
		}
	}
	if change := sp.change(look(data).entries); change != "" {
		lines = append(lines, "- "+sp.in("since the one before: ")+change+unit)
	}
	for _, g := range found.groups {
		lines = append(lines, sp.in("- %s: mean %s (%s)", sp.bucket(g.text("bucket"), group),
			sp.round(g.fields["mean"])+unit, sp.counted(sp.round(g.fields["count"]), "value")))
	}
	sp.add(lines...)
}

// change is the difference of the two latest values.
func (sp *speech) change(latest []record) string {
	if len(latest) < 2 {
		return ""
	}
	var v [2]float64
	for i := range v {
		n, _ := latest[i].data["value"].(json.Number)
		f, err := n.Float64()
		if err != nil {
			return ""
		}
		v[i] = f
	}
	text := sp.round(json.Number(strconv.FormatFloat(v[0]-v[1], 'f', 2, 64)))
	if v[0] > v[1] {
		return "+" + text
	}
	return text
}
