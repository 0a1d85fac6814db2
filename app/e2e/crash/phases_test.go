package crash

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestEveryPhaseOutlivesTheProcess kills the server in each phase of a session, which continues after the restart
// as if nothing had happened.
func TestEveryPhaseOutlivesTheProcess(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		h, m := newHost(t, db), newModel(t)
		for _, c := range []struct {
			name     string
			settings map[string]any
			rules    []rule
			play     func(p *player)
		}{
			{"waiting for an approval", askFirst, []rule{{round: 1, text: "Shall I?", calls: makeOne}, {text: "Made."}}, func(p *player) {
				a := p.chat(true)
				a.says("make a zone")
				a.waits("WAITING_VALIDATION")
				approval := p.get("/v1/approvals?status=open").Str("data.0.id")
				p.restart()
				a.waits("WAITING_VALIDATION")
				if again := p.get("/v1/approvals?status=open"); again.Str("data.0.id") != approval {
					p.t.Errorf("the approval %s did not survive: %s", approval, again.Body)
				}
				p.post("/v1/approvals/"+approval, map[string]any{"approved": true})
				p.restart()
				a.rests()
				p.zones("Work")
			}},
			{"waiting for an answer", nil, []rule{{round: 1, contains: "ask", text: "Which one?", calls: question}, {text: "Good choice."}}, func(p *player) {
				a := p.chat(true)
				a.says("ask me")
				a.waits("WAITING_COMMUNICATION_RESPONSE")
				p.restart()
				a.waits("WAITING_COMMUNICATION_RESPONSE")
				a.responds(map[string]any{"value": "red"})
				p.restart()
				a.rests()
			}},
			{"a message that waits its turn", nil, slowRules, func(p *player) {
				a := p.chat(false)
				a.says("slow one")
				p.holds("slow")
				queued := a.says("second").Str("message.id")
				p.restart()
				p.holds("slow")
				if waits := p.get(a.path("/messages")); waits.Str("data.1.id") != queued || waits.Str("data.1.status") != "queued" {
					p.t.Errorf("the message does not wait any more: %s", waits.Body)
				}
				p.restart()
				p.opens("slow")
				a.answered(2)
			}},
			{"a call that continues without the slot", nil, slowRules, func(p *player) {
				a, b := p.chat(false), p.chat(false)
				a.says("slow one")
				p.holds("slow")
				b.says("second")
				b.rests()
				if s := p.get(a.path("")); s.Str("status") != "running" || s.At("holds_slot") != false {
					p.t.Errorf("its call does not continue: %s", s.Body)
				}
				p.restart() // the call is lost, and made again: b does not work
				p.holds("slow")
				p.opens("slow")
				a.rests()
			}},
			{"an answer that waits for the slot", nil, []rule{
				{contains: "make", round: 1, text: "I make it.", calls: makeOne, hold: "make"},
				{contains: "slow", text: "One two three four.", hold: "slow"},
				{text: "Quickly said."},
			}, func(p *player) {
				a, b := p.chat(false), p.chat(false)
				a.says("make it")
				p.holds("make")
				b.says("slow one")
				p.holds("slow")
				p.opens("make")
				a.reaches("queued")
				p.restart()
				a.reaches("queued")
				p.holds("slow")
				p.opens("slow")
				b.rests()
				a.rests()
				p.zones("Work")
			}},
			{"an ended chat", nil, slowRules, func(p *player) {
				a := p.chat(false)
				a.says("slow one")
				p.holds("slow")
				a.does("stop")
				p.restart()
				a.waits("COMPLETED")
				p.opens("slow")
				a.does("resume")
				p.restart()
				a.says("second")
				a.rests()
			}},
		} {
			t.Run(c.name, func(t *testing.T) {
				h.t = t
				p := newPlayer(t, h, m, "phase-"+workspaceName(c.name), &scenario{settings: c.settings, rules: c.rules})
				c.play(p)
				p.finish()
			})
		}
	})
}

// workspaceName makes an id of words.
func workspaceName(words string) string {
	name := []rune(words)
	for i, r := range name {
		if r < 'a' || r > 'z' {
			name[i] = '-'
		}
	}
	return string(name)
}

// zones checks which zones there are, each once.
func (p *player) zones(want ...string) {
	p.t.Helper()
	have := []string{}
	for _, zone := range p.get("/v1/zones").List("data") {
		have = append(have, zone.(map[string]any)["name"].(string))
	}
	slices.Sort(have)
	if !slices.Equal(have, want) {
		p.t.Errorf("the zones are %q, want %q", have, want)
	}
}

// TestKilledWhileItRecovers kills the server at its first commits after a start, twice
// in a row, while a session at work must be taken up.
func TestKilledWhileItRecovers(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		h, m := newHost(t, db), newModel(t)
		for _, how := range []string{"before 1", "after 1", "before 2", "after 2", "during 2"} {
			t.Run(how, func(t *testing.T) {
				h.t = t
				p := newPlayer(t, h, m, "recovery-"+workspaceName(how)+how[len(how)-1:], &scenario{rules: slowRules})
				a := p.chat(false)
				a.says("slow one")
				p.holds("slow")
				h.killNextStart(how)
				h.killAndWait()
				testkit.Until(t, "the second death", func() bool { return h.nextStarted() })
				h.server()
				p.opens("slow")
				a.rests()
				p.finish()
			})
		}
	})
}
