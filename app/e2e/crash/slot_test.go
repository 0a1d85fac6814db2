package crash

import (
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

var (
	completes = []toolCall{{"COMPLETE", `{"summary":"done"}`}}
	quick     = map[string]any{"completion_confirmation_delay": "0s"}
	// nightly acts, then waits at a gate, then completes.
	nightly = []rule{
		{contains: "nightly", round: 1, text: "I make it.", calls: makeOne},
		{contains: "nightly", text: "That was all.", calls: completes, hold: "night"},
		{contains: "slow", text: "One two three four.", hold: "slow"},
		{text: "Quickly said."},
	}
	noChatFirst = map[string]any{"completion_confirmation_delay": "0s", "chat_preempts": false}
	oneLookaway = map[string]any{"completion_confirmation_delay": "0s", "network_retry": map[string]any{"policy": "forever", "delays": []string{"200ms"}}}
)

// slotScenarios are those in which sessions take turns, and runs begin by themselves.
var slotScenarios = []*scenario{
	{name: "a run by hand", settings: quick, rules: nightly, play: func(p *player) {
		p.opens("night")
		p.newAutomation("nightly work", nil).executes().ends("COMPLETED")
	}},
	{name: "a second run behind the first", settings: quick, rules: nightly, play: func(p *player) {
		o := p.newAutomation("nightly work", nil)
		first := o.executes()
		p.holds("night")
		second := o.executes()
		second.reaches("queued")
		p.opens("night")
		first.ends("COMPLETED")
		second.ends("COMPLETED")
	}},
	{name: "a second run behind a parked one", settings: quick, rules: nightly, play: func(p *player) {
		p.opens("night")
		o := p.newAutomation("nightly work", map[string]any{"require_validation": true})
		first := o.executes()
		first.waits("WAITING_VALIDATION")
		second := o.executes() // the slot is free, and still it waits
		second.reaches("queued")
		first.validates(map[string]any{"approved": true})
		first.ends("COMPLETED")
		second.waits("WAITING_VALIDATION")
		second.validates(map[string]any{"approved": true})
		second.ends("COMPLETED")
	}},
	{name: "a chat pre-empts a run in mid-call", settings: quick, rules: nightly, play: func(p *player) {
		run := p.newAutomation("nightly work", nil).executes()
		p.holds("night")
		a := p.chat(true)
		a.says("hello")
		a.rests()
		p.opens("night") // its call continued, and its answer takes the slot from the chat at rest
		run.ends("COMPLETED")
	}},
	{name: "an answer that waits for the slot", atOnce: 2, rules: []rule{
		{contains: "make", round: 1, text: "I make it.", calls: makeOne, hold: "make"},
		{contains: "slow", text: "One two three four.", hold: "slow"},
		{text: "Quickly said."},
	}, play: func(p *player) {
		a, b := p.chat(false), p.chat(false)
		a.says("make it")
		p.holds("make")
		b.says("slow one")
		p.holds("slow")
		p.opens("make")
		a.reaches("queued")
		p.opens("slow")
		b.rests()
		a.rests()
	}},
	{name: "an approval while another has the slot", settings: quick, rules: nightly, play: func(p *player) {
		p.opens("night")
		run := p.newAutomation("nightly work", map[string]any{"require_validation": true}).executes()
		run.waits("WAITING_VALIDATION")
		a := p.chat(false)
		a.says("slow one")
		p.holds("slow")
		run.validates(map[string]any{"approved": true})
		run.reaches("queued")
		p.opens("slow")
		a.rests()
		a.does("stop")
		run.ends("COMPLETED")
	}},
	{name: "a chat that may not pre-empt", settings: noChatFirst, rules: nightly, play: func(p *player) {
		run := p.newAutomation("nightly work", nil).executes()
		p.holds("night")
		a := p.chat(false)
		a.says("hello")
		a.reaches("queued")
		p.opens("night")
		run.ends("COMPLETED")
		a.answered(1)
	}},
	{name: "a run waits for the network", settings: oneLookaway, rules: nightly, flaps: true, play: func(p *player) {
		p.opens("night")
		p.run.setAway("nightly")
		run := p.newAutomation("nightly work", nil).executes()
		run.fails(2)
		p.run.setAway("")
		run.ends("COMPLETED")
	}},
	{name: "due while the slot is taken", settings: quick, rules: nightly, play: func(p *player) {
		p.opens("night")
		a := p.chat(false)
		a.says("hello")
		a.rests()
		o := p.newAutomation("nightly work", map[string]any{"schedule": p.soon()})
		o.occurs("DUE")
		a.does("stop")
		o.begins().ends("COMPLETED")
		o.occurs("FIRED")
	}},
	{name: "a webhook", settings: quick, rules: nightly, twoWays: true, play: func(p *player) {
		p.opens("night")
		o := p.newAutomation("nightly work", map[string]any{"overlap": "queue", "triggers": []any{map[string]any{"type": "webhook"}}})
		o.called()
		if p.otherWay { // who calls again because no answer came starts a second run
			o.called()
		}
		for _, run := range o.executions {
			run.ends("COMPLETED")
		}
	}},
	{name: "a new entry starts a run", settings: quick, rules: nightly, play: func(p *player) {
		p.opens("night")
		zone := p.post("/v1/zones", map[string]any{"name": "Home"}).Str("id")
		tool := p.post("/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "Diary", "config": map[string]any{}}).Str("id")
		o := p.newAutomation("nightly work", map[string]any{"triggers": []any{map[string]any{"type": "entry_created", "tool_id": tool}}})
		p.post("/v1/tools/"+tool+"/entries", map[string]any{"timestamp": "2026-01-02T03:04:05Z", "data": map[string]any{"text": "one"}})
		o.begins().ends("COMPLETED")
	}},
	{name: "five failures disable", settings: quick, rules: []rule{{contains: "broken", status: 400}, {text: "Quickly said."}}, play: func(p *player) {
		o := p.newAutomation("broken work", nil)
		for range 5 {
			run := o.executes()
			run.waits("AWAITING_SESSION_CLOSURE")
			a := p.chat(false)
			a.says("hello") // who takes the slot ends the closure at once
			run.ends("ERROR")
			a.rests()
			a.does("stop")
		}
		testkit.Until(p.t, "the automation to be disabled", func() bool { return p.get(o.path("")).Str("disabled_reason") == "failures" })
	}},
	{name: "a run leaves the queue", settings: quick, rules: nightly, play: func(p *player) {
		o, other := p.newAutomation("nightly work", nil), p.newAutomation("nightly walk", nil)
		first := o.executes()
		p.holds("night")
		second := other.executes()
		second.reaches("queued")
		p.leaves("/v1/queue/" + second.id)
		second.ends("CANCELLED")
		p.opens("night")
		first.ends("COMPLETED")
	}},
	{name: "a new run ends the old one", settings: quick, rules: nightly, play: func(p *player) {
		o := p.newAutomation("nightly work", map[string]any{"schedule": p.soon(), "overlap": "restart"})
		old := o.executes()
		p.holds("night")
		fresh := o.begins()
		old.ends("CANCELLED")
		p.opens("night")
		fresh.ends("COMPLETED")
		o.occurs("FIRED")
	}},
	{name: "deleted with a run under way", settings: quick, rules: nightly, play: func(p *player) {
		o := p.newAutomation("nightly work", nil)
		run := o.executes()
		p.holds("night")
		p.leaves(o.path("?force=true"))
		run.ends("CANCELLED")
		p.opens("night")
	}},
}

// fails waits until so many calls of the AI have failed in a row.
func (c *dialogue) fails(times int) {
	c.p.t.Helper()
	deadline := time.Now().Add(harness.Patience)
	for c.p.get(c.path("")).At("waiting_context.attempt") != float64(times) {
		if time.Now().After(deadline) {
			c.p.t.Fatalf("%d calls do not fail: %s", times, c.p.get(c.path("")).Body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
