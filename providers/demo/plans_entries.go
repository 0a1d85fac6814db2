package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// findTool finds the tool that fits a name best, of a type where one is given; nil:
// there is none. ok is false while the result is not there yet.
func (c *planner) findTool(name string, toolType string) (*record, bool) {
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

// needTool is findTool that reports to the person if there is none.
func (c *planner) needTool(name string) (*record, bool) {
	if tool, _ := c.givenTool(name); tool != nil {
		return tool, true
	}
	tool, ok := c.findTool(name, "")
	if ok && tool == nil {
		s, _ := c.query("TOOL_INSTANCES", nil)
		c.noSuch(look(s.text).tools, c.in("tool", "outil"), name)
		return nil, false
	}
	return tool, ok
}

func (c *planner) addEntries(doing, tool, timestamp string, data ...map[string]any) bool {
	entries := make([]map[string]any, len(data))
	for i, d := range data {
		entries[i] = map[string]any{"data": d}
		if timestamp != "" {
			entries[i]["timestamp"] = timestamp
		}
	}
	_, ok := c.act(doing, "CREATE_DATA", map[string]any{"tool_id": tool, "entries": entries})
	return ok
}

func recordValue(c *planner, g groups) {
	if isDay(g["unit"]) {
		g["day"], g["unit"] = g["unit"], ""
	}
	at, ok := c.timestampOf(g["day"])
	if !ok {
		c.say(
			"I cannot tell which day “%s” is. Write it like 2026-01-31.",
			"Je ne sais pas quel jour est « %s ». Écrivez-le comme 2026-01-31.",
			g["day"],
		)
		return
	}
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	if tool.toolType != "tracking" {
		c.say(
			"“%s” is a %s; numbers go into a tracking tool.",
			"« %s » est de type %s ; les nombres vont dans un outil de suivi.",
			tool.name,
			tool.toolType,
		)
		return
	}
	said := c.decimal(plainNumber(g["value"])) + after(unitOf(tool, g["unit"]))
	if g["day"] != "" {
		said += " (" + g["day"] + ")"
	}
	doing := fmt.Sprintf(c.in("Logging %s for “%s”…", "Je note %s pour « %s »…"), said, tool.name)
	if c.addEntries(doing, tool.id, at, map[string]any{"value": json.Number(plainNumber(g["value"]))}) {
		c.say("Noted: %s for “%s”.", "Noté : %s pour « %s ».", said, tool.name)
	}
}

var leadingZeros = regexp.MustCompile(`^(-?)0+(\d)`)

// plainNumber is a number as JSON has it.
func plainNumber(said string) string {
	n := strings.TrimPrefix(strings.Replace(said, ",", ".", 1), "+")
	return leadingZeros.ReplaceAllString(n, "$1$2")
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

// line says an entry in words.
func (sp *speech) line(tool *record, e record) string {
	text, _ := e.data["text"].(string)
	head, _ := e.data["title"].(string)
	if v, ok := sp.round(e.data["value"]); ok {
		text = v + after(unitOf(tool, ""))
	}
	switch {
	case text == "" && (head == "" || len(e.data) > 1):
		text = sp.fields(e.data)
	case text == "":
		text = head
	case head != "" && head != text:
		text = head + sp.in(": ", " : ") + text
	}
	if done, ok := e.data["done"].(bool); ok {
		return map[bool]string{true: "[x] ", false: "[ ] "}[done] + oneLine(text)
	}
	if at, _ := e.fields["timestamp"].(string); len(at) >= 10 {
		return at[:10] + "  " + oneLine(text)
	}
	return oneLine(text)
}

// fields says the data of a type of the person's own: "author: Frank Herbert, pages: 412".
func (sp *speech) fields(data map[string]any) string {
	var said []string
	for _, key := range slices.Sorted(maps.Keys(data)) {
		value := fmt.Sprint(data[key])
		if n, ok := sp.round(data[key]); ok {
			value = n
		} else if yes, ok := data[key].(bool); ok {
			value = map[bool]string{true: sp.in("yes", "oui"), false: sp.in("no", "non")}[yes]
		}
		said = append(said, key+sp.in(": ", " : ")+value)
	}
	return strings.Join(said, ", ")
}

var itemSeparator = regexp.MustCompile(`(?i)\s*,\s*(?:and |et )?| and | et `)

func addItem(c *planner, g groups) {
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
	if c.addEntries(fmt.Sprintf(c.in("I add %s.", "J'ajoute %s."), what), id, "", items...) {
		c.say("Added to “%s”: %s.", "Ajouté à « %s » : %s.", name, what)
	}
}

// toolOrNew finds a tool of a type, or makes it.
func (c *planner) toolOrNew(name, toolType string) (id, found string, ok bool) {
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

func checkItem(c *planner, g groups) {
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

// journal asks for the text when there is none.
func journal(c *planner, g groups) {
	text := g["text"]
	if text == "" {
		var ok bool
		if text, ok = c.ask("Text", map[string]any{
			"question":    c.in("What is there to write?", "Que faut-il écrire ?"),
			"placeholder": c.in("A few words about today", "Quelques mots sur la journée"),
		}); !ok {
			c.cannotAsk()
			return
		}
	}
	id, name, ok := c.toolOrNew(g["tool"], "journal")
	if !ok {
		return
	}
	if c.addEntries(c.in("I write it down.", "Je l'écris."), id, "", map[string]any{"text": text}) {
		c.say("It is in “%s”.", "C'est dans « %s ».", name)
	}
}

func takeNote(c *planner, g groups) {
	id, name, ok := c.toolOrNew(c.in("Notes", "Notes"), "notes")
	if !ok {
		return
	}
	head := g["text"]
	if r := []rune(oneLine(head)); len(r) > 60 {
		head = string(r[:59]) + "…"
	}
	if c.addEntries(c.in("I write it down.", "Je l'écris."), id, "", map[string]any{"title": oneLine(head), "text": g["text"]}) {
		c.say("It is in “%s”.", "C'est dans « %s ».", name)
	}
}
