package demo

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// contextManager is the agent that every workspace has.
const contextManager = "ContextManager"

// askAgent gives a task to the agent of a name, in the person's words.
func askAgent(c *planner, g groups) {
	name := strings.Trim(g["agent"], `"«»“” `)
	c.leave(name, g["task"])
}

// leave leaves a task to an agent, and passes on what that one reports.
func (c *planner) leave(agent, task string) {
	command := domain.AgentCommandPrefix + strings.ReplaceAll(domain.AgentCommandName(agent), " ", "_")
	if !c.json { // the name on the wire
		command = strings.ReplaceAll(command, ".", "_")
	}
	doing := fmt.Sprintf(c.in("I leave this to the agent %s.", "Je laisse cela à l'agent %s."), agent)
	steps, ok := c.run(doing, planned{command, map[string]any{"query": task}})
	if !ok {
		return
	}
	switch report := reportIn(steps[0].text); domain.AgentOutcome(report["outcome"]) {
	case domain.AgentCompleted:
		c.say("The agent %s reports: %s", "L'agent %s rapporte : %s", agent, report["result"])
	case domain.AgentNeedsClarification:
		c.say("The agent %s has a question: %s", "L'agent %s a une question : %s", agent, report["result"])
	default:
		c.say("The agent %s did not come to an end (%s). It says: %s", "L'agent %s n'est pas allé au bout (%s). Il dit : %s",
			agent, report["outcome"], oneLine(report["reason"]+" "+report["result"]))
	}
}

// reportParts are what the lines of an agent's report begin with, in their order.
var reportParts = []string{"outcome", "reason", "result", "conclusion"}

// reportIn parses the result of an agent's task; a part may have several lines.
func reportIn(text string) map[string]string {
	report, part := map[string]string{}, 0
	current := ""
	for line := range strings.SplitSeq(text, "\n") {
		for next := part; next < len(reportParts); next++ {
			if rest, ok := strings.CutPrefix(line, reportParts[next]+": "); ok {
				current, line, part = reportParts[next], rest, next+1
				break
			}
		}
		if current != "" {
			report[current] = strings.TrimPrefix(report[current]+"\n"+line, "\n")
		}
	}
	return report
}

// noteInDocuments is left to the agent that looks after the documents. It adds a line to
// the document Notes, and publishes it: a person is asked for both.
func noteInDocuments(c *planner, g groups) {
	if !c.agent {
		c.leave(contextManager, fmt.Sprintf(c.in("Note in the documents: %s", "Note dans les documents : %s"), g["text"]))
		return
	}
	key, name, body, ok := c.notes()
	if !ok {
		return
	}
	body = strings.TrimPrefix(body+"\n- "+oneLine(g["text"]), "\n")
	if _, ok := c.act(c.in("I write the draft.", "J'écris le brouillon."), "CONTEXT_UPDATE",
		map[string]any{"key": key, "title": name, "body": body}); !ok {
		return
	}
	if _, ok := c.act(c.in("I ask to publish it.", "Je demande à le publier."), "CONTEXT_PUBLISH", map[string]any{"key": key}); !ok {
		return
	}
	c.say("It stands in the document “%s” (%s), which is published.", "C'est dans le document « %s » (%s), qui est publié.", name, key)
}

// notes is the document that takes what has no other, with what it says now; a new one where
// there is none.
func (c *planner) notes() (key, name, body string, ok bool) {
	s, ok := c.query("CONTEXT", nil)
	if !ok {
		return "", "", "", false
	}
	name = "Notes"
	there := best(look(s.text).documents, name)
	if there == nil || keyOf(there.name) != keyOf(name) {
		return slug(name, "notes"), name, "", true
	}
	if s, ok = c.query("CONTEXT", map[string]any{"key": there.key}); !ok {
		return "", "", "", false
	}
	for _, d := range look(s.text).documents {
		body, _ = d.fields["published_body"].(string)
		if draft, differs := d.fields["draft_body"].(string); differs && draft != "" {
			body = draft
		}
	}
	return there.key, there.name, body, true
}

// searchDocuments is left to the same agent, which looks for the words.
func searchDocuments(c *planner, g groups) {
	if c.agent {
		search(c, g)
		return
	}
	c.leave(contextManager, fmt.Sprintf(c.in("Search for %s", "Cherche %s"), g["text"]))
}
