package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// planned is a command that is asked for.
type planned struct {
	name   string
	params map[string]any
}

// planner plans the answer to one prompt. A plan is written straight down; each
// command it needs is either there already, from an earlier call, or ends the plan
// for this time (ok false) and is what the answer asks for.
type planner struct {
	reading
	speech
	repeat bool // the person asked for it again
	taken  int  // steps that were replayed
	memo   map[string]step
	doing  string // a word beside the calls
	calls  []planned
	// asksBack: an agent does not know what to do, and asks who called it.
	asksBack bool
	undone   bool // a command did not come out as it should
	// introduced: what is said says itself that this is a demo.
	introduced bool
}

func newPlanner(p *domain.Prompt) *planner {
	return &planner{reading: read(p), memo: map[string]step{}}
}

// run gives the results of commands that are needed together. false: they are not
// there yet, or one did not work out and that was said.
func (c *planner) run(doing string, commands ...planned) ([]step, bool) {
	steps, ok := c.each(doing, commands...)
	if !ok {
		return nil, false
	}
	for i, s := range steps {
		if !c.good(s, commands[i]) {
			return nil, false
		}
	}
	return steps, true
}

// each is run without a look at how the commands came out: of several actions a person
// may approve a part.
func (c *planner) each(doing string, commands ...planned) ([]step, bool) {
	var steps []step
	for _, command := range commands {
		s, ok := c.replay(command)
		if !ok {
			if c.allowed(command.name) {
				c.calls, c.doing = append(c.calls, command), doing
			}
			continue
		}
		steps = append(steps, s)
	}
	return steps, len(steps) == len(commands)
}

// allowed: with some settings the server offers no commands after good results.
func (c *planner) allowed(name string) bool {
	if c.offered == nil || slices.Contains(c.offered, name) {
		return true
	}
	c.say("I would need the command %s now, but the server does not offer it, so I stop here.",
		"Il me faudrait maintenant la commande %s, mais le serveur ne la propose pas : je m'arrête là.", name)
	return false
}

func (c *planner) replay(command planned) (step, bool) {
	key := command.name + string(encode(command.params))
	if s, ok := c.memo[key]; ok {
		return s, true
	}
	for i := c.taken; i < len(c.steps); i++ {
		if c.steps[i].name == command.name {
			c.taken = i + 1
			if isAction(command.name) {
				clear(c.memo) // what was read before may have changed
			} else {
				c.memo[key] = c.steps[i]
			}
			return c.steps[i], true
		}
	}
	return step{}, false
}

func isAction(name string) bool {
	for _, prefix := range []string{"CREATE_", "UPDATE_", "DELETE_", "CONTEXT_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// good reports whether a step succeeded; if not, it informs the person.
func (c *planner) good(s step, command planned) bool {
	if s.outcome == succeeded || s.outcome == cached && !isAction(command.name) {
		return true
	}
	c.undone = true
	switch {
	case s.outcome == cached:
		c.say("The server did not do it a second time: the same was just done. Say “again” to do it anyway.",
			"Le serveur ne l'a pas refait : la même chose vient d'être faite. Dites « encore » pour le faire quand même.")
	case s.outcome == cancelled && s.name == askUser:
		c.say("You gave no answer, so I leave it at that.", "Vous n'avez pas répondu : j'en reste là.")
	case s.outcome == cancelled:
		c.say("Not done: nothing has changed.", "Pas fait : rien n'a changé.")
	case s.outcome == pending:
		c.say("It is still running; the result comes later.", "C'est encore en cours ; le résultat viendra plus tard.")
	case s.outcome == unknown:
		c.say("Nobody knows whether it went through: look before doing it again.",
			"On ne sait pas si cela a abouti : vérifiez avant de recommencer.")
	default:
		c.say("That did not work. The server says: %s", "Cela n'a pas marché. Le serveur dit : %s", oneLine(reasonIn(s.text)))
	}
	return false
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

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return text
}

// justRead says it when all of an answer came from before.
func (c *planner) justRead(steps ...step) {
	for _, s := range steps {
		if s.outcome != cached {
			return
		}
	}
	c.say("(CACHED: nothing has changed since you asked a moment ago, so the server gave me the same result without looking again.)",
		"(CACHED : rien n'a changé depuis votre demande d'il y a un instant ; le serveur m'a rendu le même résultat sans relire.)")
}

// looking is the text beside a query without other text.
var looking = map[string][2]string{
	"APP_STATE":      {"Looking at all you have…", "Je regarde tout ce que vous avez…"},
	"ZONES":          {"Checking your zones…", "Je regarde vos zones…"},
	"TOOL_INSTANCES": {"Checking your tools…", "Je regarde vos outils…"},
	"TOOL_DATA":      {"Reading the entries…", "Je lis les entrées…"},
	"SCHEMA":         {"Looking at the fields…", "Je regarde les champs…"},
	"CONTEXT":        {"Looking at the documents…", "Je regarde les documents…"},
	"SEARCH":         {"Searching…", "Je cherche…"},
}

// query reads something.
func (c *planner) query(name string, params map[string]any) (step, bool) {
	steps, ok := c.run(c.in(looking[name][0], looking[name][1]), planned{name, params})
	if !ok {
		return step{}, false
	}
	return steps[0], true
}

// act changes something.
func (c *planner) act(doing, name string, params map[string]any) (step, bool) {
	if c.repeat {
		params["repeat"] = true
	}
	steps, ok := c.run(doing, planned{name, params})
	if !ok {
		return step{}, false
	}
	return steps[0], true
}

// ask puts a question to the person. In an automation ok is false
// and nothing is asked, so that the plan can take a default.
func (c *planner) ask(kind string, data map[string]any) (answer string, ok bool) {
	if c.automation {
		return "", false
	}
	steps, ok := c.run(c.in("A question first.", "Une question d'abord."), planned{askUser, map[string]any{"type": kind, "data": data}})
	if !ok {
		return "", false
	}
	return strings.TrimSpace(steps[0].text), true
}

// encode writes params; map keys come out sorted.
func encode(params map[string]any) json.RawMessage {
	if len(params) == 0 {
		return json.RawMessage("{}")
	}
	b, err := json.Marshal(params)
	if err != nil {
		panic(fmt.Sprintf("demo: encode params: %v", err)) // strings, numbers, lists and maps only
	}
	return b
}
