package conversation

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// demoStory is the conversation of docs/demo.md, said to a server in one language.
type demoStory struct {
	*server
	chatID string
	fr     bool
	steps  map[string][]string // the messages of each step, as in the document
}

// The conversation that the page promises, word for word, in both languages, protocols
// and databases: after each step the data are what the page says.
func TestTheFiveMinutesOfTheDemo(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		for _, c := range []struct{ language, protocol string }{{"en", "native"}, {"fr", "json"}} {
			t.Run(c.language+" "+c.protocol, func(t *testing.T) {
				s := newServer(t, harness.FreshCopy(t, db))
				s.Call("POST", "/v1/providers", map[string]any{
					"name": "Demo", "kind": "demo", "is_default": true, "config": map[string]any{"protocol": c.protocol, "word_delay_ms": 0},
				}).Want(201)
				s.Call("PATCH", "/v1/settings", map[string]any{"language": c.language}).Want(200)
				d := &demoStory{server: s, chatID: s.Chat(), fr: c.language == "fr"}
				d.steps = stepsOfThePage(t, d.fr)
				d.ownData()
				d.looking()
				d.notesAndSearch()
				d.changes()
				d.questions()
				d.documentAndType()
				d.partOfAnAnswer()
				d.enrichment()
				d.deletionAndBudget()
				d.leftToAnAgent()
				for _, row := range s.Call("GET", "/v1/admin/invariants", nil).Want(200).List("data") {
					if inv := row.(map[string]any); inv["count"].(float64) != 0 {
						t.Errorf("invariant %v is %v", inv["name"], inv["count"])
					}
				}
			})
		}
	})
}

var quotedWords = regexp.MustCompile("`([^`]+)`")

// stepsOfThePage reads the script's table.
func stepsOfThePage(t *testing.T, fr bool) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/demo.md")
	if err != nil {
		t.Fatal(err)
	}
	column := 2
	if fr {
		column = 3
	}
	steps := map[string][]string{}
	for line := range strings.SplitSeq(string(page), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for _, m := range quotedWords.FindAllStringSubmatch(cells[column], -1) {
			n := strings.TrimSpace(cells[1])
			steps[n] = append(steps[n], m[1])
		}
	}
	if len(steps) < 22 {
		t.Fatalf("the page has %d steps that say something", len(steps))
	}
	return steps
}

func (d *demoStory) in(en, fr string) string {
	if d.fr {
		return fr
	}
	return en
}

// step says what the page says in a step, and gives the session when it rests or waits.
func (d *demoStory) step(n int) *harness.Reply {
	d.T.Helper()
	var r *harness.Reply
	for _, message := range d.steps[fmt.Sprint(n)] {
		r = d.Say(d.chatID, message)
	}
	return r
}

// answers checks the demo's last answer.
func (d *demoStory) answers(all ...string) {
	d.T.Helper()
	text := d.LastText(d.chatID)
	for _, part := range all {
		if !strings.Contains(text, part) {
			d.T.Errorf("the demo did not say %q but: %s", part, text)
		}
	}
}

// decide answers the open approval.
func (d *demoStory) decide(decision map[string]any) {
	d.T.Helper()
	d.Call("POST", "/v1/approvals/"+d.Card().Str("id"), decision).Want(200)
	d.Settle(d.chatID)
}

func (d *demoStory) respond(value any) {
	d.T.Helper()
	d.Call("POST", "/v1/sessions/"+d.chatID+"/response", map[string]any{"value": value}).Want(200)
	d.Settle(d.chatID)
}

// tool finds a tool by its name.
func (d *demoStory) tool(name string) map[string]any {
	d.T.Helper()
	for _, row := range d.Call("GET", "/v1/tools?limit=200", nil).Want(200).List("data") {
		if tool := row.(map[string]any); tool["name"] == name {
			return tool
		}
	}
	d.T.Fatalf("there is no tool %q", name)
	return nil
}

// data are the entries of a tool, the oldest first, as JSON.
func (d *demoStory) data(tool string) []string {
	d.T.Helper()
	var all []string
	path := fmt.Sprintf("/v1/tools/%s/entries?order=asc", d.tool(tool)["id"])
	for _, row := range d.Call("GET", path, nil).Want(200).List("data") {
		encoded, err := json.Marshal(row.(map[string]any)["data"])
		if err != nil {
			d.T.Fatal(err)
		}
		all = append(all, string(encoded))
	}
	return all
}

