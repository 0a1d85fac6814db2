package crash

// Plays with the agent that every workspace has. What it asks for always waits for a person.
var agentScenarios = []*scenario{
	{name: "an agent that reads", rules: []rule{
		{contains: "what do the documents say", round: 1, text: "I ask.", calls: []toolCall{{contextManager, `{"query":"Look up the hours."}`}}},
		{contains: "Look up", round: 1, text: "", calls: []toolCall{{"CONTEXT", `{}`}}},
		{contains: "Look up", round: 2, text: "", calls: []toolCall{{"COMPLETE", `{"reason":"done","result":"There are none.","conclusion":"Write one."}`}}},
		{text: "There are no documents."},
	}, play: func(p *player) {
		a := p.chat(true)
		a.says("what do the documents say")
		a.rests()
	}},
	{name: "an agent with two approvals inside", rules: noteRules, play: func(p *player) {
		a := p.chat(true)
		a.says("note the hours")
		a.waits("WAITING_VALIDATION")
		p.answersAgent(map[string]any{"approved": true})
		p.asksAgain(a, "CONTEXT_PUBLISH")
		p.answersAgent(map[string]any{"approved": true})
		a.rests()
	}},
	{name: "an agent that is refused", rules: noteRules, play: func(p *player) {
		a := p.chat(false)
		a.says("note the hours")
		a.waits("WAITING_VALIDATION")
		p.answersAgent(map[string]any{"approved": false})
		a.rests()
	}},
	{name: "an agent left for another message", rules: noteRules, play: func(p *player) {
		a := p.chat(false)
		a.says("note the hours")
		a.waits("WAITING_VALIDATION")
		a.says("never mind")
		a.rests()
	}},
	{name: "an agent stopped with its chat", rules: noteRules, play: func(p *player) {
		a := p.chat(false)
		a.says("note the hours")
		a.waits("WAITING_VALIDATION")
		a.does("stop")
		a.waits("COMPLETED")
	}},
	{name: "an agent set aside with its chat, and taken up with it", rules: []rule{
		{contains: "ask slowly", round: 1, text: "I ask.", calls: []toolCall{{contextManager, `{"query":"Look slowly."}`}}},
		{contains: "Look slowly", text: "One two three.", hold: "slow", calls: []toolCall{{"COMPLETE", `{"reason":"done","result":"Seen.","conclusion":"Well."}`}}},
		{contains: "second", text: "Quickly said."},
		{text: "All is seen."},
	}, play: func(p *player) {
		a, b := p.chat(true), p.chat(false)
		a.says("ask slowly")
		p.holds("slow")
		b.says("second") // a is set aside in the middle of its agent's call
		b.rests()
		p.opens("slow")
		b.does("stop") // gives the slot up: a comes back by itself, with its agent
		a.rests()
	}},
	{name: "two agents at once", atOnce: 2, rules: []rule{
		{contains: "ask twice", round: 1, text: "I ask.", calls: []toolCall{
			{contextManager, `{"query":"Find one."}`}, {contextManager, `{"query":"Find two."}`}, {"ZONES", `{}`},
		}},
		{contains: "Find one", text: "What is one?"},
		{contains: "Find two", text: "What is two?"},
		{text: "Both of them ask."},
	}, play: func(p *player) {
		a := p.chat(false)
		a.says("ask twice")
		a.rests()
	}},
}

const contextManager = "AGENT_CONTEXT_MANAGER" // as a model calls it

var noteRules = []rule{
	{contains: "note the hours", round: 1, text: "I have it noted.", calls: []toolCall{{contextManager, `{"query":"Write down: open until six."}`}}},
	{contains: "Write down", result: "did not", text: "", calls: []toolCall{{"COMPLETE", `{"reason":"refused","result":"A person said no."}`}}},
	{contains: "Write down", round: 1, text: "", calls: []toolCall{{"CONTEXT_UPDATE", `{"key":"hours","title":"Hours","body":"Open until six."}`}}},
	{contains: "Write down", round: 2, text: "", calls: []toolCall{{"CONTEXT_PUBLISH", `{"key":"hours"}`}}},
	{contains: "Write down", round: 3, text: "", calls: []toolCall{{"COMPLETE", `{"reason":"done","result":"It is in hours."}`}}},
	{contains: "never mind", text: "As you like."},
	{text: "That is all."},
}

// answersAgent answers the one open approval there is.
func (p *player) answersAgent(body map[string]any) {
	p.t.Helper()
	open := p.get("/v1/approvals?status=open")
	if n := len(open.List("data")); n != 1 {
		p.t.Fatalf("%d approvals are open, want 1: %s", n, open.Body)
	}
	p.post("/v1/approvals/"+open.Str("data.0.id"), body)
}

// asksAgain waits until a session waits for an agent's next action.
func (p *player) asksAgain(c *dialogue, command string) {
	p.t.Helper()
	c.waitsFor("WAITING_VALIDATION", func() bool {
		return p.get("/v1/approvals?status=open").Str("data.0.actions.0.command") == command
	})
}
