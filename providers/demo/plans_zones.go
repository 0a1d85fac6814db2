package demo

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func overview(c *planner, _ groups) {
	s, ok := c.query("APP_STATE", nil)
	if !ok {
		return
	}
	state := look(s.text)
	if len(state.zones) == 0 {
		c.say(
			"There is nothing yet. Say for example “create a zone Health”.",
			"Il n'y a encore rien. Dites par exemple « crée une zone Santé ».",
		)
		return
	}
	c.say("You have %d %s and %d %s.", "Vous avez %d %s et %d %s.",
		len(state.zones), c.plural(len(state.zones), "zone", "zones", "zone", "zones"),
		len(state.tools), c.plural(len(state.tools), "tool", "tools", "outil", "outils"))
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
			line += c.in(": ", " : ") + strings.Join(tools, ", ")
		}
		lines = append(lines, line)
	}
	c.said = append(c.said, strings.Join(lines, "\n"))
	c.justRead(s)
}

func createZone(c *planner, g groups) {
	name := title(strings.Trim(g["name"], `"«»“” `))
	s, ok := c.query("ZONES", nil)
	if !ok {
		return
	}
	if z := best(look(s.text).zones, name); z != nil && keyOf(z.name) == keyOf(name) {
		c.say("There is a zone “%s” already; I leave it as it is.", "Il y a déjà une zone « %s » ; je la laisse telle quelle.", z.name)
		return
	}
	if _, ok := c.createZone(name); ok {
		c.say("The zone “%s” is there. Next you could say: “track my weight in kg in %s”.",
			"La zone « %s » est là. Vous pouvez dire ensuite : « suis mon poids en kg dans %s ».", name, name)
	}
}

// createZone gives the id of a new zone.
func (c *planner) createZone(name string) (string, bool) {
	doing := fmt.Sprintf(c.in("I create the zone “%s”.", "Je crée la zone « %s »."), name)
	s, ok := c.act(doing, "CREATE_ZONE", map[string]any{"name": name})
	if !ok {
		return "", false
	}
	if zones := look(s.text).zones; len(zones) > 0 {
		return zones[0].id, true
	}
	return c.idIn(s, "zon_")
}

var idPattern = regexp.MustCompile(`\b(?:zon|tol|ent)_[A-Za-z0-9]+`)

// idIn finds an id in a result that is words and not JSON.
func (sp *speech) idIn(s step, prefix string) (string, bool) {
	// The last one: a name before it could look like an id.
	ids := idPattern.FindAllString(s.text, -1)
	for _, id := range slices.Backward(ids) {
		if strings.HasPrefix(id, prefix) {
			return id, true
		}
	}
	sp.say("It was done, but I could not read the result: %s", "C'est fait, mais je n'ai pas pu lire le résultat : %s", oneLine(s.text))
	return "", false
}

// createZones makes several zones by one answer. The person is asked and may approve
// a part; an automation cannot ask.
func createZones(c *planner, g groups) {
	s, ok := c.query("ZONES", nil)
	if !ok {
		return
	}
	there := look(s.text).zones
	var names []string
	var commands []planned
	for _, name := range itemSeparator.Split(g["names"], -1) {
		name = title(strings.Trim(name, `"«»“” `))
		z := best(there, name)
		if keyOf(name) == "" || slices.Contains(names, name) || z != nil && keyOf(z.name) == keyOf(name) || len(names) == maxParts {
			continue
		}
		params := map[string]any{"name": name}
		if !c.automation {
			params["validation_request"] = true
		}
		if c.repeat {
			params["repeat"] = true
		}
		names, commands = append(names, name), append(commands, planned{"CREATE_ZONE", params})
	}
	if len(names) == 0 {
		c.say("These zones are there already.", "Ces zones sont déjà là.")
		return
	}
	steps, ok := c.each(
		c.in(
			"Several changes at once: approve all of them, or only some.",
			"Plusieurs modifications à la fois : acceptez-les toutes, ou une partie.",
		),
		commands...)
	if !ok {
		return
	}
	var done, left []string
	for i, s := range steps {
		switch s.outcome {
		case succeeded:
			done = append(done, names[i])
		case cancelled:
			left = append(left, names[i])
		default:
			c.good(s, commands[i])
		}
	}
	if len(done) > 0 {
		c.say("Created: %s.", "Créé : %s.", strings.Join(done, ", "))
	}
	if len(left) > 0 {
		c.say("Not approved, so not done: %s.", "Sans votre accord, donc pas fait : %s.", strings.Join(left, ", "))
	}
}

