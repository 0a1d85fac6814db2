package crash

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestKilledTwentyTimes kills the server from outside twenty times in a row, a second apart in the long run, during
// an AI call. Nothing needs a person's decision, and the session answers afterwards.
func TestKilledTwentyTimes(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		h := newNodeHost(t, db, "test", cautionVariable+"=")
		h.server()
		p := newPlayer(t, h, newModel(t), "killed", &scenario{rules: slowRules})
		a := p.chat(false)
		a.says("slow one")
		p.holds("slow")
		for n := range 20 {
			if harness.Long {
				time.Sleep(time.Second)
			}
			p.restart()
			if n == 10 {
				a.says("second")
			}
		}
		p.opens("slow")
		for patience := time.Now().Add(3 * time.Minute); p.get(a.path("")).Str("status") != "idle"; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(patience) {
				t.Fatalf("after twenty deaths: %s", p.get(a.path("/explain")).Body)
			}
		}
		if asked := p.get("/v1/approvals").List("data"); len(asked) != 0 {
			t.Errorf("a person was asked: %v", asked)
		}
		a.answered(2)
		p.finish()
	})
}

// TestASessionThatKillsTheServer is set apart after its fourth death; what another
// session was asked in between is answered, and the server lives on.
func TestASessionThatKillsTheServer(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		wait := "5s 3s 3s" // the first is long enough to send a message while it is set aside
		if harness.Long {
			wait = ""
		}
		h := newNodeHost(t, db, "test", cautionVariable+"="+wait)
		h.diesEarly = true
		h.server()
		p := newPlayer(t, h, newModel(t), "kills", &scenario{rules: []rule{{contains: "deadly", kills: true}, {text: "Quickly said."}}})
		a, b := p.chat(false), p.chat(false)
		a.says("something deadly")
		// Not just the second death: before the next process has looked at what it left, the
		// message would take the slot of a session at work, which is another story.
		testkit.Until(t, "the session to be set aside after its second death", func() bool {
			return h.died() >= 2 && p.get(a.path("")).Str("status") == "queued"
		})
		b.says("hello")
		b.answered(1)
		deadline := time.Now().Add(3 * time.Minute)
		for p.get(a.path("")).Str("status") != "requires_action" {
			if time.Now().After(deadline) {
				t.Fatalf("after %d deaths: %s", h.died(), p.get(a.path("/explain")).Body)
			}
			time.Sleep(50 * time.Millisecond)
		}
		open := p.get("/v1/approvals?status=open")
		if open.Str("data.0.kind") != "poisoned" || h.died() != 4 {
			t.Errorf("after %d deaths: %s", h.died(), open.Body)
		}
		b.says("and now?")
		b.answered(2)
		a.says("is anybody there?") // is kept
		a.does("stop")
		p.finish()
	})
}
