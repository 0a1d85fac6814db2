package crash

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// automation is an automation of a play.
type automation struct {
	p          *player
	id, seed   string
	webhook    string
	executions []*dialogue // the runs that the play knows, oldest first
}

// automation makes one whose first message is seed; more fields may be given.
func (p *player) newAutomation(seed string, more map[string]any) *automation {
	p.t.Helper()
	body := map[string]any{"name": seed, "seed": map[string]any{"text": seed}}
	maps.Copy(body, more)
	made := p.post("/v1/automations", body)
	o := &automation{p: p, id: made.Str("id"), seed: seed}
	if hook := made.Str("webhook_url"); hook != "" {
		_, path, _ := strings.Cut(hook, "/v1/")
		o.webhook = "/v1/" + path
	}
	p.automations = append(p.automations, o)
	return o
}

func (o *automation) path(rest string) string { return "/v1/automations/" + o.id + rest }

// executes starts a run by hand.
func (o *automation) executes() *dialogue {
	o.p.t.Helper()
	return o.knows(o.p.post(o.path("/execute"), nil).Str("session.id"))
}

func (o *automation) knows(run string) *dialogue {
	c := &dialogue{p: o.p, id: run, seed: o.seed}
	o.p.chats = append(o.p.chats, c)
	o.executions = append(o.executions, c)
	return c
}

// begins waits until there is a run that the play does not know yet.
func (o *automation) begins() (c *dialogue) {
	o.p.t.Helper()
	testkit.Until(o.p.t, "a run of "+o.seed, func() bool {
		for _, run := range o.p.get(o.path("/executions?limit=200")).List("data") {
			id := run.(map[string]any)["session_id"].(string)
			if !slices.ContainsFunc(o.executions, func(known *dialogue) bool { return known.id == id }) {
				c = o.knows(id)
				return true
			}
		}
		return false
	})
	return c
}

// called calls the webhook, and notes the runs that there are then.
func (o *automation) called() {
	o.p.t.Helper()
	o.p.try("POST", o.webhook, "", map[string]any{"door": "open"}).Want(202)
	runs := o.p.get(o.path("/executions?limit=200")).List("data")
	slices.Reverse(runs)
	for _, run := range runs[len(o.executions):] {
		o.knows(run.(map[string]any)["session_id"].(string))
	}
}

// occurs waits until the occurrences, oldest first, are in these states.
func (o *automation) occurs(states ...string) {
	o.p.t.Helper()
	deadline := time.Now().Add(harness.Patience)
	for have := o.states(); !slices.Equal(have, states); have = o.states() {
		if time.Now().After(deadline) {
			o.p.t.Fatalf("the occurrences of %s are %q, want %q", o.seed, have, states)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (o *automation) states() []string {
	o.p.t.Helper()
	have := []string{}
	for _, row := range o.p.get(o.path("/occurrences?limit=200")).List("data") {
		r := row.(map[string]any)
		state := r["state"].(string)
		if reason, _ := r["reason"].(string); reason != "" {
			state += " " + reason
		}
		have = append(have, state)
	}
	slices.Reverse(have)
	return have
}

// soon is a schedule of one date, late enough for a crash before it, and the start after
// that.
func (p *player) soon() map[string]any {
	return onceAt(time.Now().Add(1500*time.Millisecond + 2*p.host.slowestStart()))
}

func onceAt(at time.Time) map[string]any {
	return map[string]any{"type": "once", "expression": at.UTC().Format("2006-01-02T15:04:05"), "time_zone": "UTC"}
}

// ends waits until a run has ended, and checks how.
func (c *dialogue) ends(reason string) {
	c.p.t.Helper()
	if r := c.waits("COMPLETED"); r.Str("end_reason") != reason {
		c.p.t.Errorf("the run ended as %s, want %s", r.Str("end_reason"), reason)
	}
}

// reaches waits until the session has a status.
func (c *dialogue) reaches(status string) *harness.Reply {
	c.p.t.Helper()
	var r *harness.Reply
	testkit.Until(c.p.t, "status "+status, func() bool {
		r = c.p.get(c.path(""))
		return r.Str("status") == status
	})
	return r
}

// leaves deletes something. After a crash in between it may be gone already.
func (p *player) leaves(path string) {
	p.t.Helper()
	if r := p.try("DELETE", path, "", nil); r.Status != 404 && r.Status/100 != 2 {
		p.t.Fatalf("DELETE %s: %d %s", path, r.Status, r.Body)
	}
}

// retellAutomations lists automations, their occurrences and runs.
func (p *player) retellAutomations(n *renaming) {
	p.t.Helper()
	for _, o := range p.automations {
		n.title("automation " + o.seed)
		if r := p.try("GET", o.path(""), "", nil); r.Status != 404 {
			n.line("enabled", []any{r.At("enabled"), r.At("disabled_reason"), r.At("next_run_at")})
			n.line("occurrences", o.states())
		}
		runs := p.all("/v1/sessions", "type=AUTOMATION", "automation_id="+o.id)
		if len(runs) != len(o.executions) {
			p.t.Errorf("%s has %d runs, the play knows of %d", o.seed, len(runs), len(o.executions))
		}
		for _, run := range runs {
			n.line("run", []any{run["id"], run["trigger"], run["end_reason"], run["total_roundtrips"]})
		}
	}
}

// firedOnce: an occurrence has one run, and a scheduled run one occurrence.
func (p *player) firedOnce() {
	p.t.Helper()
	for _, o := range p.automations {
		r := p.try("GET", o.path("/occurrences?limit=200"), "", nil)
		if r.Status == 404 {
			continue
		}
		fired := map[string]int{}
		for _, row := range r.List("data") {
			if session, _ := row.(map[string]any)["session_id"].(string); session != "" {
				fired[session]++
			}
		}
		for _, c := range o.executions {
			want := 0
			if p.get(c.path("")).Str("trigger") == "SCHEDULED" {
				want = 1
			}
			if fired[c.id] != want {
				p.t.Errorf("run %s belongs to %d occurrences, want %d", c.id, fired[c.id], want)
			}
		}
	}
}

// neverTwoHolders reads the log: who is given the slot holds it alone.
func (p *player) neverTwoHolders() {
	p.t.Helper()
	holds := map[string]bool{}
	for _, e := range p.log("/v1/events?sessions=*") {
		var data struct {
			Session struct {
				ID        string
				HoldsSlot bool `json:"holds_slot"`
			}
			Holder struct{ ID string }
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			p.t.Fatalf("event %d cannot be read: %v", e.Seq, err)
		}
		if id := data.Session.ID; id != "" {
			if delete(holds, id); data.Session.HoldsSlot {
				holds[id] = true
			}
		}
		if len(holds) > 1 {
			p.t.Errorf("at event %d (%s) there are two holders: %v", e.Seq, e.Type, slices.Collect(maps.Keys(holds)))
			return
		}
	}
}
