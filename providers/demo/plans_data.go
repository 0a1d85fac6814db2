package demo

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// shownEntries is how many entries are shown where the person does not say.
const shownEntries = 20

var (
	itemSeparator = regexp.MustCompile(`(?i)\s*,\s*(?:and |et )?| and | et `)
	numberOnly    = regexp.MustCompile(`^[-+]?\d+(?:[.,]\d+)?`)
	leadingZeros  = regexp.MustCompile(`^(-?)0+(\d)`)
	idPattern     = regexp.MustCompile(`\b(?:zon|tol|ent)_[A-Za-z0-9]+`)
	hours         = regexp.MustCompile(`^(?i:h|hours?|heures?)$`)
	// units are what may stand after a single “in” without being a zone.
	units = regexp.MustCompile(`^(?i:kg|g|mg|lbs?|pounds?|kilos?|km|m|cm|mm|mi|miles?|h|hours?|min|minutes?|s|seconds?|days?|%|percent|€|\$|£|` +
		`eur|euros?|usd|dollars?|l|ml|cl|lit(?:er|re)s?|kcal|cal(?:ories)?|steps?|bpm|°c|°f|mmhg|pages?|cups?|glasses|points?)$`)
	// textual are the built-in types whose entries are no numbers to make statistics of.
	textual = []string{"journal", "notes", "checklist", "goal"}
)

// plainNumber is a number as JSON has it.
func plainNumber(said string) string {
	n := strings.TrimPrefix(strings.Replace(said, ",", ".", 1), "+")
	return leadingZeros.ReplaceAllString(n, "$1$2")
}

func (c *planner) zones() []record { return look(c.query("ZONES", nil)).zones }
func (c *planner) tools() []record { return look(c.query("TOOL_INSTANCES", nil)).tools }

// needTool finds a tool by its name, first among what the message brought along.
func (c *planner) needTool(name string) record {
	if tool, steps := c.givenTool(name); steps != nil {
		return tool
	}
	return c.need(c.tools(), c.in("tool"), name)
}

// newID is the id in the result of a creation: of its record, or else the last one in its words.
func (c *planner) newID(s step, records []record, prefix string) string {
	if len(records) > 0 {
		return records[0].id
	}
	for _, id := range slices.Backward(idPattern.FindAllString(s.text, -1)) { // a name before it could look like an id
		if strings.HasPrefix(id, prefix) {
			return id
		}
	}
	c.stop("It was done, but I could not read the result: %s", oneLine(s.text))
	return ""
}

func (c *planner) newZone(name string) string {
	s := c.act(c.in("I create the zone “%s”.", name), "CREATE_ZONE", object{"name": name})
	return c.newID(s, look(s).zones, "zon_")
}

func (c *planner) newTool(name, toolType, zone string, config object) string {
	params := object{"zone_id": c.zoneFor(zone), "tool_type": toolType, "name": name, "config": config}
	s := c.act(c.in("I create “%s”.", name), "CREATE_TOOL", params)
	return c.newID(s, look(s).tools, "tol_")
}

// zoneFor finds the zone of that name or makes it; without a name it takes the only
// one, asks which of several, or makes a first one.
func (c *planner) zoneFor(name string) string {
	zones := c.zones()
	var options []string
	for _, z := range zones {
		if !slices.Contains(options, z.name) {
			options = append(options, z.name)
		}
	}
	switch {
	case c.stopped:
		return ""
	case name == "" && len(zones) == 0:
		return c.newZone(c.in("General"))
	case name == "" && (len(options) == 1 || c.automation):
		return zones[0].id
	case name == "":
		name = oneLine(c.ask("MultipleChoice", object{"question": c.in("In which zone?"), "options": options}))
	}
	if z, ok := best(zones, name); ok {
		return z.id
	}
	return c.newZone(title(name))
}

// toolOrNew finds a tool of a type, or makes it.
func (c *planner) toolOrNew(name, toolType string) (id, found string) {
	of := slices.DeleteFunc(c.tools(), func(t record) bool { return t.toolType != toolType })
	if tool, ok := best(of, name); ok {
		return tool.id, tool.name
	}
	name = title(name)
	return c.newTool(name, toolType, "", object{}), name
}

func (c *planner) addEntries(doing, tool, timestamp string, data ...object) {
	entries := make([]object, len(data))
	for i, d := range data {
		entries[i] = object{"data": d}
		if timestamp != "" {
			entries[i]["timestamp"] = timestamp
		}
	}
	c.act(doing, "CREATE_DATA", object{"tool_id": tool, "entries": entries})
}

func overview(c *planner, _ captures) {
	s := c.query("APP_STATE", nil)
	state := look(s)
	if len(state.zones) == 0 {
		c.stop("There is nothing yet. Say for example “create a zone Health”.")
	}
	c.say("You have %s and %s.", c.counted(len(state.zones), "zone"), c.counted(len(state.tools), "tool"))
	var lines []string
	for _, z := range state.zones {
		var tools []string
		for _, t := range state.tools {
			if t.zone == z.id {
				tools = append(tools, t.name+" ("+t.toolType+")")
			}
		}
		line := "- " + z.name
		if len(tools) > 0 {
			line += c.in(": ") + strings.Join(tools, ", ")
		}
		lines = append(lines, line)
	}
	c.add(lines...)
	c.justRead(s)
}

