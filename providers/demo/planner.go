package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// planned is a command that is asked for.
type planned struct {
	name   string
	params object
}

// planner plans the answer to one prompt. Each command that a plan needs is either there
// already, from an earlier call, or stops the plan and is what the answer asks for.
type planner struct {
	reading
	speech
	repeat     bool // the person asked for it again
	taken      int  // steps that were replayed
	memo       map[string]step
	doing      string // a word beside the calls
	calls      []planned
	asksBack   bool // an agent does not know what to do, and asks who called it
	undone     bool // a command did not come out as it should
	introduced bool // what is said says itself that this is a demo
}

func newPlanner(p *ai.Prompt) *planner {
	return &planner{reading: read(p), memo: map[string]step{}}
}

// encode writes an answer or params; map keys come out sorted.
func encode(v any) json.RawMessage {
	if params, ok := v.(object); ok && len(params) == 0 {
		return json.RawMessage("{}")
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("demo: encode an answer: %v", err)) // strings, numbers, lists and maps only
	}
	return b
}

func isAction(name string) bool {
	verb, _, _ := strings.Cut(name, "_")
	return slices.Contains([]string{"CREATE", "UPDATE", "DELETE"}, verb) || strings.HasPrefix(name, "CONTEXT_")
}

// run gives the results of commands, or stops: with the calls that have no result yet, or after one that failed.
func (c *planner) run(doing string, commands ...planned) []step {
	steps := c.each(doing, commands...)
	for i := 0; i < len(steps) && !c.stopped; i++ {
		c.check(steps[i], commands[i])
	}
	if c.stopped {
		return make([]step, len(commands))
	}
	return steps
}

// each is run without a look at how the commands came out: of several actions a person
// may approve a part.
func (c *planner) each(doing string, commands ...planned) (steps []step) {
	if c.stopped {
		return nil
	}
	for _, command := range commands {
		s, ok := c.replay(command)
		switch {
		case ok:
			steps = append(steps, s)
		case !mayCall(c.offered, command.name):
			// With some settings the server offers no commands after good results.
			c.stop("I would need the command %s now, but the server does not offer it, so I stop here.", command.name)
			return nil
		default:
			c.calls, c.doing = append(c.calls, command), doing
		}
	}
	c.stopped = len(c.calls) > 0
	return steps
}

// mayCall reports whether a command is offered, or only left out because the workspace has no use for it yet: then a
// call of it finds nothing.
func mayCall(offered []string, name string) bool {
	if offered == nil || slices.Contains(offered, name) {
		return true
	}
	if strings.HasPrefix(name, "AGENT_") {
		return name == "AGENT_"+domain.AgentCommandName(contextManager) && slices.Contains(offered, "CONTEXT_UPDATE")
	}
	return slices.Contains(offered, "APP_STATE")
}

func (c *planner) replay(command planned) (step, bool) {
	key := command.name + string(encode(command.params))
	if s, ok := c.memo[key]; ok {
		return s, true
	}
	for i := c.taken; i < len(c.steps); i++ {
		if c.steps[i].name != command.name {
			continue
		}
		c.taken = i + 1
		if isAction(command.name) {
			clear(c.memo) // what was read before may have changed
		} else {
			c.memo[key] = c.steps[i]
		}
		return c.steps[i], true
	}
	return step{}, false
}

// check stops where a step did not succeed, and says why.
func (c *planner) check(s step, command planned) {
	if s.outcome == domain.ExecSuccess || s.outcome == domain.ExecCached && !isAction(command.name) {
		return
	}
	c.undone = true
	switch {
	case s.outcome == domain.ExecCached:
		c.stop("The server did not do it a second time: the same was just done. Say “again” to do it anyway.")
	case s.outcome == domain.ExecCancelled && s.name == domain.AskUser:
		c.stop("You gave no answer, so I leave it at that.")
	case s.outcome == domain.ExecCancelled:
		c.stop("Not done: nothing has changed.")
	case s.outcome == domain.ExecPending:
		c.stop("It is still running; the result comes later.")
	case s.outcome == domain.ExecUnknown:
		c.stop("Nobody knows whether it went through: look before doing it again.")
	default:
		c.stop("That did not work. The server says: %s", oneLine(reasonIn(s.text)))
	}
}

// failedAs is what the server puts before the words of a failure.
var failedAs = regexp.MustCompile(`^Failed(?: \([a-z_]+\))?: `)

// reasonIn is a failure in words: its fields only where they say something more.
func reasonIn(text string) string {
	head, rest, _ := strings.Cut(failedAs.ReplaceAllString(text, ""), "\n")
	kept := []string{head}
	for line := range strings.SplitSeq(rest, "\n") {
		_, message, field := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		if !field || !strings.Contains(head, message) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// justRead says it when all of an answer came from before.
func (c *planner) justRead(steps ...step) {
	if !slices.ContainsFunc(steps, func(s step) bool { return s.outcome != domain.ExecCached }) {
		c.say("(CACHED: nothing has changed since you asked a moment ago, so the server gave me the same result without looking again.)")
	}
}

// looking is the text beside a query without other text.
var looking = map[string]string{
	"APP_STATE":      "Looking at all you have…",
	"ZONES":          "Checking your zones…",
	"TOOL_INSTANCES": "Checking your tools…",
	"TOOL_DATA":      "Reading the entries…",
	"SCHEMA":         "Looking at the fields…",
	"CONTEXT":        "Looking at the documents…",
	"SEARCH":         "Searching…",
}

// query reads something.
func (c *planner) query(name string, params object) step {
	return c.run(c.in(looking[name]), planned{name, params})[0]
}

// act changes something.
func (c *planner) act(doing, name string, params object) step {
	if c.repeat {
		params["repeat"] = true
	}
	return c.run(doing, planned{name, params})[0]
}

// ask puts a question to the person.
func (c *planner) ask(kind string, data object) string {
	if c.automation {
		c.stop("I would have asked a question, but nobody is there in an automation.")
	}
	question := planned{domain.AskUser, object{"type": kind, "data": data}}
	return strings.TrimSpace(c.run(c.in("A question first."), question)[0].text)
}
