package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// lastEntry is the latest entry of a tool; ok is false while it is not there yet, or
// when there is none, which is said.
func (c *planner) lastEntry(name string) (tool *record, last record, ok bool) {
	if tool, ok = c.needTool(name); !ok {
		return nil, record{}, false
	}
	s, ok := c.query("TOOL_DATA", map[string]any{"tool_id": tool.id, "limit": 1, "order": "desc"})
	if !ok {
		return nil, record{}, false
	}
	entries := look(s.text).entries
	if len(entries) == 0 {
		c.say("There is nothing in “%s” yet.", "Il n'y a encore rien dans « %s ».", tool.name)
		return nil, record{}, false
	}
	return tool, entries[0], true
}

func deleteLast(c *planner, g groups) {
	tool, last, ok := c.lastEntry(g["tool"])
	if !ok {
		return
	}
	what := c.line(tool, last)
	doing := fmt.Sprintf(c.in("I ask to delete this from “%s”: %s", "Je demande à supprimer de « %s » : %s"), tool.name, what)
	if _, ok := c.act(doing, "DELETE_DATA", map[string]any{"entry_ids": []string{last.id}, "validation_request": true}); ok {
		c.say("Deleted from “%s”: %s", "Supprimé de « %s » : %s", tool.name, what)
	}
}

var numberOnly = regexp.MustCompile(`^[-+]?\d+(?:[.,]\d+)?`)

// changeLast changes the number, or else the text, of the latest entry. The person is
// shown the values before and after, and asked.
func changeLast(c *planner, g groups) {
	tool, last, ok := c.lastEntry(g["tool"])
	if !ok {
		return
	}
	data, said := map[string]any{"text": g["text"]}, "“"+oneLine(g["text"])+"”"
	if _, counts := last.data["value"]; counts {
		n := numberOnly.FindString(g["text"])
		if n == "" {
			c.say(
				"The entries of “%s” are numbers; “%s” is none.",
				"Les entrées de « %s » sont des nombres ; « %s » n'en est pas un.",
				tool.name,
				g["text"],
			)
			return
		}
		data, said = map[string]any{"value": json.Number(plainNumber(n))}, c.decimal(plainNumber(n))
	} else if _, texts := last.data["text"]; !texts {
		c.say(
			"I only change numbers and texts, and the entries of “%s” are neither.",
			"Je ne change que des nombres et des textes ; les entrées de « %s » n'en sont pas.",
			tool.name,
		)
		return
	}
	doing := fmt.Sprintf(
		c.in("I ask to change the last entry of “%s” to %s.", "Je demande à changer la dernière entrée de « %s » en %s."),
		tool.name,
		said,
	)
	if _, ok := c.act(doing, "UPDATE_DATA", map[string]any{"entry_id": last.id, "data": data, "validation_request": true}); ok {
		c.say("Changed: the last entry of “%s” is now %s.", "Changé : la dernière entrée de « %s » est maintenant %s.", tool.name, said)
	}
}

// rename gives a zone or a tool another name; the person is shown both and asked.
func rename(c *planner, g groups) {
	to := strings.Trim(g["to"], `"«»“” `)
	if g["kind"] != "zone" {
		tool, ok := c.needTool(g["name"])
		if ok {
			c.renamed(tool.name, to, "UPDATE_TOOL", map[string]any{"tool_id": tool.id, "name": to, "validation_request": true})
		}
		return
	}
	s, ok := c.query("ZONES", nil)
	if !ok {
		return
	}
	zones := look(s.text).zones
	if zone := best(zones, g["name"]); zone != nil {
		c.renamed(zone.name, to, "UPDATE_ZONE", map[string]any{"zone_id": zone.id, "name": to, "validation_request": true})
		return
	}
	c.noSuch(zones, "zone", g["name"])
}

func (c *planner) renamed(from, to, command string, params map[string]any) {
	doing := fmt.Sprintf(c.in("I ask to rename “%s” to “%s”.", "Je demande à renommer « %s » en « %s »."), from, to)
	if _, ok := c.act(doing, command, params); ok {
		c.say("“%s” is now called “%s”.", "« %s » s'appelle maintenant « %s ».", from, to)
	}
}

// setUnit changes a tool's config.
func setUnit(c *planner, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	doing := fmt.Sprintf(c.in("I ask to set the unit of “%s” to %s.", "Je demande à mettre l'unité de « %s » en %s."), tool.name, g["unit"])
	if _, ok := c.act(
		doing,
		"UPDATE_TOOL",
		map[string]any{"tool_id": tool.id, "config": map[string]any{"unit": g["unit"]}, "validation_request": true},
	); ok {
		c.say("The unit of “%s” is now %s.", "L'unité de « %s » est maintenant %s.", tool.name, g["unit"])
	}
}
