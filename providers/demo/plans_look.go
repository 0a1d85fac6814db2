package demo

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// showStats asks for statistics and the latest entries at once, unless the message brought
// them along.
func showStats(c *planner, g captures) {
	tool := c.needTool(g["tool"])
	period, group := periodOf(g["when"]), g["by"]
	if slices.Contains(textual, tool.toolType) {
		c.list(tool, object{"tool_id": tool.id, "limit": shownEntries, "order": "desc"}, g["when"])
		return
	}
	if period == nil && group == "" && c.givenFigures(tool) {
		return
	}
	figures, latest := object{"tool_id": tool.id}, object{"tool_id": tool.id, "limit": 5, "order": "desc"}
	if period != nil {
		figures["period"], latest["period"] = period, period
	}
	if group != "" {
		group = strings.ToLower(unitIn(strings.ToLower(group)))
		figures["group_by"] = group
	}
	steps := c.run(c.in("Looking at the figures…"),
		planned{"TOOL_CONFIG", object{"tool_id": tool.id}}, planned{"TOOL_STATS", figures}, planned{"TOOL_DATA", latest})
	c.figures(configured(tool, steps[0]), g["when"], group, steps[1], steps[2])
	c.justRead(steps...)
}

// configured is the tool with its config, as its own query shows it.
func configured(tool record, s step) record {
	for _, t := range look(s).tools {
		if t.id == tool.id {
			return t
		}
	}
	return tool
}

// showList shows entries, as many at a time as the person said.
func showList(c *planner, g captures) {
	tool, limit := c.needTool(g["tool"]), shownEntries
	if n, err := strconv.Atoi(g["n"]); err == nil && n > 0 {
		limit = min(n, 200)
	}
	c.list(tool, object{"tool_id": tool.id, "limit": limit, "order": "desc"}, g["when"])
}

func (c *planner) list(tool record, params object, when string) {
	if period := periodOf(when); period != nil {
		params["period"] = period
	}
	steps := c.run(c.in(looking["TOOL_DATA"]),
		planned{"TOOL_CONFIG", object{"tool_id": params["tool_id"]}}, planned{"TOOL_DATA", params})
	c.entries(configured(tool, steps[0]), when, steps[1])
	c.justRead(steps...)
}

// showMore reads on behind the page that was shown last.
func showMore(c *planner, _ captures) {
	page := c.lastPage()
	params, decoder := object{}, json.NewDecoder(bytes.NewReader(page.params))
	decoder.UseNumber()
	cursor := cursorIn(page.text)
	switch {
	case page.name == "":
		c.stop("I have shown no list yet. Say for example “show my weight”.")
	case cursor == "":
		c.stop("That was all: there is no more.")
	case decoder.Decode(&params) != nil || params == nil:
		c.stop("I no longer know what I was showing.")
		return
	}
	params["cursor"] = cursor
	id, _ := params["tool_id"].(string)
	c.list(record{id: id}, params, "")
}

// lastPage is the latest page of entries that was read before this request.
func (c *planner) lastPage() step {
	for i := len(c.before) - 1; i > 0; i-- {
		for _, s := range slices.Backward(stepsOf(c.before[i-1], c.before[i])) {
			if s.name == "TOOL_DATA" && (s.outcome == domain.ExecSuccess || s.outcome == domain.ExecCached) {
				return s
			}
		}
	}
	return step{}
}

// sumUp says what was recorded recently, by tool; of five tools at most.
func sumUp(c *planner, g captures) {
	tools := slices.DeleteFunc(look(c.query("APP_STATE", nil)).tools, func(t record) bool { return slices.Contains(textual, t.toolType) })
	tools = tools[:min(len(tools), 5)]
	if len(tools) == 0 {
		c.stop("There are no figures to sum up yet. Say for example “track my sleep in hours”.")
	}
	var wanted []planned
	for _, t := range tools {
		wanted = append(wanted, planned{"TOOL_STATS", object{"tool_id": t.id, "period": periodUntilToday(g["span"])}})
	}
	lines := []string{c.in("What you noted:"), ""}
	for i, s := range c.run(c.in("Looking at the figures…"), wanted...) {
		lines = append(lines, c.summed(tools[i].name, look(s).stats))
	}
	c.add(lines...)
}