func (d *demoStory) wantData(tool string, want ...string) {
	d.T.Helper()
	if got := d.data(tool); !slices.Equal(got, want) {
		d.T.Errorf("%s holds %v, want %v", tool, got, want)
	}
}

func (d *demoStory) zones() []string {
	d.T.Helper()
	var names []string
	for _, row := range d.Call("GET", "/v1/zones", nil).Want(200).List("data") {
		names = append(names, row.(map[string]any)["name"].(string))
	}
	slices.Sort(names)
	return names
}

// executed are the statuses of the commands that the last answer with commands ran.
func (d *demoStory) executed() []string {
	d.T.Helper()
	var statuses []string
	for _, row := range d.Call("GET", "/v1/sessions/"+d.chatID+"/messages?limit=200", nil).Want(200).List("data") {
		system, ok := row.(map[string]any)["system_message"].(map[string]any)
		results, has := system["command_results"].([]any)
		if !ok || !has || len(results) == 0 {
			continue
		}
		statuses = nil
		for _, r := range results {
			statuses = append(statuses, r.(map[string]any)["command"].(string)+" "+r.(map[string]any)["status"].(string))
		}
	}
	return statuses
}

func (d *demoStory) ownData() {
	d.step(1)
	d.answers(d.in("There is nothing yet", "Il n'y a encore rien"))
	d.step(2)
	sleep := d.tool(d.in("Sleep", "Sommeil"))
	config := sleep["config"].(map[string]any)
	if got := d.zones(); len(got) != 1 || got[0] != d.in("Health", "Santé") || sleep["tool_type"] != "tracking" || config["min"] != 0.0 || config["max"] != 24.0 {
		d.T.Fatalf("zones %v, tool %v", got, sleep)
	}
	d.step(3)
	d.wantData(d.in("Sleep", "Sommeil"), `{"value":7}`, `{"value":6.5}`, `{"value":8}`)
	days := map[string]bool{}
	for _, row := range d.Call("GET", fmt.Sprintf("/v1/tools/%s/entries", sleep["id"]), nil).Want(200).List("data") {
		days[row.(map[string]any)["timestamp"].(string)[:10]] = true
	}
	if len(days) != 3 {
		d.T.Errorf("the three nights are on %v", days)
	}
	d.step(4)
	d.answers(d.in("That did not work", "Cela n'a pas marché"), "90")
	d.wantData(d.in("Sleep", "Sommeil"), `{"value":7}`, `{"value":6.5}`, `{"value":8}`)
}

func (d *demoStory) looking() {
	d.step(5)
	d.answers(d.in("mean: 7.17 hours", "moyenne : 7,17 heures"), d.in("- the week of ", "- semaine du "))
	d.step(5) // the step after says the same once more
	d.answers("(CACHED")
	if got := d.executed(); !slices.Equal(got, []string{"TOOL_CONFIG CACHED", "TOOL_STATS CACHED", "TOOL_DATA CACHED"}) {
		d.T.Errorf("the same again: %v", got)
	}
	page := d.steps["7"]
	d.Say(d.chatID, page[0])
	d.answers("8 "+d.in("hours", "heures"), d.in("6.5", "6,5"), d.in("say “more”", "dites « la suite »"))
	if strings.Contains(d.LastText(d.chatID), "  7 ") {
		d.T.Errorf("two entries were asked for: %s", d.LastText(d.chatID))
	}
	d.Say(d.chatID, page[1])
	d.answers("  7 " + d.in("hours", "heures"))
}

func (d *demoStory) notesAndSearch() {
	d.step(8)
	if got := d.data("Notes"); len(got) != 1 || !strings.Contains(got[0], d.in("plumber", "plombier")) {
		d.T.Errorf("the notes are %v", got)
	}
	d.step(9)
	list := d.data(d.in("Shopping list", "Liste de courses"))
	if len(list) != 2 || !slices.Contains(list, d.in(`{"done":true,"text":"milk"}`, `{"done":true,"text":"lait"}`)) ||
		!slices.Contains(list, d.in(`{"done":false,"text":"bread"}`, `{"done":false,"text":"pain"}`)) {
		d.T.Errorf("the list is %v", list)
	}
	d.step(10)
	d.answers("Notes (", d.in("call the plumber", "appeler le plombier"))
}