func createZone(c *planner, g captures) {
	name := g.title("name")
	if z, ok := exact(c.zones(), name); ok {
		c.stop("There is a zone “%s” already; I leave it as it is.", z.name)
	}
	c.newZone(name)
	c.say("The zone “%s” is there. Next you could say: “track my weight in kg in %s”.", name, name)
}

// createZones makes several zones by one answer. The person is asked and may approve
// a part; an automation cannot ask.
func createZones(c *planner, g captures) {
	there := c.zones()
	var names, done, left []string
	var commands []planned
	for _, name := range itemSeparator.Split(g["names"], -1) {
		name = title(unquoted(name))
		if _, exists := exact(there, name); keyOf(name) == "" || exists || slices.Contains(names, name) || len(names) == maxParts {
			continue
		}
		params := object{"name": name}
		if !c.automation {
			params["validation_request"] = true
		}
		if c.repeat {
			params["repeat"] = true
		}
		names, commands = append(names, name), append(commands, planned{"CREATE_ZONE", params})
	}
	if len(names) == 0 {
		c.stop("These zones are there already.")
	}
	steps := c.each(c.in("Several changes at once: approve all of them, or only some."), commands...)
	if c.stopped {
		return
	}
	for i, s := range steps {
		switch s.outcome {
		case domain.ExecSuccess:
			done = append(done, names[i])
		case domain.ExecCancelled:
			left = append(left, names[i])
		default:
			c.check(s, commands[i])
			c.stopped = false
		}
	}
	if len(done) > 0 {
		c.say("Created: %s.", strings.Join(done, ", "))
	}
	if len(left) > 0 {
		c.say("Not approved, so not done: %s.", strings.Join(left, ", "))
	}
}

func deleteZone(c *planner, g captures) {
	zone := c.need(c.zones(), "zone", g["name"])
	tools := look(c.query("TOOL_INSTANCES", object{"zone_id": zone.id})).tools
	params := object{"zone_id": zone.id, "validation_request": true}
	doing := c.in("I ask to delete the zone “%s”.", zone.name)
	if len(tools) > 0 {
		params["force"] = true
		doing = c.in("I ask to delete the zone “%s”, with %s in it.", zone.name, c.counted(len(tools), "tool"))
	}
	c.act(doing, "DELETE_ZONE", params)
	c.say("The zone “%s” is deleted. It can be brought back for 30 days.", zone.name)
}

// track makes a tracking tool, in a zone that is found, asked for or made.
func track(c *planner, g captures) {
	name, unit, zone := title(withoutArticle(g["what"])), g["unit"], g["zone"]
	if first := g["first"]; first != "" && (zone != "" || units.MatchString(first)) {
		unit = first
	} else if first != "" {
		zone = first
	}
	value := c.decimal(example(g, unit))
	tracked := slices.DeleteFunc(c.tools(), func(t record) bool { return t.toolType != "tracking" })
	if tool, ok := exact(tracked, name); ok {
		c.stop("“%s” is tracked already. Say “note %s for %s”.", tool.name, value, tool.name)
	}
	config := object{}
	if unit != "" {
		config["unit"] = unit
	}
	for _, bound := range []string{"min", "max"} {
		if g[bound] != "" {
			config[bound] = json.Number(plainNumber(g[bound]))
		}
	}
	c.newTool(name, "tracking", zone, config)
	if unit != "" {
		unit = c.in(", in ") + unit
	}
	c.say("“%s” is there%s. Now you can say: “note %s for %s”.", name, unit, value, name)
}

// example is a value that may be noted: one within the bounds that were said, else one of which the unit
// makes sense.
func example(g captures, unit string) string {
	low, errLow := strconv.ParseFloat(plainNumber(g["min"]), 64)
	high, errHigh := strconv.ParseFloat(plainNumber(g["max"]), 64)
	switch {
	case errLow == nil && errHigh == nil && low <= high:
		return strconv.FormatFloat(math.Round((low+high)*5)/10, 'f', -1, 64)
	case hours.MatchString(unit):
		return "7.5"
	}
	return "72.5"
}

func recordValue(c *planner, g captures) {
	if aDay.MatchString(g["unit"]) { // the word behind a number
		g["day"], g["unit"] = g["unit"], ""
	}
	at, ok := c.timestampOf(g["day"])
	if !ok {
		c.stop("I cannot tell which day “%s” is. Write it like 2026-01-31.", g["day"])
	}
	tool := c.needTool(g["tool"])
	if tool.toolType != "tracking" {
		c.stop("“%s” is a %s; numbers go into a tracking tool.", tool.name, tool.toolType)
	}
	value := plainNumber(g["value"])
	said := c.decimal(value) + after(unitOf(tool, g["unit"]))
	if g["day"] != "" {
		said += " (" + g["day"] + ")"
	}
	c.addEntries(c.in("Logging %s for “%s”…", said, tool.name), tool.id, at, object{"value": json.Number(value)})
	c.say("Noted: %s for “%s”.", said, tool.name)
}

