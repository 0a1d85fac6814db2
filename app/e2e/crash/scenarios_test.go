package crash

// scenario is a small play between a client and the server: what the model answers,
// and what the client does. It ends when every session is at rest, has ended, or waits
// for a person.
type scenario struct {
	name     string
	settings map[string]any
	protocol string
	rules    []rule
	play     func(p *player)
	// twoWays: a crash may rightly change the order; p.orRestart marks where. A message
	// for the next call of the AI joins the one that the recovery makes.
	twoWays bool
	// textMayBeLost: the play cuts an answer whose text was only streamed. It is lost with
	// the process that streamed it, and so is the message that would have kept it.
	textMayBeLost bool
	// flaps: the provider is away for a while, and how often it is tried is a matter of
	// time.
	flaps bool
	// atOnce is how many calls of the AI may be under way at an instant; 0: one. A crash cuts
	// all of them, and each is made again.
	atOnce int
}

var (
	askFirst = map[string]any{"require_validation": true}
	makeOne  = []toolCall{{"CREATE_ZONE", `{"name":"Work"}`}}
	makeTwo  = []toolCall{{"CREATE_ZONE", `{"name":"Work"}`}, {"CREATE_ZONE", `{"name":"Home"}`}}
	// A zone beside it: both are there in the end, or neither.
	makeStanding = []toolCall{{"CREATE_ZONE", `{"name":"Work"}`},
		{"CREATE_AUTOMATION", `{"name":"My week","request":"Sum up my week.","schedule":{"type":"cron","expression":"0 8 1 1 *"}}`}}
	question = []toolCall{{"ASK_USER", `{"type":"MultipleChoice","data":{"question":"Which?","options":["red","blue"]}}`}}
)

