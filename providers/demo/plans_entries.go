package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// findTool finds the tool that fits a name best, of a type where one is given; nil:
// there is none. ok is false while the result is not there yet.
func (c *conversation) findTool(name string, toolType string) (*record, bool) {
	s, ok := c.query("TOOL_INSTANCES", nil)
	if !ok {
		return nil, false
	}
	var tools []record
	for _, t := range look(s.text).tools {
		if toolType == "" || t.toolType == toolType {
			tools = append(tools, t)
		}
	}
	if name == "" && len(tools) > 0 {
		return &tools[0], true
	}
	return best(tools, name), true
}

// needTool is findTool that tells the person when there is none.
func (c *conversation) needTool(name string) (*record, bool) {
	tool, ok := c.findTool(name, "")
	if ok && tool == nil {
		s, _ := c.query("TOOL_INSTANCES", nil)
		c.noSuch(look(s.text).tools, c.in("tool", "outil"), name)
		return nil, false
	}
	return tool, ok
}

func (c *conversation) addEntries(doing, tool string, data ...map[string]any) bool {
	entries := make([]map[string]any, len(data))
	for i, d := range data {
		entries[i] = map[string]any{"data": d}
	}
	_, ok := c.act(doing, "CREATE_DATA", map[string]any{"tool_id": tool, "entries": entries})
	return ok
}

func recordValue(c *conversation, g groups) {
	value := json.Number(strings.TrimPrefix(strings.Replace(g["value"], ",", ".", 1), "+"))
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	if tool.toolType != "tracking" {
		c.say("“%s” is a %s; numbers go into a tracking tool.", "« %s » est de type %s ; les nombres vont dans un outil de suivi.", tool.name, tool.toolType)
		return
	}
	said := c.decimal(string(value)) + after(unitOf(tool, g["unit"]))
	doing := fmt.Sprintf(c.in("I note %s for “%s”.", "Je note %s pour « %s »."), said, tool.name)
	if c.addEntries(doing, tool.id, map[string]any{"value": value}) {
		c.say("Noted: %s for “%s”.", "Noté : %s pour « %s ».", said, tool.name)
	}
}

// configured is the tool with its config, as its own query shows it.
func configured(tool *record, s step) *record {
	for _, t := range look(s.text).tools {
		if t.id == tool.id {
			return &t
		}
	}
	return tool
}

// unitOf is the unit in a tool's config, else the one that the person said.
func unitOf(tool *record, said string) string {
	if config, ok := tool.fields["config"].(map[string]any); ok {
		if unit, _ := config["unit"].(string); unit != "" {
			return unit
		}
	}
	return said
}