func addItem(c *planner, g captures) {
	var items []object
	var names []string
	for _, item := range itemSeparator.Split(g["item"], -1) {
		if item = withoutArticle(item); item != "" {
			items, names = append(items, object{"text": item, "done": false}), append(names, item)
		}
	}
	id, name := c.toolOrNew(g["tool"], "checklist")
	what := strings.Join(names, ", ")
	c.addEntries(c.in("I add %s.", what), id, "", items...)
	c.say("Added to “%s”: %s.", name, what)
}

func checkItem(c *planner, g captures) {
	tool := c.needTool(g["tool"])
	var open []record
	for _, e := range look(c.query("TOOL_DATA", object{"tool_id": tool.id, "limit": 200, "order": "desc"})).entries {
		e.name, _ = e.data["text"].(string)
		if done, _ := e.data["done"].(bool); !done && e.name != "" {
			open = append(open, e)
		}
	}
	item, ok := best(open, g["item"])
	if !ok {
		c.stop("I find no open item “%s” in “%s”.", g["item"], tool.name)
	}
	c.act(c.in("I tick “%s”.", item.name), "UPDATE_DATA", object{"entry_id": item.id, "data": object{"done": true}})
	c.say("Done: “%s” is ticked.", item.name)
}

// journal asks for the text when there is none.
func journal(c *planner, g captures) {
	text := g["text"]
	if text == "" {
		text = c.ask("Text", object{
			"question":    c.in("What is there to write?"),
			"placeholder": c.in("A few words about today"),
		})
	}
	c.write(g["tool"], "journal", object{"text": text})
}

func takeNote(c *planner, g captures) {
	head := strings.Join(strings.Fields(g["text"]), " ")
	c.write("Notes", "notes", object{"title": shorten.Characters(head, 60), "text": g["text"]})
}

func (c *planner) write(name, toolType string, data object) {
	id, name := c.toolOrNew(name, toolType)
	c.addEntries(c.in("I write it down."), id, "", data)
	c.say("It is in “%s”.", name)
}

// lastEntry is the latest entry of a tool; without one it stops.
func (c *planner) lastEntry(name string) (tool, last record) {
	tool = c.needTool(name)
	entries := look(c.query("TOOL_DATA", object{"tool_id": tool.id, "limit": 1, "order": "desc"})).entries
	if len(entries) == 0 {
		c.stop("There is nothing in “%s” yet.", tool.name)
		return tool, record{}
	}
	return tool, entries[0]
}

func deleteLast(c *planner, g captures) {
	tool, last := c.lastEntry(g["tool"])
	what := c.line(tool, last)
	c.act(c.in("I ask to delete this from “%s”: %s", tool.name, what),
		"DELETE_DATA", object{"entry_ids": []string{last.id}, "validation_request": true})
	c.say("Deleted from “%s”: %s", tool.name, what)
}

// changeLast changes the number, or else the text, of the latest entry. The person is
// shown the values before and after, and asked.
func changeLast(c *planner, g captures) {
	tool, last := c.lastEntry(g["tool"])
	data, said := object{"text": g["text"]}, "“"+oneLine(g["text"])+"”"
	if _, counts := last.data["value"]; counts {
		n := plainNumber(numberOnly.FindString(g["text"]))
		if n == "" {
			c.stop("The entries of “%s” are numbers; “%s” is none.", tool.name, g["text"])
		}
		data, said = object{"value": json.Number(n)}, c.decimal(n)
	} else if _, texts := last.data["text"]; !texts {
		c.stop("I only change numbers and texts, and the entries of “%s” are neither.", tool.name)
	}
	c.act(c.in("I ask to change the last entry of “%s” to %s.", tool.name, said), "UPDATE_DATA", object{"entry_id": last.id, "data": data, "validation_request": true})
	c.say("Changed: the last entry of “%s” is now %s.", tool.name, said)
}

// rename gives a zone or a tool another name; the person is shown both and asked.
func rename(c *planner, g captures) {
	to, command, params := unquoted(g["to"]), "UPDATE_TOOL", object{"validation_request": true}
	params["name"] = to
	var it record
	if g["kind"] == "zone" {
		it, command = c.need(c.zones(), "zone", g["name"]), "UPDATE_ZONE"
		params["zone_id"] = it.id
	} else {
		it = c.needTool(g["name"])
		params["tool_id"] = it.id
	}
	c.act(c.in("I ask to rename “%s” to “%s”.", it.name, to), command, params)
	c.say("“%s” is now called “%s”.", it.name, to)
}

// setUnit changes a tool's config.
func setUnit(c *planner, g captures) {
	tool := c.needTool(g["tool"])
	c.act(c.in("I ask to set the unit of “%s” to %s.", tool.name, g["unit"]),
		"UPDATE_TOOL", object{"tool_id": tool.id, "config": object{"unit": g["unit"]}, "validation_request": true})
	c.say("The unit of “%s” is now %s.", tool.name, g["unit"])
}
