package crash

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestKilledAtRandomMoments kills a server repeatedly during three chats, each in a workspace of its own. All
// acknowledged messages are in the record once; each requested action was done once.
func TestKilledAtRandomMoments(t *testing.T) {
	kills := 10
	if harness.Long {
		kills = 500
	}
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		h, m := newHost(t, db), newModel(t)
		stop := make(chan struct{})
		var people sync.WaitGroup
		var players []*player
		for i := range 3 {
			p := newPlayer(t, h, m, fmt.Sprintf("person-%d", i+1), &scenario{rules: []rule{
				{contains: "zone", round: 1, text: "I make it.", calls: []toolCall{{"CREATE_ZONE", `{"name":"${word}"}`}}},
				{contains: "look", round: 1, text: "Let me look.", calls: []toolCall{{"ZONES", `{}`}, {"APP_STATE", `{}`}}},
				{text: "That is all."},
			}})
			players = append(players, p)
			people.Go(func() { p.talks(i, stop) })
		}
		for died := h.died(); h.died()-died < kills && !t.Failed(); {
			h.server() // it is up, and has a moment
			time.Sleep(20*time.Millisecond + rand.N(max(380*time.Millisecond, h.slowestStart())))
			h.kill()
		}
		close(stop)
		people.Wait()
		said, most := 0, time.Duration(0)
		for _, p := range players {
			said += p.counts()
			most = max(most, p.slowest)
		}
		t.Logf("%d kills, %d messages acknowledged, slowest acknowledgement %s, slowest start %s",
			h.died(), said, most.Round(time.Millisecond), h.slowestStart().Round(time.Millisecond))
	})
}

// maxZones is below the ceiling of a workspace.
const maxZones = 450

// talks is one person: short chats, one after the other, until stopped. One in three messages creates a zone with
// a unique name.
func (p *player) talks(seed int, stop <-chan struct{}) {
	random := rand.New(rand.NewPCG(uint64(seed), 7))
	for {
		c := p.chat(seed == 0)
		for range 6 {
			select {
			case <-stop:
				p.quiet(c)
				return
			default:
			}
			begun := time.Now()
			n := len(c.acked)
			switch kind := random.IntN(3); {
			case kind == 0 && p.made < maxZones:
				p.made++
				c.insists(fmt.Sprintf("make the zone w%d-%d", len(p.chats), n))
			case kind == 1:
				c.insists(fmt.Sprintf("look at it %d", n))
			default:
				c.insists(fmt.Sprintf("just talk %d", n))
			}
			p.slowest = max(p.slowest, time.Since(begun))
			if random.IntN(2) == 0 {
				p.quiet(c)
			}
		}
		p.quiet(c)
	}
}

// insists sends a message, also to a session that was set apart: then its person says
// first that it shall go on.
func (c *dialogue) insists(text string) {
	c.p.t.Helper()
	for {
		key := fmt.Sprintf("%s-%d", c.p.ws, len(c.p.posts))
		body := map[string]any{"text": text}
		r := c.p.try("POST", c.path("/messages"), key, body)
		c.p.posts = append(c.p.posts, post{path: c.path("/messages"), key: key, body: body, answer: r})
		if r.Status == 202 {
			c.acked = append(c.acked, ackedMessage{r.Str("message.id"), text})
			return
		}
		if r.Status != 409 || r.Str("session_status") != "requires_action" {
			c.p.t.Fatalf("a message was not taken: %d %s", r.Status, r.Body)
		}
		c.does("resume")
	}
}

// quiet waits until the chat rests with nothing left to answer. Three recoveries in a
// row at one place set a session apart: then its person says that it shall go on.
func (p *player) quiet(c *dialogue) {
	p.t.Helper()
	testkit.Until(p.t, "the chat to rest", func() bool {
		s := p.get(c.path(""))
		if s.Str("status") == "requires_action" {
			c.does("resume")
		}
		return s.Str("phase") == "IDLE" && s.Str("status") == "idle" && p.answered(c)
	})
}

// answered says whether nothing waits its turn.
func (p *player) answered(c *dialogue) bool {
	for _, m := range p.record(c) {
		if m.Status == "queued" {
			return false
		}
	}
	return true
}

// counts checks everything there is of one person, and gives the number of messages.
func (p *player) counts() int {
	p.t.Helper()
	want, said := map[string]int{}, 0
	for _, c := range p.chats {
		said += len(c.acked)
		for _, m := range c.acked {
			var word string
			if n, _ := fmt.Sscanf(m.text, "make the zone %s", &word); n == 1 {
				want[word]++
			}
		}
	}
	have := map[string]int{}
	for _, zone := range p.all("/v1/zones") {
		have[zone["name"].(string)]++
	}
	for word := range want {
		if have[word] != 1 {
			p.t.Errorf("the zone %s was asked for once and exists %d times", word, have[word])
		}
		delete(have, word)
	}
	for word, n := range have {
		p.t.Errorf("the zone %s exists %d times, and was not requested", word, n)
	}
	p.checks()
	p.repeatAll()
	return said
}
