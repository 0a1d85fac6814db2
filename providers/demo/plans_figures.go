package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// texts are the built-in types whose entries are no numbers to make statistics of.
var texts = map[string]bool{"journal": true, "notes": true, "checklist": true, "goal": true}

// stats asks for statistics and the latest entries at once, unless the message brought
// them along.
func stats(c *planner, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	period, group := periodOf(g["when"]), groupOf(g["by"])
	if texts[tool.toolType] {
		c.list(tool, map[string]any{"tool_id": tool.id, "limit": shownEntries, "order": "desc"}, g["when"])
		return
	}
	if period == nil && group == "" && c.givenFigures(tool) {
		return
	}
	figures, latest := map[string]any{"tool_id": tool.id}, map[string]any{"tool_id": tool.id, "limit": 5, "order": "desc"}
	if period != nil {
		figures["period"], latest["period"] = period, period
	}
	if group != "" {
		figures["group_by"] = group
	}
	steps, ok := c.run(c.in("Looking at the figures…", "Je regarde les chiffres…"),
		planned{"TOOL_CONFIG", map[string]any{"tool_id": tool.id}}, planned{"TOOL_STATS", figures}, planned{"TOOL_DATA", latest})
	if !ok {
		return
	}
	c.figures(configured(tool, steps[0]), g["when"], group, steps[1], steps[2])
	c.justRead(steps...)
}

// figures says statistics in words, with the change between the two latest entries.
func (sp *speech) figures(tool *record, when, group string, figures, data step) {
	found, latest := look(figures.text), look(data.text).entries
	count, _ := sp.round(found.stats["count"])
	if count == "" || count == "0" {
		sp.nothing(tool, when)
		return
	}
	if when != "" {
		when = ", " + when
	}
	unit := after(unitOf(tool, ""))
	lines := []string{fmt.Sprintf(sp.in("“%s”%s: %s.", "« %s »%s : %s."), tool.name, when, sp.values(count))}
	for _, f := range []struct{ key, en, fr string }{
		{"last", "last", "dernière"}, {"min", "lowest", "minimum"}, {"max", "highest", "maximum"}, {"mean", "mean", "moyenne"},
	} {
		if v, ok := sp.round(found.stats[f.key]); ok {
			lines = append(lines, "- "+sp.in(f.en+": ", f.fr+" : ")+v+unit)
		}
	}
	if change := sp.change(latest); change != "" {
		lines = append(lines, "- "+sp.in("since the one before: ", "depuis la précédente : ")+change+unit)
	}
	for _, g := range found.groups {
		from, _ := g["bucket"].(string)
		n, _ := sp.round(g["count"])
		mean, _ := sp.round(g["mean"])
		lines = append(
			lines,
			fmt.Sprintf(sp.in("- %s: mean %s (%s)", "- %s : moyenne %s (%s)"), sp.bucket(from, group), mean+unit, sp.values(n)),
		)
	}
	sp.said = append(sp.said, strings.Join(lines, "\n"))
}

// change is the difference of the two latest values.
func (sp *speech) change(latest []record) string {
	if len(latest) < 2 {
		return ""
	}
	var v [2]float64
	for i := range v {
		n, ok := latest[i].data["value"].(json.Number)
		f, err := n.Float64()
		if !ok || err != nil {
			return ""
		}
		v[i] = f
	}
	text, _ := sp.round(json.Number(strconv.FormatFloat(v[0]-v[1], 'f', 2, 64)))
	if v[0] > v[1] {
		return "+" + text
	}
	return text
}

const shownEntries = 20

// list shows entries, as many at a time as the person said.
func list(c *planner, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	limit := shownEntries
	if n, err := strconv.Atoi(g["n"]); err == nil && n > 0 {
		limit = min(n, 200)
	}
	c.list(tool, map[string]any{"tool_id": tool.id, "limit": limit, "order": "desc"}, g["when"])
}

func (c *planner) list(tool *record, params map[string]any, when string) {
	if period := periodOf(when); period != nil {
		params["period"] = period
	}
	steps, ok := c.run(c.in(looking["TOOL_DATA"][0], looking["TOOL_DATA"][1]),
		planned{"TOOL_CONFIG", map[string]any{"tool_id": params["tool_id"]}}, planned{"TOOL_DATA", params})
	if !ok {
		return
	}
	c.entries(configured(tool, steps[0]), when, steps[1])
	c.justRead(steps...)
}

// entries says a page of entries, and that there is more.
func (sp *speech) entries(tool *record, when string, data step) {
	entries := look(data.text).entries
	if len(entries) == 0 {
		sp.nothing(tool, when)
		return
	}
	lines := []string{fmt.Sprintf(sp.in("The latest of “%s”:", "Les dernières entrées de « %s » :"), tool.name)}
	for _, e := range entries {
		lines = append(lines, "- "+sp.line(tool, e))
	}
	if cursorIn(data.text) != "" {
		lines = append(lines, "", sp.in("There is more: say “more”.", "Il y en a d'autres : dites « la suite »."))
	}
	sp.said = append(sp.said, strings.Join(lines, "\n"))
}

var cursorNote = regexp.MustCompile(`go on with cursor ("(?:[^"\\]|\\.)*")`)

// cursorIn is where a page that is not the last says that the next one begins.
func cursorIn(text string) string {
	m := cursorNote.FindAllStringSubmatch(text, -1)
	if len(m) == 0 {
		return ""
	}
	var cursor string
	if json.Unmarshal([]byte(m[len(m)-1][1]), &cursor) != nil {
		return ""
	}
	return cursor
}

// more reads on behind the page that was shown last.
func more(c *planner, _ groups) {
	page := c.lastPage()
	if page == nil {
		c.say(
			"I have shown no list yet. Say for example “show my weight”.",
			"Je n'ai encore montré aucune liste. Dites par exemple « montre mon poids ».",
		)
		return
	}
	cursor := cursorIn(page.text)
	if cursor == "" {
		c.say("That was all: there is no more.", "C'était tout : il n'y a pas de suite.")
		return
	}
	decoder := json.NewDecoder(strings.NewReader(string(page.params)))
	decoder.UseNumber()
	var params map[string]any
	if err := decoder.Decode(&params); err != nil || params == nil {
		c.say("I no longer know what I was showing.", "Je ne sais plus ce que je montrais.")
		return
	}
	params["cursor"] = cursor
	id, _ := params["tool_id"].(string)
	c.list(&record{id: id}, params, "")
}

// lastPage is the latest page of entries that was read before this request.
func (c *planner) lastPage() *step {
	for i := len(c.before) - 1; i > 0; i-- {
		steps := stepsOf(c.before[i-1], c.before[i])
		for j := len(steps) - 1; j >= 0; j-- {
			if steps[j].name == "TOOL_DATA" && (steps[j].outcome == succeeded || steps[j].outcome == cached) {
				return &steps[j]
			}
		}
	}
	return nil
}