// summed is one line of a summary.
func (sp *speech) summed(name string, stats object) string {
	count := sp.round(stats["count"])
	if count == "" || count == "0" {
		return sp.in("- %s: nothing", name)
	}
	return sp.in("- %s: %s, mean %s, between %s and %s", name, sp.counted(count, "value"),
		sp.round(stats["mean"]), sp.round(stats["min"]), sp.round(stats["max"]))
}

// searchData looks for words everywhere, the best first.
func searchData(c *planner, g captures) {
	text := unquoted(g["text"])
	s := c.query("SEARCH", object{"query": text, "limit": shownEntries})
	hits := look(s).hits
	if len(hits) == 0 {
		c.stop("I find “%s” nowhere in your data.", text)
	}
	lines := []string{c.in("I find “%s” here:", text)}
	for _, h := range hits {
		where, at := h.text("tool"), h.text("timestamp")
		if where == "" {
			where = c.in("the document ") + h.text("title")
		}
		lines = append(lines, c.in("- %s (%s): %s", where, at[:min(len(at), 10)], oneLine(h.text("snippet"))))
	}
	c.add(lines...)
	c.justRead(s)
}

// block is an enrichment in the words of a message: the server puts what it refers to
// in brackets, the name in quotes.
var block = regexp.MustCompile(`\[[^\[\]]*?[“«]\s*([^”»\[\]]+?)\s*[”»][^\[\]]*\]`)

// named is the request with each enrichment as the name of what it refers to, so that
// the rules read it like any other word.
func (c *planner) named(request string) string {
	if len(c.given) == 0 {
		return request
	}
	return block.ReplaceAllString(request, "$1")
}

// givenTool is a tool that the message refers to, with the results that came along for
// it; nil where there is none of that name.
func (c *planner) givenTool(name string) (record, []step) {
	for i, s := range c.given {
		if s.name != "TOOL_CONFIG" {
			continue
		}
		if t, ok := exact(look(s).tools, name); ok {
			end := i + 1
			for end < len(c.given) && c.given[end].name != "TOOL_CONFIG" && c.given[end].name != "ZONE_CONFIG" {
				end++
			}
			return t, c.given[i:end]
		}
	}
	return record{}, nil
}

// givenFigures answers from what the message brought along; false if that is nothing.
func (c *planner) givenFigures(tool record) bool {
	_, steps := c.givenTool(tool.name)
	var figures, data step
	for _, s := range steps {
		switch {
		case s.outcome != domain.ExecSuccess && s.outcome != domain.ExecCached:
		case s.name == "TOOL_STATS" && figures.name == "":
			figures = s
		case s.name == "TOOL_DATA":
			data = s
		}
	}
	switch {
	case data.name == "":
		return false
	case figures.name != "":
		c.figures(tool, "", "", figures, data)
	default:
		c.entries(tool, "", data)
	}
	c.say("(Your message brought these data along: I had nothing to look up.)")
	return true
}

// brought answers a message that is nothing but a reference to a tool or a zone.
func (c *planner) brought(part string) bool {
	if tool, steps := c.givenTool(part); steps != nil {
		if !c.givenFigures(tool) {
			showStats(c, captures{"tool": part})
		}
		return true
	}
	for i, s := range c.given {
		if s.name != "ZONE_CONFIG" || i+1 == len(c.given) {
			continue
		}
		if z, ok := exact(look(s).zones, part); ok {
			tools, listed := look(c.given[i+1]).tools, "."
			if len(tools) > 0 {
				listed = c.in(": ") + c.names(tools) + "."
			}
			c.say("“%s” holds %s%s", z.name, c.counted(len(tools), "tool"), listed)
			return true
		}
	}
	return false
}
