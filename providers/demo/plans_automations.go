package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// How people say when something is to be done again and again.
const (
	dayNamesEN = `mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?`
	dayNamesFR = `lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?`
	daysEN     = `day|morning|evening|weekdays?|(?:` + dayNamesEN + `)(?:(?:, and |, | and )(?:every |on )?(?:` + dayNamesEN + `))*`
	daysFR     = `jours?|matins?|soirs?|jours? de semaine|(?:` + dayNamesFR + `)(?:(?:, | et )(?:les |tous les |chaque )?(?:` + dayNamesFR + `))*`
	timeEN     = `\d{1,2}(?:[:.]\d{2})?(?: ?[ap]m| o'clock)?|noon`
	timeFR     = `\d{1,2}(?: ?h(?:eures?)?(?: ?\d{2})?|:\d{2})?|midi`
)

// automate asks for an automation; the server asks the person by itself.
func automate(c *planner, g groups) {
	expression, ok := cronOf(g["days"], g["at"])
	if !ok {
		c.say("I do not understand that time. Say for example “every Monday at 8, sum up my week”.",
			"Je ne comprends pas cette heure. Dites par exemple « chaque lundi à 8 h, résume ma semaine ».")
		return
	}
	task := title(strings.Trim(g["task"], `"«»“” :`))
	_, ok = c.act(c.in("I propose this automation. Nothing runs before you approve it.",
		"Je propose cette automatisation. Rien ne s'exécute sans votre accord."),
		"CREATE_AUTOMATION", map[string]any{
			"name": shortened(task, 60), "request": task + ".", "schedule": map[string]any{"type": "cron", "expression": expression},
		})
	if ok {
		c.say("Done. You find it under Automations, where you can run, change or pause it.",
			"C'est fait. Vous la trouvez sous Automatisations, où vous pouvez la lancer, la modifier ou la suspendre.")
	}
}

// shortened cuts a name at a word.
func shortened(name string, most int) string {
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	short := string(runes[:most])
	if at := strings.LastIndexByte(short, ' '); at > 0 {
		short = short[:at]
	}
	return short + "…"
}

var (
	aNumber = regexp.MustCompile(`\d{1,2}`)
	daysOf  = []struct{ start, number string }{
		{"mon", "1"}, {"lundi", "1"}, {"tue", "2"}, {"mardi", "2"}, {"wed", "3"}, {"mercredi", "3"}, {"thu", "4"}, {"jeudi", "4"},
		{"fri", "5"}, {"vendredi", "5"}, {"sat", "6"}, {"samedi", "6"}, {"sun", "0"}, {"dimanche", "0"},
	}
)

// cronOf is the schedule that words mean. A time that is not said is eight in the morning, seven
// in the evening.
func cronOf(days, at string) (string, bool) {
	days, at = strings.ToLower(days), strings.ToLower(at)
	hour, minute := 8, 0
	if strings.HasPrefix(days, "evening") || strings.HasPrefix(days, "soir") {
		hour = 19
	}
	numbers := aNumber.FindAllString(at, 2)
	if len(numbers) > 0 {
		hour, _ = strconv.Atoi(numbers[0]) // two digits
	}
	if len(numbers) > 1 {
		minute, _ = strconv.Atoi(numbers[1])
	}
	switch {
	case at == "noon" || at == "midi":
		hour = 12
	case strings.HasSuffix(at, "pm") && hour < 12:
		hour += 12
	case strings.HasSuffix(at, "am") && hour == 12:
		hour = 0
	}
	if hour > 23 || minute > 59 {
		return "", false
	}
	return fmt.Sprintf("%d %d * * %s", minute, hour, daysOfCron(days)), true
}

func daysOfCron(days string) string {
	if strings.HasPrefix(days, "weekday") || strings.HasSuffix(days, "de semaine") {
		return "1-5"
	}
	var list []string
	for word := range strings.FieldsFuncSeq(days, func(r rune) bool { return r == ' ' || r == ',' }) {
		for _, d := range daysOf {
			if strings.HasPrefix(word, d.start) {
				list = append(list, d.number)
			}
		}
	}
	if len(list) == 0 {
		return "*"
	}
	return strings.Join(list, ",")
}

// summedTools bounds how many tools a summary has.
const summedTools = 5

// sumUp says what was recorded recently, by tool.
func sumUp(c *planner, g groups) {
	s, ok := c.query("APP_STATE", nil)
	if !ok {
		return
	}
	var tools []record
	var wanted []planned
	period := periodUntilToday(g["span"])
	for _, t := range look(s.text).tools {
		if !texts[t.toolType] && len(tools) < summedTools {
			tools = append(tools, t)
			wanted = append(wanted, planned{"TOOL_STATS", map[string]any{"tool_id": t.id, "period": period}})
		}
	}
	if len(tools) == 0 {
		c.say("There are no figures to sum up yet. Say for example “track my sleep in hours”.",
			"Il n'y a pas encore de chiffres à résumer. Dites par exemple « suis mon sommeil en heures ».")
		return
	}
	steps, ok := c.run(c.in("Looking at the figures…", "Je regarde les chiffres…"), wanted...)
	if !ok {
		return
	}
	lines := []string{c.in("What you noted:", "Ce que vous avez noté :"), ""}
	for i, t := range tools {
		lines = append(lines, c.summed(t.name, look(steps[i].text).stats))
	}
	c.said = append(c.said, strings.Join(lines, "\n"))
}

// summed is one line of a summary.
func (sp *speech) summed(name string, stats map[string]any) string {
	count, _ := sp.round(stats["count"])
	mean, _ := sp.round(stats["mean"])
	if count == "" || count == "0" {
		return fmt.Sprintf(sp.in("- %s: nothing", "- %s : rien"), name)
	}
	low, _ := sp.round(stats["min"])
	high, _ := sp.round(stats["max"])
	return fmt.Sprintf(sp.in("- %s: %s, mean %s, between %s and %s", "- %s : %s, moyenne %s, entre %s et %s"),
		name, sp.values(count), mean, low, high)
}

// periodUntilToday is the period that ends today: a day, a week of seven days, a month of thirty.
func periodUntilToday(span string) map[string]any {
	switch span = strings.ToLower(span); {
	case strings.HasPrefix(span, "day"), strings.HasPrefix(span, "jour"):
		return map[string]any{"relative": "0_DAY"}
	case strings.HasPrefix(span, "month"), strings.HasPrefix(span, "mois"):
		return map[string]any{"from": "-29_DAY", "to": "0_DAY"}
	}
	return map[string]any{"from": "-6_DAY", "to": "0_DAY"}
}