func (d *demoStory) changes() {
	sleep := d.in("Sleep", "Sommeil")
	if r := d.step(11); r.Str("phase") != "WAITING_VALIDATION" {
		d.T.Fatalf("it does not ask: %s", r.Body)
	}
	card := d.Card()
	before, _ := json.Marshal(card.At("actions.0.before"))
	after, _ := json.Marshal(card.At("actions.0.after"))
	if !strings.Contains(string(before), "8") || !strings.Contains(string(after), "7.75") {
		d.T.Errorf("the card shows %s and %s: %s", before, after, card.Body)
	}
	d.decide(map[string]any{"approved": true})
	d.wantData(sleep, `{"value":7}`, `{"value":6.5}`, `{"value":7.75}`)
	d.answers(d.in("7.75", "7,75"))
	d.step(12)
	d.decide(map[string]any{"approved": false})
	d.wantData(sleep, `{"value":7}`, `{"value":6.5}`, `{"value":7.75}`)
}

func (d *demoStory) questions() {
	if r := d.step(13); r.Str("phase") != "WAITING_COMMUNICATION_RESPONSE" {
		d.T.Fatalf("it does not ask: %s", r.Body)
	}
	d.respond("A fine day.")
	d.wantData("Journal", `{"text":"A fine day."}`)
	d.answers(d.in("nothing of it was done", "rien n'a été fait")) // of the deletion before
	d.step(14)
	d.respond(true)
	if steps := d.tool(d.in("Steps", "Pas")); steps["tool_type"] != "tracking" {
		d.T.Errorf("the plan made %v", steps)
	}
	d.step(15)
	d.Call("POST", "/v1/sessions/"+d.chatID+"/response", map[string]any{"value": map[string]any{"unit": "cups"}}).Problem(422, "invalid")
	d.respond(map[string]any{"name": "coffee", "unit": "cups", "value": 3})
	d.wantData("Coffee", `{"value":3}`)
	if config := d.tool("Coffee")["config"].(map[string]any); config["unit"] != "cups" {
		d.T.Errorf("the form made a tool with %v", config)
	}
}

func (d *demoStory) documentAndType() {
	document := func() *harness.Reply { return d.Call("GET", "/v1/documents", nil).Want(200) }
	d.step(16)
	d.decide(map[string]any{"approved": true})
	if doc := document(); doc.Str("data.0.title") != d.in("House rules", "Règles") || doc.At("data.0.published_at") != nil {
		d.T.Errorf("the draft is %s", doc.Body)
	}
	d.step(17)
	if !strings.Contains(string(d.Card().Body), d.in("No music after ten.", "Pas de musique après dix heures.")) {
		d.T.Errorf("the card does not show what is to be published: %s", d.Card().Body)
	}
	d.decide(map[string]any{"approved": true})
	if doc := document(); doc.At("data.0.published_at") == nil {
		d.T.Errorf("it is not published: %s", doc.Body)
	}
	d.step(18)
	d.step(19)
	reading := d.tool(d.in("Reading", "Lectures"))
	if reading["tool_type"] != d.in("book", "livre") {
		d.T.Errorf("the tool is %v", reading)
	}
	d.wantData(d.in("Reading", "Lectures"), d.in(`{"author":"Frank Herbert","pages":412,"title":"Dune"}`, `{"auteur":"Frank Herbert","pages":412,"titre":"Dune"}`))
}

func (d *demoStory) partOfAnAnswer() {
	d.step(20)
	card := d.Card()
	if n := len(card.List("actions")); n != 3 {
		d.T.Fatalf("%d actions wait: %s", n, card.Body)
	}
	d.decide(map[string]any{"approved": true, "approved_ids": []string{card.Str("actions.1.id")}})
	if got := d.zones(); !slices.Equal(got, []string{d.in("Garden", "Jardin"), d.in("Health", "Santé")}) {
		d.T.Errorf("the zones are %v", got)
	}
	d.answers(d.in("Created: Garden.", "Créé : Jardin."), d.in("not done: Kitchen, Attic.", "pas fait : Cuisine, Grenier."))
	d.step(21)
	d.respond(d.in("My zones", "Mes zones"))
	d.answers(d.in("You have 2 zones", "Vous avez 2 zones"))
}

