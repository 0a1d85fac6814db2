package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// draft writes a document's draft; the server asks the person by itself.
func draft(c *planner, g captures) {
	name := g.title("name")
	c.act(c.in("I ask to write the draft of the document “%s”.", name), "CONTEXT_UPDATE", object{"key": slug(name, "document"), "title": name, "body": g["text"]})
	c.say("The draft of “%s” is written. No session reads it yet: say “publish the document %s”.", name, name)
}

// documents are all of them, or what one says.
func (c *planner) documents(params object) []record {
	return look(c.query("CONTEXT", params)).documents
}

func publish(c *planner, g captures) {
	doc := c.need(c.documents(nil), "document", g["name"])
	c.act(c.in("I ask to publish the document “%s”.", doc.name), "CONTEXT_PUBLISH", object{"key": doc.key})
	c.say("“%s” is published: every session reads it from now on.", doc.name)
}

func showDocuments(c *planner, _ captures) {
	s := c.query("CONTEXT", nil)
	all := look(s).documents
	if len(all) == 0 {
		c.stop("There is no document yet. Say for example “draft a document House rules: shoes off”.")
	}
	lines := []string{c.in("Your documents:")}
	for _, d := range all {
		state := c.in("published")
		if d.fields["published"] != true {
			state = c.in("a draft")
		} else if d.fields["draft_differs"] == true {
			state = c.in("published, with a newer draft")
		}
		lines = append(lines, "- "+d.name+" ("+state+")")
	}
	c.add(lines...)
	c.justRead(s)
}

func showDocument(c *planner, g captures) {
	found := c.need(c.documents(nil), "document", g["name"])
	for _, d := range c.documents(object{"key": found.key}) {
		if body := d.text("published_body"); body != "" {
			c.say("“%s”, as every session reads it:\n\n%s", d.name, body)
		}
		if body := d.text("draft_body"); body != "" {
			c.say("The draft of “%s”, not published:\n\n%s", d.name, body)
		}
	}
}

// contextManager is the agent that every workspace has.
const contextManager = "ContextManager"

// noteInDocuments is left to the agent that looks after the documents. It adds a line to
// the document Notes, and publishes it: a person is asked for both.
func noteInDocuments(c *planner, g captures) {
	if !c.agent {
		c.leave(contextManager, c.in("Note in the documents: %s", g["text"]))
		return
	}
	doc := record{key: "notes", name: "Notes"}
	body := ""
	if there, ok := exact(c.documents(nil), doc.name); ok {
		doc = there
		for _, d := range c.documents(object{"key": doc.key}) {
			body = d.text("published_body")
			if draft := d.text("draft_body"); draft != "" {
				body = draft
			}
		}
	}
	body = strings.TrimPrefix(body+"\n- "+oneLine(g["text"]), "\n")
	c.act(c.in("I write the draft."), "CONTEXT_UPDATE", object{"key": doc.key, "title": doc.name, "body": body})
	c.act(c.in("I ask to publish it."), "CONTEXT_PUBLISH", object{"key": doc.key})
	c.say("It stands in the document “%s” (%s), which is published.", doc.name, doc.key)
}

// searchDocuments is left to the same agent, which looks for the words.
func searchDocuments(c *planner, g captures) {
	if c.agent {
		searchData(c, g)
		return
	}
	c.leave(contextManager, c.in("Search for %s", g["text"]))
}

// askAgent gives a task to the agent of a name, in the person's words.
func askAgent(c *planner, g captures) { c.leave(unquoted(g["agent"]), g["task"]) }

// reportParts are what the lines of an agent's report begin with, in their order.
var reportParts = []string{"outcome", "reason", "result", "conclusion"}

// reportIn parses the result of an agent's task; a part may have several lines.
func reportIn(text string) map[string]string {
	report, part := map[string]string{}, -1
	for line := range strings.SplitSeq(text, "\n") {
		name, rest, _ := strings.Cut(line, ": ")
		if next := slices.Index(reportParts, name); next > part {
			report[name], part = rest, next
		} else if part >= 0 {
			report[reportParts[part]] += "\n" + line
		}
	}
	return report
}