var scenarios = []*scenario{
	{name: "a plain turn", rules: []rule{{text: "Hello to you."}}, play: func(p *player) {
		a := p.chat(false)
		a.says("hello")
		a.rests()
	}},
	{name: "two turns, watched", rules: []rule{{contains: "first", text: "One answer."}, {text: "Another answer."}}, play: func(p *player) {
		a := p.chat(true)
		a.says("first")
		a.rests()
		a.says("second")
		a.rests()
	}},
	{name: "queries", rules: []rule{
		{round: 1, text: "Let me look.", calls: []toolCall{{"ZONES", `{}`}, {"APP_STATE", `{}`}}},
		{text: "You have none."},
	}, play: func(p *player) {
		a := p.chat(true)
		a.says("what do I have?")
		a.rests()
	}},
	{name: "an answer by a schema", rules: []rule{
		{contains: "a whole number", text: `{"n":3}`}, {contains: "not a JSON value", text: `{"n":"3"}`},
		{round: 1, text: "Let me look.", calls: []toolCall{{"ZONES", `{}`}}}, {text: "Three."},
	}, play: func(p *player) {
		a := p.chat(true)
		r := p.post(a.path("/messages"), map[string]any{"text": "how many?", "answer_schema": map[string]any{
			"type": "object", "required": []string{"n"}, "properties": map[string]any{"n": map[string]any{"type": "integer"}},
		}})
		a.acked = append(a.acked, ackedMessage{r.Str("message.id"), "how many?"})
		a.rests()
	}},
	{name: "asked again, chosen, in other words", rules: []rule{
		{contains: "other", text: "In other words."}, {text: "An answer."},
	}, play: func(p *player) {
		a := p.chat(true)
		a.says("which one?")
		a.rests()
		a.does("retry")
		a.rests()
		a.does("messages/" + p.record(a)[1].ID + "/choose")
		r := p.post(a.path("/retry"), map[string]any{"message": "which other one?"})
		a.rests()
		a.acked = append(a.acked, ackedMessage{p.reworded(a, r), "which other one?"})
		a.says("and then?")
		a.rests()
	}},
	{name: "a fork, and its origin goes", rules: []rule{
		{contains: "other", text: "Another way."}, {text: "An answer."},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("which one?")
		a.rests()
		answer := p.record(a)[1].ID
		b := p.forks(a, map[string]any{"after_message_id": answer, "message": "which other one?"})
		b.rests()
		p.removes(a)
		b.says("and then?")
		b.rests()
	}},
	{name: "asked again in spite of what was done", rules: []rule{
		{round: 1, text: "I make them.", calls: makeTwo}, {text: "Made."},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("make two zones")
		a.rests()
		p.post(a.path("/retry"), map[string]any{"despite_effects": true})
		a.rests()
	}},
	{name: "a zone, a tool and three entries", rules: buildRules, play: func(p *player) {
		a := p.chat(false)
		a.says("build it all")
		a.rests()
	}},
	{name: "the same in one JSON object", protocol: "json", rules: []rule{
		{contains: "DATA_ADDED", text: `{"pre_text":"Done."}`},
		{text: `{"pre_text":"I make it.","action_commands":[{"type":"CREATE_ZONE","params":{"name":"Work"}},{"type":"CREATE_ZONE","params":{"name":"Home"}}],"post_text":"It is made."}`},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("make two zones")
		a.rests()
	}},
	{name: "yes to actions", settings: askFirst, rules: []rule{{round: 1, text: "Shall I?", calls: makeTwo}, {text: "Made."}}, play: func(p *player) {
		a := p.chat(true)
		a.says("make two zones")
		a.waits("WAITING_VALIDATION")
		a.validates(map[string]any{"approved": true})
		a.rests()
	}},
	{name: "yes to an automation", rules: []rule{{round: 1, text: "Shall I?", calls: makeStanding}, {text: "Made."}}, play: func(p *player) {
		a := p.chat(false)
		a.says("every Monday at 8, sum up my week")
		a.waits("WAITING_VALIDATION")
		a.validates(map[string]any{"approved": true})
		a.rests()
	}},
	{name: "yes to a part", settings: askFirst, rules: []rule{{round: 1, text: "Shall I?", calls: makeTwo}, {text: "Made."}}, play: func(p *player) {
		a := p.chat(false)
		a.says("make two zones")
		a.waits("WAITING_VALIDATION")
		second := p.get("/v1/approvals?status=open").Str("data.0.actions.1.id")
		a.validates(map[string]any{"approved": true, "approved_ids": []string{second}})
		a.rests()
	}},
	{name: "yes by a link", settings: askFirst, rules: []rule{{round: 1, text: "Shall I?", calls: makeTwo}, {text: "Made."}}, play: func(p *player) {
		a := p.chat(false)
		a.says("make two zones")
		a.waits("WAITING_VALIDATION")
		p.presses("yes")
		a.rests()
	}},
	{name: "no to an action", settings: askFirst, rules: []rule{{text: "Shall I?", calls: makeOne}}, play: func(p *player) {
		a := p.chat(false)
		a.says("make a zone")
		a.waits("WAITING_VALIDATION")
		a.validates(map[string]any{"approved": false})
		a.rests()
	}},
	{name: "no with a comment", settings: askFirst, rules: []rule{
		{contains: "not that name", text: "Then not."},
		{round: 1, text: "Shall I?", calls: makeOne},
	}, play: func(p *player) {
		a := p.chat(true)
		a.says("make a zone")
		a.waits("WAITING_VALIDATION")
		a.validates(map[string]any{"approved": false, "comment": "not that name"})
		a.rests()
	}},
	{name: "a question answered", rules: []rule{{contains: "ask", round: 1, text: "Which one?", calls: question}, {text: "Good choice."}}, play: func(p *player) {
		a := p.chat(true)
		a.says("ask me")
		a.waits("WAITING_COMMUNICATION_RESPONSE")
		a.responds(map[string]any{"value": "blue"})
		a.rests()
	}},
	{name: "a question declined", rules: []rule{{contains: "ask", round: 1, text: "Which one?", calls: question}, {text: "As you like."}}, play: func(p *player) {
		a := p.chat(false)
		a.says("ask me")
		a.waits("WAITING_COMMUNICATION_RESPONSE")
		a.responds(map[string]any{"cancelled": true})
		a.rests()
		a.says("never mind")
		a.rests()
	}},
	{name: "an unreadable answer corrected", rules: []rule{
		{round: 1, text: "I make it.", calls: []toolCall{{"CREATE_ZONE", `{"name": "Wo`}}},
		{round: 2, text: "Again.", calls: makeOne},
		{text: "Made."},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("make a zone")
		a.rests()
	}},
	{name: "a failed action corrected", rules: []rule{
		{round: 1, text: "I make it.", calls: []toolCall{
			{"CREATE_ZONE", `{"name":"Work"}`},
			{"CREATE_TOOL", `{"zone_id":"zon_00000000000000000000000000000000","tool_type":"journal","name":"Diary"}`},
			{"CREATE_ZONE", `{"name":"Never"}`},
		}},
		{round: 2, text: "In the right zone.", calls: []toolCall{{"CREATE_TOOL", `{"zone_id":"${zon}","tool_type":"journal","name":"Diary"}`}}},
		{text: "Made."},
	}, play: func(p *player) {
		a := p.chat(true)
		a.says("make a diary")
		a.rests()
	}},
	{name: "a message queued during a call", rules: slowRules, play: func(p *player) {
		a := p.chat(false)
		a.says("slow one")
		p.holds("slow")
		a.says("second")
		a.says("third")
		p.opens("slow")
		a.answered(3)
	}},
	{name: "a message joins the round", twoWays: true, rules: []rule{
		{contains: "slow", round: 1, text: "Let me look.", calls: []toolCall{{"ZONES", `{}`}}, hold: "slow"},
		{text: "To both of it."},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("slow one")
		p.holds("slow")
		a.says("and this too", "steer")
		p.orRestart()
		p.opens("slow")
		a.rests()
	}},
	{name: "interrupted in mid-stream", textMayBeLost: true, rules: slowRules, play: func(p *player) {
		a := p.chat(true)
		a.says("slow one")
		p.holds("slow")
		a.streams("slow")
		a.does("interrupt")
		a.rests()
		p.opens("slow")
		a.says("second")
		a.rests()
	}},
	{name: "interrupted by a message", textMayBeLost: true, rules: slowRules, play: func(p *player) {
		a := p.chat(true)
		a.says("slow one")
		p.holds("slow")
		a.streams("slow")
		a.says("second", "interrupt")
		a.rests()
		p.opens("slow")
	}},
	{name: "stopped and brought back", rules: slowRules, play: func(p *player) {
		a := p.chat(false)
		a.says("slow one")
		p.holds("slow")
		a.does("stop")
		a.waits("COMPLETED")
		p.opens("slow")
		a.does("resume")
		a.says("second")
		a.rests()
	}},
	{name: "two chats and one slot", atOnce: 2, rules: slowRules, play: func(p *player) {
		a, b := p.chat(true), p.chat(false)
		a.says("slow one")
		p.holds("slow")
		b.says("second") // the call of a continues without the slot
		b.rests()
		p.opens("slow")
		a.rests()
		b.says("third") // has the slot in the end, also if a crash made a call again
		b.rests()
	}},
	{name: "a wait superseded by a message", settings: askFirst, rules: []rule{
		{contains: "make", round: 1, text: "Shall I?", calls: makeOne}, {text: "As you like."},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("make a zone")
		a.waits("WAITING_VALIDATION")
		a.says("or rather not")
		a.rests()
	}},
	{name: "a wait handed from chat to chat", settings: askFirst, rules: []rule{
		{contains: "make", round: 1, text: "Shall I?", calls: makeOne}, {text: "Certainly."},
	}, play: func(p *player) {
		a, b := p.chat(false), p.chat(false)
		a.says("make a zone")
		a.waits("WAITING_VALIDATION")
		b.says("something else")
		b.rests()
		a.validates(map[string]any{"approved": true})
		a.rests()
	}},
	{name: "data written by the client", rules: []rule{{text: "I see."}}, play: func(p *player) {
		zone := p.post("/v1/zones", map[string]any{"name": "Work"}).Str("id")
		tool := p.post("/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "Diary", "config": map[string]any{}}).Str("id")
		p.post("/v1/tools/"+tool+"/entries", map[string]any{"timestamp": "2026-01-02T03:04:05Z", "data": map[string]any{"text": "one"}})
		p.post("/v1/tools/"+tool+"/entries", map[string]any{"timestamp": "2026-01-03T03:04:05Z", "data": map[string]any{"text": "two"}})
	}},
}

var slowRules = []rule{
	{contains: "second", text: "Quickly said."},
	{contains: "slow", text: "One two three four.", hold: "slow"},
	{text: "Quickly said."},
}

var buildRules = []rule{
	{round: 1, text: "First the zones.", calls: []toolCall{
		{"CREATE_ZONE", `{"name":"Home"}`}, {"CREATE_ZONE", `{"name":"Work","description":"all of it"}`}, {"CREATE_ZONE", `{"name":"Garden"}`},
	}},
	{round: 2, text: "Then the tool.", calls: []toolCall{{"CREATE_TOOL", `{"zone_id":"${zon}","tool_type":"journal","name":"Diary"}`}}},
	{round: 3, text: "Then what is in it.", calls: []toolCall{
		{"TOOL_DATA", `{"tool_id":"${tol}"}`},
		{"CREATE_DATA", `{"tool_id":"${tol}","entries":[{"timestamp":"2026-01-01T08:00:00Z","data":{"text":"one"}},{"timestamp":"2026-01-02T08:00:00Z","data":{"text":"two"}}]}`},
		{"CREATE_DATA", `{"tool_id":"${tol}","entries":[{"timestamp":"2026-01-03T08:00:00Z","data":{"text":"three"}}]}`},
	}},
	{text: "All is built."},
}
