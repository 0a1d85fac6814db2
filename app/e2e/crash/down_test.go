package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestDownForAWhile kills a server with everything that may wait in a workspace: a run during a call, five in the
// queue behind it, one that waits for a person, one that waits for the network, and due occurrences. It stays down
// until others came due; in the long run until all of them are late, which is a minute at least. After the restart
// the queue continues in order, every run ends, every action was done once, and the due occurrences are treated
// exactly by the misfire policies.
func TestDownForAWhile(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Parallel()
		h, m := newHost(t, db), newModel(t)
		away := 3 * time.Second
		if harness.Long {
			away = 63 * time.Second
		}
		p := newPlayer(t, h, m, "down", &scenario{flaps: true, settings: map[string]any{
			"completion_confirmation_delay": "0s", "misfire_grace": "1s",
			"network_retry": map[string]any{"policy": "forever", "delays": []string{"500ms"}},
		}, rules: []rule{
			{contains: "parked", round: 1, text: "Shall I?", calls: []toolCall{{"CREATE_ZONE", `{"name":"Parked"}`}}},
			{contains: "queued", round: 1, text: "I make it.", calls: []toolCall{{"CREATE_ZONE", `{"name":"${word}"}`}}},
			{contains: "at work", text: "One two three.", calls: completes, hold: "work"},
			{text: "That was all.", calls: completes},
		}})
		parked := p.newAutomation("parked", map[string]any{"require_validation": true}).executes()
		parked.waits("WAITING_VALIDATION")
		p.run.setAway("offline")
		offline := p.newAutomation("offline", nil).executes()
		offline.fails(1)
		working := p.newAutomation("at work", nil).executes() // who waits for the network gives way
		p.holds("work")
		var queued []*dialogue
		for i := range 5 {
			queued = append(queued, p.newAutomation(fmt.Sprint("queued q", i), nil).executes())
		}
		due := time.Now().Add(2 * time.Second).Truncate(time.Second).Add(time.Second)
		late := map[string][]*automation{}
		for policy := range whatBecomes(harness.Long) {
			for i, at := range []time.Time{due, due.Add(2 * time.Second)} {
				o := p.newAutomation(fmt.Sprintf("%s %d", policy, i), map[string]any{"misfire": policy, "schedule": onceAt(at)})
				late[policy] = append(late[policy], o)
			}
		}
		for _, orders := range late { // one of each is due by now, and waits for the slot
			orders[0].occurs("DUE")
		}
		before := p.order()

		up := h.keepsDown()
		time.Sleep(time.Until(due.Add(away)))
		p.run.forget()
		up()

		p.holds("work")
		// Who waited for the network may stand in the queue too, behind those who were there.
		if after := p.order(); !slices.Equal(after[:min(len(after), len(before))], before) {
			t.Errorf("the queue was %v and is %v", before, after)
		}
		parked.validates(map[string]any{"approved": true})
		p.run.setAway("")
		p.opens("work")
		for _, run := range append(queued, working, parked, offline) {
			run.ends("COMPLETED")
		}
		for policy, orders := range late {
			for i, o := range orders {
				want := whatBecomes(harness.Long)[policy][i]
				if strings.HasPrefix(want, "FIRED") {
					o.begins().ends("COMPLETED")
				}
				o.occurs(want)
			}
		}
		p.beganInOrder(queued)
		p.zones("Parked", "q0", "q1", "q2", "q3", "q4")
		p.finish()
	})
}

// whatBecomes of the only occurrence of an automation, by its policy: first of one that
// was due before the server died, then of one that came due meanwhile.
func whatBecomes(late bool) map[string][2]string {
	if !late {
		return map[string][2]string{"once": {"FIRED", "FIRED"}, "all": {"FIRED", "FIRED"}, "skip": {"FIRED", "FIRED"}}
	}
	return map[string][2]string{
		"once": {"FIRED", "FIRED misfire"}, "all": {"FIRED", "FIRED misfire"}, "skip": {"SKIPPED policy", "SKIPPED policy"},
	}
}

// order is the queue, next first.
func (p *player) order() []string {
	p.t.Helper()
	order := []string{}
	for _, row := range p.get("/v1/queue").List("data") {
		order = append(order, row.(map[string]any)["session_id"].(string))
	}
	return order
}

// beganInOrder reads in the log that these were given the slot one after the other.
func (p *player) beganInOrder(runs []*dialogue) {
	p.t.Helper()
	var want, began []string
	for _, run := range runs {
		want = append(want, run.id)
	}
	for _, e := range p.log("/v1/events?sessions=*") {
		if e.Type != "slot.changed" {
			continue
		}
		holder := (&harness.Reply{T: p.t, Body: e.Data}).Str("holder.id")
		if slices.Contains(want, holder) {
			began = append(began, holder)
		}
	}
	if !slices.Equal(began, want) {
		p.t.Errorf("they were given the slot in the order %v, want %v", began, want)
	}
}
