package demo

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
)

//go:embed help_en.txt
var helpEN string

//go:embed help_fr.txt
var helpFR string

func help(c *planner, _ captures) {
	c.introduced = true
	text := helpEN
	if c.fr {
		text = helpFR
	}
	c.add(strings.TrimSpace(text))
}

func greet(c *planner, _ captures) {
	c.say("Hello! Say “help” to see what I understand.")
}

func welcome(c *planner, _ captures) { c.say("You are welcome.") }

func (c *planner) didNotUnderstand(part string) {
	said := oneLine(part)
	switch {
	case c.agent:
		c.asksBack = true
		c.say("I am only a demo and do not understand this task: “%s”.", said)
	case part == "":
		c.say("There is nothing for me to do. Say “help” to see what I understand.")
	case len(c.ended) > 0 && c.ended[len(c.ended)-1].kind == notApproved:
		c.say("I read your reason: “%s”. I am only a demo: say what to do instead, or “help”.", said)
	default:
		c.introduced = true
		c.say("I am only a demo and do not understand “%s”: I follow a few rules, without an AI model. "+
			"I understand, for example: “what do I have”, “create a zone Health”, “track my weight in kg in Health”, "+
			"“note 72.5 for weight”, “how is my weight”. “help” shows it all.", said)
	}
}

// automate asks for an automation; the server asks the person by itself.
func automate(c *planner, g captures) {
	expression, ok := cronOf(g["days"], g["at"])
	if !ok {
		c.stop("I do not understand that time. Say for example “every Monday at 8, sum up my week”.")
	}
	task := title(strings.Trim(g["task"], `"«»“” :`))
	name := task
	if runes := []rune(task); len(runes) > 60 { // cut at a word
		name = string(runes[:60])
		if at := strings.LastIndexByte(name, ' '); at > 0 {
			name = name[:at]
		}
		name += "…"
	}
	c.act(c.in("I propose this automation. Nothing runs before you approve it."),
		"CREATE_AUTOMATION", object{"name": name, "request": task + ".", "schedule": object{"type": "cron", "expression": expression}})
	c.say("Done. You find it under Automations, where you can run, change or pause it.")
}

func askChoice(c *planner, _ captures) {
	zones, understands := c.in("My zones"), c.in("What the demo understands")
	chosen := c.ask("MultipleChoice", object{
		"question": c.in("What would you like to see next?"),
		"options":  []string{zones, understands, c.in("Nothing, thanks")},
	})
	switch {
	case strings.Contains(chosen, zones):
		overview(c, nil)
	case strings.Contains(chosen, understands):
		help(c, nil)
	default:
		c.say("You chose: %s.", oneLine(chosen))
	}
}

func askYesNo(c *planner, _ captures) {
	answer := c.ask("Validation", object{"message": c.in("Is this your first look at Fermata?")})
	c.say("You answered: %s.", oneLine(answer))
}

func askText(c *planner, _ captures) {
	answer := c.ask("Text", object{
		"question": c.in("What is on your mind?"), "placeholder": c.in("A few words"),
	})
	c.say("You wrote: %s", oneLine(answer))
}

// askForm asks for something to track, makes it, and notes its first value.
func askForm(c *planner, _ captures) {
	answer := c.ask("Form", object{
		"title": c.in("Something to track"),
		"schema": object{"type": "object", "required": []string{"name"}, "properties": object{
			"name":  object{"type": "string", "title": c.in("Name"), "minLength": 1, "maxLength": 80},
			"unit":  object{"type": "string", "title": c.in("Unit"), "maxLength": 40},
			"value": object{"type": "number", "title": c.in("First value")},
		}},
	})
	name, unit, value := title(formField(answer, "name")), formField(answer, "unit"), formField(answer, "value")
	if name == "" {
		c.stop("Without a name I track nothing.")
	}
	config := object{}
	if unit != "" {
		config["unit"] = unit
	}
	id := c.newTool(name, "tracking", "", config)
	if !jsonNumber.MatchString(value) {
		c.stop("“%s” is there.", name)
	}
	c.addEntries(c.in("I note its first value."), id, "", object{"value": json.Number(value)})
	c.say("“%s” is there, with %s.", name, c.decimal(value)+after(unit))
}

var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$`)

// formField finds a field in the answer to a form: lines like "Name (name): Coffee".
func formField(answer, name string) string {
	for line := range strings.SplitSeq(answer, "\n") {
		label, value, ok := strings.Cut(line, ": ")
		if ok && (label == name || strings.HasSuffix(label, "("+name+")")) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// askPlan proposes a plan and carries it out once it is approved.
func askPlan(c *planner, _ captures) {
	zone, tool := c.in("Health"), c.in("Steps")
	answer := c.ask("Plan", object{
		"title": c.in("A first tool"),
		"steps": []string{
			c.in("Find or create the zone “%s”", zone),
			c.in("Create the tracking tool “%s”", tool),
		},
	})
	if isNo(answer) {
		c.stop("All right, I leave it.")
	}
	track(c, captures{"what": tool, "zone": zone})
}

func isNo(answer string) bool {
	key := keyOf(answer)
	return strings.HasPrefix(key, "no") || strings.HasPrefix(key, "false") || strings.HasPrefix(key, "refus")
}
