package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// answer plans every part of the request, in order, up to the first that has to wait.
func (c *planner) answer() {
	c.fr = french(c.request)
	if c.summary {
		c.summarise()
		return
	}
	c.reportEnding()
	answerFiles(c)
	request := c.named(c.request)
	if isAgain(request) && c.previous != "" {
		request, c.repeat = c.previous, true
		c.fr = c.fr || french(request)
	}
	for _, part := range parts(request) {
		p, groups := find(part)
		switch {
		case p != nil:
			c.fr = p.fr
			p.plan(c, groups)
		case !c.brought(part) && len(c.files) == 0:
			c.didNotUnderstand(part)
		}
		if len(c.calls) > 0 {
			return
		}
	}
}

// raw is the answer in the protocol of the prompt.
func (c *planner) raw(newID domain.IDSource) *domain.RawAnswer {
	text := c.text()
	raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, StopReason: "stop", Model: ModelName, Provider: KindName, Text: text}
	if c.json {
		raw.Protocol, raw.Text = domain.ProtocolJSON, c.jsonText(text)
		return raw
	}
	calls := c.calls
	if len(calls) == 0 && c.automation {
		calls = []planned{c.ending(text)}
	}
	for i, call := range calls {
		raw.StopReason = "calls"
		raw.Calls = append(raw.Calls, domain.RawCall{
			ID: newID("call"), ProviderID: fmt.Sprintf("demo_%d_%d", len(c.steps), i+1),
			Name: call.name, Arguments: string(encode(call.params)),
		})
	}
	return raw
}

func (c *planner) text() string {
	text := strings.Join(c.said, "\n\n")
	if len(c.calls) > 0 {
		text, c.introduced = c.doing, false
	} else if text == "" {
		text = c.in("Done.", "C'est fait.")
	}
	if c.first && !c.introduced && !c.summary && !c.agent {
		hello := c.in("(I am Fermata's demo: a few rules, no AI model. Say “help” to see what I understand.)",
			"(Je suis la démo de Fermata : quelques règles, pas de modèle d'IA. Dites « aide » pour voir ce que je comprends.)")
		text = strings.TrimSpace(hello + "\n\n" + text)
	}
	return text
}

// ending is the call by which an automation or an agent ends.
func (c *planner) ending(text string) planned {
	switch {
	case c.asksBack:
		return planned{askPrincipal, map[string]any{"question": text}}
	case c.agent && c.undone:
		return planned{complete, map[string]any{"reason": c.in("It could not be done.", "Cela n'a pas pu être fait."), "result": text}}
	case c.agent:
		return planned{complete, map[string]any{"reason": c.in("The task is done.", "La tâche est faite."), "result": text}}
	}
	return planned{complete, map[string]any{"summary": text}}
}

// jsonText is the answer as one JSON object. completed is said whenever the request
// is done: an automation ends by it, a chat ignores it.
func (c *planner) jsonText(text string) string {
	a := jsonAnswer{PreText: text}
	for _, call := range c.calls {
		command := jsonCommand{Type: call.name, Params: encode(call.params)}
		switch {
		case call.name == askUser:
			data := encode(call.params["data"].(map[string]any))
			a.Module = &domain.Module{Type: call.params["type"].(string), Data: data}
		case isAction(call.name):
			a.ActionCommands = append(a.ActionCommands, command)
			a.KeepControl = true // to say afterwards what became of it
		default:
			a.DataCommands = append(a.DataCommands, command)
		}
	}
	a.Completed = len(c.calls) == 0 && !c.asksBack
	b, err := json.Marshal(a)
	if err != nil {
		panic(fmt.Sprintf("demo: encode an answer: %v", err)) // its parts come from encode
	}
	return string(b)
}

// summarise answers the server's request to shorten the conversation.
func (c *planner) summarise() {
	c.said = append(c.said, "The person talked with the demo. Latest request: "+oneLine(c.previous+" "+c.request))
}