// leave leaves a task to an agent, and passes on what that one reports.
func (c *planner) leave(agent, task string) {
	command := domain.AgentCommandPrefix + strings.ReplaceAll(domain.AgentCommandName(agent), " ", "_")
	if !c.json { // the name on the wire
		command = strings.ReplaceAll(command, ".", "_")
	}
	s := c.run(c.in("I leave this to the agent %s.", agent), planned{command, object{"query": task}})[0]
	report := reportIn(s.text)
	switch domain.AgentOutcome(report["outcome"]) {
	case domain.AgentCompleted:
		c.say("The agent %s reports: %s", agent, report["result"])
	case domain.AgentNeedsClarification:
		c.say("The agent %s has a question: %s", agent, report["result"])
	default:
		c.say("The agent %s did not come to an end (%s). It says: %s", agent, report["outcome"], oneLine(report["reason"]+" "+report["result"]))
	}
}

var (
	// fieldText is a field as people say it: "pages (number)".
	fieldText = regexp.MustCompile(`^(.+?)(?: ?\((.+)\))?$`)
	// kinds are the words for the JSON types of a field; without one it is a text.
	kinds = map[string]string{"number": "number", "nombre": "number", "yes/no": "boolean", "oui/non": "boolean"}
)

// createType makes a tool type of named fields, of which the first must be there.
func createType(c *planner, g captures) {
	name, properties := g.title("name"), object{}
	var required []string
	for _, item := range itemSeparator.Split(g["fields"], -1) {
		m := fieldText.FindStringSubmatch(strings.TrimSpace(item))
		if m == nil {
			continue
		}
		kind := kinds[strings.ToLower(strings.TrimSpace(m[2]))]
		if kind == "" {
			kind = "string"
		}
		key := strings.ReplaceAll(slug(withoutArticle(m[1]), "field"), "-", "_")
		if required == nil {
			required = []string{key}
		}
		properties[key] = object{"type": kind, "title": title(withoutArticle(m[1]))}
	}
	c.act(c.in("I create the tool type “%s”.", name), "CREATE_TOOL_TYPE", object{
		"id": slug(name, "type"), "name": name,
		"config_schema": object{"type": "object", "properties": object{}, "additionalProperties": false},
		"entry_schema":  object{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
	})
	c.say("The tool type “%s” is there. Now you can say: “create a tool My list of type %s”.", name, name)
}

// createOf makes a tool of a type that is found by its name.
func createOf(c *planner, g captures) {
	of := c.need(look(c.query("SCHEMA", object{"of": "tool"})).types, c.in("tool type"), g["type"])
	name := g.title("name")
	c.newTool(name, of.id, g["zone"], object{})
	c.say("“%s” is there, of the type “%s”.", name, of.name)
}

// fillIn adds an entry by the names of its fields, typed as the tool's schema says. A piece without "="
// belongs to the one before it, as in "price = 12,5".
func fillIn(c *planner, g captures) {
	tool := c.needTool(g["tool"])
	properties := propertiesIn(c.query("SCHEMA", object{"of": "entry", "tool_type": tool.toolType}))
	var pieces []string
	for piece := range strings.SplitSeq(g["pairs"], ",") {
		if n := len(pieces); n > 0 && !strings.Contains(piece, "=") {
			pieces[n-1] += "," + piece
			continue
		}
		pieces = append(pieces, piece)
	}
	data := object{}
	for _, piece := range pieces {
		said, value, _ := strings.Cut(piece, "=")
		value = strings.TrimSpace(value)
		key := matching(properties, said)
		switch kind := properties[key]; {
		case key == "":
			c.stop("There is no field “%s”.", strings.TrimSpace(said))
		case (kind == "number" || kind == "integer") && numberOnly.FindString(value) == value && value != "":
			data[key] = json.Number(plainNumber(value))
		case kind == "boolean":
			data[key] = !isNo(value)
		default:
			data[key] = value
		}
	}
	c.addEntries(c.in("I add it to “%s”.", tool.name), tool.id, "", data)
	c.say("Added to “%s”: %s.", tool.name, c.fields(data))
}

// propertiesIn are the fields of the schemas in a result, with their types.
func propertiesIn(s step) map[string]string {
	properties := map[string]string{}
	for _, t := range look(s).types {
		schema, _ := t.fields["schema"].(object)
		fields, _ := schema["properties"].(object)
		for name, field := range fields {
			described, _ := field.(object)
			properties[name], _ = described["type"].(string)
		}
	}
	return properties
}

// matching is the property that a person means; of several that fit, the first by name. "" is none.
func matching(properties map[string]string, said string) string {
	var fit []string
	for name := range properties {
		if keyOf(strings.ReplaceAll(name, "_", " ")) == keyOf(said) {
			fit = append(fit, name)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return slices.Min(fit)
}