func deleteZone(c *planner, g groups) {
	s, ok := c.query("ZONES", nil)
	if !ok {
		return
	}
	zones := look(s.text).zones
	zone := best(zones, g["name"])
	if zone == nil {
		c.noSuch(zones, c.in("zone", "zone"), g["name"])
		return
	}
	s, ok = c.query("TOOL_INSTANCES", map[string]any{"zone_id": zone.id})
	if !ok {
		return
	}
	params := map[string]any{"zone_id": zone.id, "validation_request": true}
	tools := look(s.text).tools
	if len(tools) > 0 {
		params["force"] = true
	}
	doing := fmt.Sprintf(c.in("I ask to delete the zone “%s”.", "Je demande à supprimer la zone « %s »."), zone.name)
	if len(tools) > 0 {
		doing = fmt.Sprintf(c.in("I ask to delete the zone “%s”, with %d %s in it.", "Je demande à supprimer la zone « %s », avec %d %s."),
			zone.name, len(tools), c.plural(len(tools), "tool", "tools", "outil", "outils"))
	}
	if _, ok := c.act(doing, "DELETE_ZONE", params); ok {
		c.say(
			"The zone “%s” is deleted. It can be brought back for 30 days.",
			"La zone « %s » est supprimée. On peut la rétablir pendant 30 jours.",
			zone.name,
		)
	}
}

// units are what may stand after a single “in” without being a zone.
var units = regexp.MustCompile(
	`^(?i:kg|g|mg|lbs?|pounds?|kilos?|km|m|cm|mm|mi|miles?|h|hours?|min|minutes?|s|seconds?|days?|%|percent|€|\$|£|eur|euros?|usd|dollars?|l|ml|cl|lit(?:er|re)s?|kcal|cal(?:ories)?|steps?|bpm|°c|°f|mmhg|pages?|cups?|glasses|points?)$`,
)

// track makes a tracking tool, in a zone that is found, asked for or made.
func track(c *planner, g groups) {
	name, unit, zone := title(withoutArticle(g["what"])), g["unit"], g["zone"]
	if first := g["first"]; first != "" {
		switch {
		case zone != "" || units.MatchString(first):
			unit = first
		default:
			zone = strings.TrimSpace(first + " " + zone)
		}
	}
	tool, ok := c.findTool(name, "tracking")
	if !ok {
		return
	}
	if tool != nil && keyOf(tool.name) == keyOf(name) {
		c.say("“%s” is tracked already. Say “note %s for %s”.", "« %s » est déjà suivi. Dites « note %s pour %s ».",
			tool.name, c.decimal(example(g, unit)), tool.name)
		return
	}
	config := map[string]any{}
	if unit != "" {
		config["unit"] = unit
	}
	for _, bound := range []string{"min", "max"} {
		if g[bound] != "" {
			config[bound] = json.Number(plainNumber(g[bound]))
		}
	}
	if _, ok := c.createTool(name, "tracking", zone, config); !ok {
		return
	}
	c.say("“%s” is there%s. Now you can say: “note %s for %s”.", "« %s » est là%s. Vous pouvez dire : « note %s pour %s ».",
		name, c.inUnit(unit), c.decimal(example(g, unit)), name)
}

// example is a value that may be noted: one within the bounds that were said, else one of which the unit
// makes sense.
func example(g groups, unit string) string {
	low, errLow := strconv.ParseFloat(plainNumber(g["min"]), 64)
	high, errHigh := strconv.ParseFloat(plainNumber(g["max"]), 64)
	switch {
	case errLow == nil && errHigh == nil && low <= high:
	case slices.Contains([]string{"h", "hour", "hours", "heure", "heures"}, strings.ToLower(unit)):
		return "7.5"
	default:
		return "72.5"
	}
	return strconv.FormatFloat(math.Round((low+high)*5)/10, 'f', -1, 64)
}

// createTool makes a tool and gives its id.
func (c *planner) createTool(name, toolType, zone string, config map[string]any) (string, bool) {
	id, ok := c.zoneFor(zone)
	if !ok {
		return "", false
	}
	doing := fmt.Sprintf(c.in("I create “%s”.", "Je crée « %s »."), name)
	s, ok := c.act(doing, "CREATE_TOOL", map[string]any{"zone_id": id, "tool_type": toolType, "name": name, "config": config})
	if !ok {
		return "", false
	}
	if tools := look(s.text).tools; len(tools) > 0 {
		return tools[0].id, true
	}
	return c.idIn(s, "tol_")
}

// zoneFor finds the zone of that name or makes it; without a name it takes the only
// one, asks which of several, or makes a first one.
func (c *planner) zoneFor(name string) (string, bool) {
	s, ok := c.query("ZONES", nil)
	if !ok {
		return "", false
	}
	zones := look(s.text).zones
	switch {
	case name != "":
		if z := best(zones, name); z != nil {
			return z.id, true
		}
		return c.createZone(title(name))
	case len(zones) == 0:
		return c.createZone(c.in("General", "Général"))
	case len(zones) == 1 || c.automation:
		return zones[0].id, true
	}
	var options []string
	for _, z := range zones {
		if !slices.Contains(options, z.name) {
			options = append(options, z.name)
		}
	}
	if len(options) < 2 {
		return zones[0].id, true
	}
	chosen, ok := c.ask("MultipleChoice", map[string]any{"question": c.in("In which zone?", "Dans quelle zone ?"), "options": options})
	if !ok {
		return "", false
	}
	if z := best(zones, chosen); z != nil {
		return z.id, true
	}
	return c.createZone(title(oneLine(chosen)))
}
