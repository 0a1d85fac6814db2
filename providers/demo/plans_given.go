package demo

import "regexp"

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
func (c *planner) givenTool(name string) (*record, []step) {
	for i, s := range c.given {
		if s.name != "TOOL_CONFIG" {
			continue
		}
		for _, t := range look(s.text).tools {
			if keyOf(t.name) != keyOf(name) {
				continue
			}
			end := i + 1
			for end < len(c.given) && c.given[end].name != "TOOL_CONFIG" && c.given[end].name != "ZONE_CONFIG" {
				end++
			}
			return &t, c.given[i:end]
		}
	}
	return nil, nil
}

// givenFigures answers from what the message brought along; false if that is nothing.
func (c *planner) givenFigures(tool *record) bool {
	_, steps := c.givenTool(tool.name)
	var figures, data *step
	for i := range steps {
		switch {
		case steps[i].outcome != succeeded && steps[i].outcome != cached:
		case steps[i].name == "TOOL_STATS" && figures == nil:
			figures = &steps[i]
		case steps[i].name == "TOOL_DATA":
			data = &steps[i]
		}
	}
	switch {
	case data == nil:
		return false
	case figures != nil:
		c.figures(tool, "", "", *figures, *data)
	default:
		c.entries(tool, "", *data)
	}
	c.say(
		"(Your message brought these data along: I had nothing to look up.)",
		"(Votre message apportait ces données : je n'ai rien eu à chercher.)",
	)
	return true
}

// brought answers a message that is nothing but a reference to a tool or a zone.
func (c *planner) brought(part string) bool {
	if tool, _ := c.givenTool(part); tool != nil {
		if !c.givenFigures(tool) {
			stats(c, groups{"tool": part})
		}
		return true
	}
	for i, s := range c.given {
		if s.name != "ZONE_CONFIG" || i+1 == len(c.given) {
			continue
		}
		for _, z := range look(s.text).zones {
			if keyOf(z.name) == keyOf(part) {
				tools := look(c.given[i+1].text).tools
				c.say("“%s” holds %d %s%s", "« %s » contient %d %s%s", z.name, len(tools),
					c.plural(len(tools), "tool", "tools", "outil", "outils"), c.listed(tools))
				return true
			}
		}
	}
	return false
}
