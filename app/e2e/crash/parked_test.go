package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// parkedPlays are the ways in which a call of an MCP server does not end at once.
var parkedPlays = []string{
	"a task", "a task that asks", "a call that asks", "a call of before that asks", "a call that needs a sign-in",
}

// TestKilledAroundCallsThatWait kills a real server with SIGKILL at every COMMIT of a call of an MCP server that
// becomes a task, needs an answer, or needs a sign-in, and at each request to that server before and after its
// response. A call that must not happen twice is started at most once, a result is delivered once, nothing
// settled is opened again, and the session continues.
func TestKilledAroundCallsThatWait(t *testing.T) {
	for name, open := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &parkedSweep{host: newHost(t, open(t)), model: newModel(t), bakery: newBakery(t)}
			for i, how := range parkedPlays {
				t.Run(how, func(t *testing.T) { s.all(t, how, i*5+len(name)) })
			}
			t.Logf("%s: %d points, %d of them reached, %d outcomes unknown", name, s.points, s.reached, s.unknown)
			if harness.Long && s.unknown == 0 {
				t.Error("no crash left an outcome unknown: the points miss what they are for")
			}
		})
	}
}

type parkedSweep struct {
	host                            *host
	model                           *model
	bakery                          *bakery
	plays, points, reached, unknown int
}

// parkedSample is how much of the sweep an ordinary run does: one point in so many.
const parkedSample = 23

func (s *parkedSweep) all(t *testing.T, how string, seed int) {
	commits, requests := s.play(t, how, point{})
	var points []point
	for n := 1; n <= commits; n++ {
		points = append(points, point{"before", n}, point{"after", n}, point{"during", n})
	}
	for n := 1; n <= requests; n++ {
		points = append(points, point{"asked", n}, point{"answered", n})
	}
	if testing.Verbose() {
		t.Logf("%d commits, %d requests", commits, requests)
	}
	for i, at := range points {
		if harness.Long || (i+seed)%parkedSample == 0 {
			t.Run(fmt.Sprintf("%s_%d", at.where, at.n), func(t *testing.T) { s.play(t, how, at) })
		}
	}
}

// parkedDay is one play.
type parkedDay struct {
	s       *parkedSweep
	p       *player
	a       *dialogue
	how     string
	died    int // before
	unknown bool
}

func (s *parkedSweep) play(t *testing.T, how string, at point) (commits, requests int) {
	t.Helper()
	s.plays++
	s.host.t = t
	d := &parkedDay{s: s, how: how, died: s.host.died()}
	d.connect(t)
	s.host.arm("never")
	s.bakery.arm(point{}, nil)
	switch at.where {
	case "":
	case "asked", "answered":
		s.bakery.arm(at, s.host.kill)
	default:
		s.host.arm(fmt.Sprint(at.where, " ", at.n))
	}
	d.a = d.p.chat(false)
	d.a.says("bake it")
	d.ends()
	commits, requests = s.host.arm("never"), s.bakery.arm(point{}, nil)
	if at.where != "" {
		s.points++
		s.reached += min(s.host.died()-d.died, 1)
	}
	d.check()
	d.p.checks()
	if bad := s.host.server().log.bad(); bad != "" {
		t.Errorf("the server says:\n%s", bad)
	}
	return commits, requests
}

// connect makes a workspace with an oven of its own.
func (d *parkedDay) connect(t *testing.T) {
	t.Helper()
	name := fmt.Sprintf("oven-%d", d.s.plays)
	d.p = newPlayer(t, d.s.host, d.s.model, name, &scenario{rules: []rule{
		{contains: "bake it", round: 1, text: "I have it baked.", calls: []toolCall{
			{"CREATE_ZONE", `{"name":"Before"}`}, {"BAKERY_BAKE", `{}`}, {"CREATE_ZONE", `{"name":"Behind"}`},
		}}, {text: "So it is."},
	}})
	d.s.bakery.opens(name, d.how)
	made := d.p.try("POST", "/v1/connectors", "", map[string]any{
		"name": "Bakery", "kind": "mcp", "prefix": "BAKERY", "config": map[string]any{"url": d.s.bakery.url + "/" + name},
	}).Want(201)
	d.p.try("PATCH", "/v1/connectors/"+made.Str("id")+"/commands/BAKE", "", map[string]any{
		"state": "offered", "effect": "non_idempotent", "require_validation": false, "trusted": true, "timeout": "5s",
	}).Want(200)
}