func after(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

func (c *conversation) decimal(n string) string {
	if c.fr {
		return strings.Replace(n, ".", ",", 1)
	}
	return n
}

// round shows a number with at most two decimals.
func (c *conversation) round(v any) (string, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return "", false
	}
	f, err := n.Float64()
	if err != nil {
		return "", false
	}
	return c.decimal(strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")), true
}

// stats asks for statistics and the latest entries at once.
func stats(c *conversation, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	if tool.toolType != "tracking" {
		c.list(tool)
		return
	}
	steps, ok := c.run(c.in("I look at the figures.", "Je regarde les chiffres."),
		planned{"TOOL_CONFIG", map[string]any{"tool_id": tool.id}},
		planned{"TOOL_STATS", map[string]any{"tool_id": tool.id}},
		planned{"TOOL_DATA", map[string]any{"tool_id": tool.id, "limit": 5, "order": "desc"}})
	if !ok {
		return
	}
	tool = configured(tool, steps[0])
	figures, latest := look(steps[1].text).stats, look(steps[2].text).entries
	count, _ := c.round(figures["count"])
	if count == "" || count == "0" {
		c.say("There is nothing in “%s” yet.", "Il n'y a encore rien dans « %s ».", tool.name)
		return
	}
	unit := after(unitOf(tool, ""))
	lines := []string{fmt.Sprintf(c.in("“%s”: %s %s.", "« %s » : %s %s."), tool.name, count,
		c.plural(len(latest), "value", "values", "valeur", "valeurs"))}
	for _, f := range []struct{ key, en, fr string }{
		{"last", "last", "dernière"}, {"min", "lowest", "minimum"}, {"max", "highest", "maximum"}, {"mean", "mean", "moyenne"},
	} {
		if v, ok := c.round(figures[f.key]); ok {
			lines = append(lines, "- "+c.in(f.en+": ", f.fr+" : ")+v+unit)
		}
	}
	if change := c.change(latest); change != "" {
		lines = append(lines, "- "+c.in("since the one before: ", "depuis la précédente : ")+change+unit)
	}
	c.said = append(c.said, strings.Join(lines, "\n"))
}

// change is the difference of the two latest values.
func (c *conversation) change(latest []record) string {
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
	text, _ := c.round(json.Number(strconv.FormatFloat(v[0]-v[1], 'f', 2, 64)))
	if v[0] > v[1] {
		return "+" + text
	}
	return text
}

func list(c *conversation, g groups) {
	if tool, ok := c.needTool(g["tool"]); ok {
		c.list(tool)
	}
}

const shownEntries = 20

func (c *conversation) list(tool *record) {
	steps, ok := c.run(c.in("I look it up.", "Je regarde."),
		planned{"TOOL_CONFIG", map[string]any{"tool_id": tool.id}},
		planned{"TOOL_DATA", map[string]any{"tool_id": tool.id, "limit": shownEntries, "order": "desc"}})
	if !ok {
		return
	}
	tool = configured(tool, steps[0])
	entries := look(steps[1].text).entries
	if len(entries) == 0 {
		c.say("There is nothing in “%s” yet.", "Il n'y a encore rien dans « %s ».", tool.name)
		return
	}
	lines := []string{fmt.Sprintf(c.in("The latest of “%s”:", "Les dernières entrées de « %s » :"), tool.name)}
	for _, e := range entries {
		lines = append(lines, "- "+c.line(tool, e))
	}
	c.said = append(c.said, strings.Join(lines, "\n"))
}

// line says an entry in words.
func (c *conversation) line(tool *record, e record) string {
	text, _ := e.data["text"].(string)
	head, _ := e.data["title"].(string)
	if v, ok := c.round(e.data["value"]); ok {
		text = v + after(unitOf(tool, ""))
	}
	if head != "" && text != "" {
		text = head + c.in(": ", " : ") + text
	} else if text == "" {
		text = head
	}
	if text == "" {
		text = oneLine(string(encode(e.data)))
	}
	if done, ok := e.data["done"].(bool); ok {
		return map[bool]string{true: "[x] ", false: "[ ] "}[done] + oneLine(text)
	}
	if at, _ := e.fields["timestamp"].(string); len(at) >= 10 {
		return at[:10] + "  " + oneLine(text)
	}
	return oneLine(text)
}

var itemSeparator = regexp.MustCompile(`(?i)\s*,\s*(?:and |et )?| and | et `)

func addItem(c *conversation, g groups) {
	var items []map[string]any
	var names []string
	for _, item := range itemSeparator.Split(g["item"], -1) {
		if item = withoutArticle(item); item != "" {
			items = append(items, map[string]any{"text": item, "done": false})
			names = append(names, item)
		}
	}
	id, name, ok := c.toolOrNew(g["tool"], "checklist")
	if !ok {
		return
	}
	what := strings.Join(names, ", ")
	if c.addEntries(fmt.Sprintf(c.in("I add %s.", "J'ajoute %s."), what), id, items...) {
		c.say("Added to “%s”: %s.", "Ajouté à « %s » : %s.", name, what)
	}
}

// toolOrNew finds a tool of a type, or makes it.
func (c *conversation) toolOrNew(name, toolType string) (id, found string, ok bool) {
	tool, ok := c.findTool(name, toolType)
	if !ok {
		return "", "", false
	}
	if tool != nil {
		return tool.id, tool.name, true
	}
	name = title(name)
	id, ok = c.createTool(name, toolType, "", map[string]any{})
	return id, name, ok
}

func checkItem(c *conversation, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	s, ok := c.query("TOOL_DATA", map[string]any{"tool_id": tool.id, "limit": 200, "order": "desc"})
	if !ok {
		return
	}
	var open []record
	for _, e := range look(s.text).entries {
		e.name, _ = e.data["text"].(string)
		if done, _ := e.data["done"].(bool); !done && e.name != "" {
			open = append(open, e)
		}
	}
	item := best(open, g["item"])
	if item == nil {
		c.say("I find no open item “%s” in “%s”.", "Je ne trouve pas « %s » parmi ce qui reste dans « %s ».", g["item"], tool.name)
		return
	}
	doing := fmt.Sprintf(c.in("I tick “%s”.", "Je coche « %s »."), item.name)
	if _, ok := c.act(doing, "UPDATE_DATA", map[string]any{"entry_id": item.id, "data": map[string]any{"done": true}}); ok {
		c.say("Done: “%s” is ticked.", "C'est fait : « %s » est coché.", item.name)
	}
}

func journal(c *conversation, g groups) {
	id, name, ok := c.toolOrNew(g["tool"], "journal")
	if !ok {
		return
	}
	if c.addEntries(c.in("I write it down.", "Je l'écris."), id, map[string]any{"text": g["text"]}) {
		c.say("It is in “%s”.", "C'est dans « %s ».", name)
	}
}

func takeNote(c *conversation, g groups) {
	id, name, ok := c.toolOrNew(c.in("Notes", "Notes"), "notes")
	if !ok {
		return
	}
	head := g["text"]
	if r := []rune(oneLine(head)); len(r) > 60 {
		head = string(r[:59]) + "…"
	}
	if c.addEntries(c.in("I write it down.", "Je l'écris."), id, map[string]any{"title": oneLine(head), "text": g["text"]}) {
		c.say("It is in “%s”.", "C'est dans « %s ».", name)
	}
}

func deleteLast(c *conversation, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	s, ok := c.query("TOOL_DATA", map[string]any{"tool_id": tool.id, "limit": 1, "order": "desc"})
	if !ok {
		return
	}
	entries := look(s.text).entries
	if len(entries) == 0 {
		c.say("There is nothing in “%s” to delete.", "Il n'y a rien à supprimer dans « %s ».", tool.name)
		return
	}
	what := c.line(tool, entries[0])
	doing := fmt.Sprintf(c.in("I ask to delete this from “%s”: %s", "Je demande à supprimer de « %s » : %s"), tool.name, what)
	if _, ok := c.act(doing, "DELETE_DATA", map[string]any{"entry_ids": []string{entries[0].id}, "validation_request": true}); ok {
		c.say("Deleted from “%s”: %s", "Supprimé de « %s » : %s", tool.name, what)
	}
}
