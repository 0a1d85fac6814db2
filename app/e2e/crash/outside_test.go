package crash

import (
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestKilledAroundActionsOutside kills a real server with SIGKILL at every COMMIT of a round that calls another
// server, and at each request before and after its response. An action that must not happen twice is requested at
// most once, and an unknown outcome is never reported as a known one.
func TestKilledAroundActionsOutside(t *testing.T) {
	for name, open := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := newShop(t)
			s := &shopSweep{host: newHost(t, open(t)), model: newModel(t), shop: out}
			for _, command := range []string{"SHOP_PAY", "SHOP_SET", "SHOP_FIND"} {
				t.Run(command, func(t *testing.T) { s.all(t, command, len(name)) })
			}
			t.Logf("%s: %d points, %d of them reached, %d outcomes unknown", name, s.points, s.reached, s.unknown)
			if s.reached > 0 && s.unknown == 0 {
				t.Error("no crash left an outcome unknown: the points miss what they are for")
			}
		})
	}
}

type shopSweep struct {
	host                            *host
	model                           *model
	shop                            *shop
	plays, points, reached, unknown int
}

func (s *shopSweep) all(t *testing.T, command string, seed int) {
	commits, requests := s.play(t, command, point{})
	var points []point
	for n := 1; n <= commits; n++ {
		points = append(points, point{"before", n}, point{"after", n}, point{"during", n})
	}
	for n := 1; n <= requests; n++ {
		points = append(points, point{"asked", n}, point{"answered", n})
	}
	for i, at := range points {
		ofRequest := at.where == "asked" || at.where == "answered"
		if !harness.Long && !ofRequest && (i+seed)%5 != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s_%d", at.where, at.n), func(t *testing.T) { s.play(t, command, at) })
	}
}

// play has an action of the shop between two that are built in (or a query of it), and is
// killed at the point. It gives the commits and requests that there were.
func (s *shopSweep) play(t *testing.T, command string, at point) (commits, requests int) {
	t.Helper()
	s.plays++
	s.host.t = t
	calls := []toolCall{{command, `{"n":1}`}}
	if command != "SHOP_FIND" {
		calls = []toolCall{{"CREATE_ZONE", `{"name":"Before"}`}, {command, `{"n":1}`}, {"CREATE_ZONE", `{"name":"Behind"}`}}
	}
	p := newPlayer(t, s.host, s.model, fmt.Sprintf("shop-%d", s.plays), &scenario{
		rules: []rule{{contains: "do it", round: 1, text: "I do it.", calls: calls}, {text: "So it is."}},
	})
	p.try("POST", "/v1/connectors", "", s.shop.connector()).Want(201)
	died := s.host.died()
	s.host.arm("never")
	s.shop.arm(0, "", nil)
	switch at.where {
	case "":
	case "asked", "answered":
		s.shop.arm(at.n, at.where, s.host.kill)
	default:
		s.host.arm(fmt.Sprint(at.where, " ", at.n))
	}
	a := p.chat(false)
	a.says("do it")
	a.waitsFor("IDLE", func() bool { return len(s.executions(p, a, command)) > 0 })
	commits, requests = s.host.arm("never"), s.shop.arm(0, "", nil)
	if died = s.host.died() - died; at.where != "" {
		s.points++
		s.reached += min(died, 1)
	}
	s.check(p, a, command, died)
	p.checks()
	if bad := s.host.server().log.bad(); bad != "" {
		t.Errorf("the server says:\n%s", bad)
	}
	return commits, requests
}

// executions is what the journal has of a command of the shop, by id.
func (s *shopSweep) executions(p *player, a *dialogue, command string) map[string]string {
	found := map[string]string{}
	for _, item := range p.all(a.path("/timeline")) {
		x, _ := item["execution"].(map[string]any)
		if name := fmt.Sprint(x["command"]); x != nil && name == "SHOP."+command[len("SHOP_"):] {
			found[fmt.Sprint(x["id"])] = fmt.Sprint(x["status"])
		}
	}
	return found
}

func (s *shopSweep) check(p *player, a *dialogue, command string, died int) {
	p.t.Helper()
	open := p.all("/v1/approvals", "status=open")
	for id, status := range s.executions(p, a, command) {
		times := s.shop.requested(id)
		if command == "SHOP_PAY" && times > 1 {
			p.t.Errorf("%s was asked for %d times, and must not be repeated", id, times)
		}
		switch {
		case status == "SUCCESS" && times >= 1:
		case status == "UNKNOWN" && command == "SHOP_PAY" && died > 0 && len(open) == 1:
			s.unknown++
			s.settle(p, a, open[0], command)
			continue
		default:
			p.t.Errorf("%s is %s after %d requests and %d deaths, %d approvals are open", id, status, times, died, len(open))
		}
		if command != "SHOP_FIND" {
			p.zones("Before", "Behind")
		}
	}
}

// settle has a person say what became of it.
func (s *shopSweep) settle(p *player, a *dialogue, asked map[string]any, command string) {
	p.t.Helper()
	p.zones("Before")
	if asked["kind"] != "outcome" {
		p.t.Errorf("asked %v", asked)
	}
	p.post("/v1/approvals/"+fmt.Sprint(asked["id"]), map[string]any{"outcome": "happened"})
	a.waitsFor("IDLE", func() bool { return len(p.all("/v1/approvals", "status=open")) == 0 })
	for id, status := range s.executions(p, a, command) {
		if status != "SUCCESS" {
			p.t.Errorf("%s is %s though a person says that it happened", id, status)
		}
	}
}