// ends answers every question, until the session has continued and nothing is open.
func (d *parkedDay) ends() {
	d.p.t.Helper()
	testkit.Until(d.p.t, "everything has ended", func() bool {
		d.attend()
		if d.p.get(d.a.path("")).Str("status") != "idle" || d.said() != "So it is." {
			return false
		}
		// What rests asks nothing new: what is open is counted after that.
		for _, status := range d.executions() {
			if status != "SUCCESS" && status != "FAILED" && status != "CANCELLED" {
				return false
			}
		}
		return len(d.p.all("/v1/approvals", "status=open"))+len(d.p.all("/v1/tasks", "status=running"))+
			len(d.p.all("/v1/tasks", "status=pending"))+len(d.p.all("/v1/tasks", "status=unknown")) == 0
	})
}

func (d *parkedDay) said() string {
	messages := d.p.all(d.a.path("/messages"))
	if len(messages) == 0 {
		return ""
	}
	last, _ := messages[len(messages)-1]["ai_message"].(map[string]any)
	text, _ := last["pre_text"].(string)
	return text
}

// attend answers open questions: approved, signed in, and for unknown outcomes that it was not done. A question
// that was settled meanwhile is not an error.
func (d *parkedDay) attend() {
	for _, a := range d.p.all("/v1/approvals", "status=open") {
		body := map[string]any{"value": true}
		switch a["kind"] {
		case "outcome":
			d.unknown, body = true, map[string]any{"outcome": "did_not"}
		case "reconnect":
			d.s.bakery.with(d.p.ws, func(o *oven) { o.signed = true })
			body = map[string]any{"approved": true}
		}
		r := d.p.try("POST", fmt.Sprint("/v1/approvals/", a["id"]), fmt.Sprint(d.p.ws, a["id"]), body)
		if r.Status != 200 && r.Status != 409 {
			d.p.t.Errorf("the answer to %v gave %s", a["kind"], r.Body)
		}
	}
}

// executions are the statuses of the calls of the bakery, as they are now.
func (d *parkedDay) executions() []string {
	now := map[string]string{}
	for _, item := range d.p.all(d.a.path("/timeline")) {
		if x, _ := item["execution"].(map[string]any); x != nil && x["command"] == "BAKERY.BAKE" {
			now[fmt.Sprint(x["id"])] = fmt.Sprint(x["status"])
		}
	}
	return slices.Collect(maps.Values(now))
}

func (d *parkedDay) check() {
	t := d.p.t
	t.Helper()
	keys, most := d.s.bakery.made(d.p.ws)
	answers, executions := d.s.bakery.delivered(d.p.ws), d.executions()
	if len(executions) != 1 || len(keys) > 1 || most > 1 {
		t.Fatalf("%d executions, begun under %d keys, %d times at most", len(executions), len(keys), most)
	}
	delivered := 0
	for _, m := range d.p.all(d.a.path("/messages")) {
		if system, _ := m["system_message"].(map[string]any); system != nil {
			delivered += strings.Count(fmt.Sprint(system["command_results"]), "a cake")
		}
	}
	died := d.s.host.died() > d.died
	if d.unknown {
		d.s.unknown++
	}
	asks := strings.HasSuffix(d.how, "asks")
	switch {
	case executions[0] == "SUCCESS" && (len(keys) != 1 || delivered != 1):
		t.Errorf("a success of which %d were begun, delivered %d times", len(keys), delivered)
	case executions[0] == "SUCCESS" && asks && (len(answers) != 1 || !strings.Contains(answers[0], `"accept"`)):
		t.Errorf("a success with the answers %v", answers)
	case executions[0] != "SUCCESS" && !(executions[0] == "FAILED" && died && d.unknown && delivered == 0):
		t.Errorf("the execution is %s after %v deaths, delivered %d times, unknown %v", executions[0], died, delivered, d.unknown)
	case d.unknown && !died:
		t.Error("there was no death, and an outcome is unknown")
	}
	if d.unknown { // the rest of its series was cancelled
		d.p.zones("Before")
		return
	}
	d.p.zones("Before", "Behind")
}
