package demo

import (
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// The kind of this provider, and the model that its answers name.
const (
	kindName  = "demo"
	modelName = "fermata-demo"
)

// answer plans every part of the request, in order, up to the first that has to wait.
func (c *planner) answer() {
	c.fr = isFrench(c.request)
	if c.summary {
		c.add("The person talked with the demo. Latest request: " + oneLine(c.previous+" "+c.request))
		return
	}
	c.reportEnding()
	for _, f := range c.files {
		c.say("I got a file, %s. I am only a demo: a model would look into it.", f)
	}
	request := c.named(c.request)
	if isAgain(request) && c.previous != "" {
		request, c.repeat = c.previous, true
		c.fr = c.fr || isFrench(request)
	}
	for _, part := range partsOf(request) {
		c.stopped = false
		p, g := find(part)
		switch {
		case p != nil:
			c.fr = p.fr
			p.plan(c, g)
		case !c.brought(part) && len(c.files) == 0:
			c.didNotUnderstand(part)
		}
		if len(c.calls) > 0 {
			return
		}
	}
}

// reportEnding says how the request before came to its end.
func (c *planner) reportEnding() {
	for _, e := range c.ended {
		switch e.kind {
		case limitReached:
			c.say("(Your message before was not finished. The server says: %s)", oneLine(e.text))
		case notApproved:
			c.say("(You did not agree to what I had asked: nothing of it was done.)")
		case notAnswered:
			c.say("(My question has no answer; I leave it.)")
		}
	}
}

// raw is the answer in the protocol of the prompt.
func (c *planner) raw(newID domain.IDSource) *domain.RawAnswer {
	text := c.text()
	raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, StopReason: "stop", Model: modelName, Provider: kindName, Text: text}
	if c.json {
		raw.Protocol, raw.Text = domain.ProtocolJSON, c.jsonText(text)
		return raw
	}
	if len(c.calls) == 0 && c.automation {
		c.calls = []planned{c.finish(text)}
	}
	for i, call := range c.calls {
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
		text = c.in("Done.")
	}
	if c.first && !c.introduced && !c.summary && !c.agent {
		hello := c.in("(I am Fermata's demo: a few rules, no AI model. Say “help” to see what I understand.)")
		text = hello + "\n\n" + text
	}
	return strings.TrimSpace(text)
}

// finish is the call by which an automation or an agent ends.
func (c *planner) finish(text string) planned {
	switch {
	case c.asksBack:
		return planned{domain.AskPrincipal, object{"question": text}}
	case c.agent && c.undone:
		return planned{domain.Complete, object{"reason": c.in("It could not be done."), "result": text}}
	case c.agent:
		return planned{domain.Complete, object{"reason": c.in("The task is done."), "result": text}}
	}
	return planned{domain.Complete, object{"summary": text}}
}

// jsonText is the answer as one JSON object. completed is said whenever the request
// is done: an automation ends by it, a chat ignores it.
func (c *planner) jsonText(text string) string {
	a := jsonAnswer{PreText: text, Completed: len(c.calls) == 0 && !c.asksBack}
	for _, call := range c.calls {
		command := jsonCommand{Type: call.name, Params: encode(call.params)}
		switch {
		case call.name == domain.AskUser:
			a.Module = &domain.Module{Type: call.params["type"].(string), Data: encode(call.params["data"])}
		case isAction(call.name):
			a.ActionCommands = append(a.ActionCommands, command)
			a.KeepControl = true // to say afterwards what became of it
		default:
			a.DataCommands = append(a.DataCommands, command)
		}
	}
	return string(encode(a))
}