func (d *demoStory) enrichment() {
	words := d.steps["22"]
	if len(words) != 2 || words[1] != "USE" {
		d.T.Fatalf("the page says %v", words)
	}
	n := len(d.Record(d.chatID))
	d.Call("POST", "/v1/sessions/"+d.chatID+"/messages", map[string]any{"segments": []any{
		map[string]any{"type": "text", "text": words[0]},
		map[string]any{"type": "enrichment", "enrichment": map[string]any{"type": "USE", "config": map[string]any{"tool_id": d.tool(d.in("Sleep", "Sommeil"))["id"]}}},
	}}).Want(202)
	d.Settle(d.chatID)
	d.answers(d.in("mean: 7.08 hours", "moyenne : 7,08 heures"), d.in("brought these data along", "apportait ces données"))
	if got := d.Record(d.chatID)[n:]; !slices.Equal(got, []string{"USER", "DATA_ADDED", "AI"}) {
		d.T.Errorf("it looked something up all the same: %v", got)
	}
}

func (d *demoStory) deletionAndBudget() {
	d.step(23)
	if d.Card().At("actions.0.warnings.0") == nil {
		d.T.Errorf("no warning: %s", d.Card().Body)
	}
	d.decide(map[string]any{"approved": true})
	if got := d.zones(); !slices.Equal(got, []string{d.in("Health", "Santé")}) {
		d.T.Errorf("the zones are %v", got)
	}
	budget := func(most any) {
		d.T.Helper()
		d.Call("PATCH", "/v1/sessions/"+d.chatID, map[string]any{"budgets": map[string]any{"max_tokens_per_round": most}}).Want(200)
	}
	budget(1)
	if r := d.step(24); r.Str("phase") != "WAITING_BUDGET" {
		d.T.Fatalf("it continues without a budget: %s", r.Body)
	}
	d.decide(map[string]any{"approved": false})
	budget(nil)
	d.step(24) // the step after says the same once more
	d.answers(d.in("was not finished", "n'est pas allé au bout"), d.in("You have 1 zone", "Vous avez 1 zone"))
}

// leftToAnAgent delegates the documents to an agent, which requests approval for each change.
func (d *demoStory) leftToAnAgent() {
	if r := d.step(26); r.Str("phase") != "WAITING_VALIDATION" || r.Str("waiting_context.kind") != "agents" {
		d.T.Fatalf("no agent asks: %s", r.Body)
	}
	card := d.Card()
	agent := card.Str("session_id")
	if why := d.Call("GET", "/v1/sessions/"+d.chatID+"/explain", nil).Want(200); why.Str("waiting_for.agents.0.id") != agent {
		d.T.Errorf("explained by %s", why.Body)
	}
	if run := d.Call("GET", "/v1/sessions/"+agent, nil).Want(200); run.Str("type") != "AGENT" || run.Str("parent_session_id") != d.chatID {
		d.T.Fatalf("who asks is %s", run.Body)
	}
	if card.Str("actions.0.command") != "CONTEXT_UPDATE" {
		d.T.Fatalf("it asks for %s", card.Body)
	}
	d.decide(map[string]any{"approved": true})
	if card = d.Card(); card.Str("actions.0.command") != "CONTEXT_PUBLISH" || card.Str("session_id") != agent {
		d.T.Fatalf("then it asks for %s", card.Body)
	}
	d.decide(map[string]any{"approved": true})
	d.answers(d.in("The agent ContextManager reports", "L'agent ContextManager rapporte"), "Notes")
	said := d.in("the office closes at six", "le bureau ferme à six heures")
	if all := d.Call("GET", "/v1/documents", nil).Want(200); !strings.Contains(string(all.Body), "- "+said) || strings.Contains(string(all.Body), `"published_at":null`) {
		d.T.Errorf("the documents are %s", all.Body)
	}
	d.step(27)
	d.answers(d.in("The agent ContextManager reports", "L'agent ContextManager rapporte"), said)
	d.step(28)
	d.answers(d.in("search for plumber", "cherche plombier"))
}
