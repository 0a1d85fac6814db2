package crash

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestKilledAtEveryCommitAndCall kills a real server with SIGKILL at every COMMIT of a
// scenario (before it is sent, after it was carried out, and at some instant between)
// and at every call of the AI, starts it again on the same database, lets the client go
// on, and compares what is there in the end with the same play without a crash.
func TestKilledAtEveryCommitAndCall(t *testing.T) {
	for name, open := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sweep{host: newHost(t, open(t)), model: newModel(t), database: name}
			s.host.t = t
			for i, scenario := range slices.Concat(scenarios, slotScenarios, agentScenarios) {
				t.Run(scenario.name, func(t *testing.T) { s.all(t, i, scenario) })
			}
			t.Logf("%s: %d points, %d of them reached; slowest start %s", name, s.points, s.reached, s.host.slowestStart().Round(time.Millisecond))
		})
	}
}

// sweep goes through scenarios on one database, each play in a workspace of its own.
type sweep struct {
	host     *host
	model    *model
	database string
	plays    int
	points   int
	reached  int
}

// point is an instant at which the server is killed.
type point struct {
	where string // before, during, after a commit; head, middle, end of a call
	n     int
}

func (p point) ofCall() bool { return p.where == "head" || p.where == "middle" || p.where == "end" }

// all plays a scenario without a crash, then once for each point.
func (s *sweep) all(t *testing.T, number int, is *scenario) {
	first, commits := s.play(t, is, point{}, false)
	results := []result{first}
	if is.twoWays {
		second, _ := s.play(t, is, point{}, true)
		results = append(results, second)
	}
	if is.textMayBeLost && first.text == first.lean {
		t.Error("nothing was kept of the answer that was cut")
	}
	if t.Failed() {
		return
	}
	var points []point
	for n := 1; n <= commits; n++ {
		points = append(points, point{"before", n}, point{"after", n}, point{"during", n})
	}
	for n := 1; n <= first.calls; n++ {
		points = append(points, point{"head", n}, point{"middle", n}, point{"end", n})
	}
	if testing.Verbose() {
		t.Logf("%d commits, %d calls\n%s", commits, first.calls, first.text)
	}
	every := sampleEvery * (1 + len(points)/manyPoints)
	for i, at := range points {
		// The sample is spread over all scenarios and both databases.
		if !harness.Long && (i+number*5+len(s.database))%every != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s_%d", at.where, at.n), func(t *testing.T) {
			have, _ := s.play(t, is, at, false)
			compare(t, is, results, have)
		})
	}
}

// sampleEvery is how much of the sweep an ordinary run does: one point in so many; of a
// scenario with many points, which does the same again and again, half as much, and so on.
const (
	sampleEvery = 31
	manyPoints  = 150
)

// play is one play; the server is killed at the point, if there is one. It gives the
// commits that were counted.
func (s *sweep) play(t *testing.T, is *scenario, at point, otherWay bool) (result, int) {
	t.Helper()
	s.plays++
	s.host.t = t
	p := newPlayer(t, s.host, s.model, fmt.Sprintf("play-%d", s.plays), is)
	p.otherWay = otherWay
	died := s.host.died()
	s.host.arm("never")
	switch {
	case at.ofCall():
		p.run.killCall(at.n, at.where)
	case at.where != "":
		s.host.arm(fmt.Sprint(at.where, " ", at.n))
	}
	is.play(p)
	if t.Failed() {
		t.FailNow()
	}
	commits := s.host.arm("never")
	r := p.finish()
	died = s.host.died() - died
	if at.where != "" {
		s.points++
		s.reached += min(died, 1)
	}
	if died > 1 || died > 0 && at.where == "" && !otherWay {
		t.Errorf("the server died %d times", died)
	}
	if bad := s.host.server().log.bad(); bad != "" {
		t.Errorf("the server says:\n%s", bad)
	}
	return r, commits
}

// compare holds a play with a crash against those without.
func compare(t *testing.T, is *scenario, want []result, have result) {
	t.Helper()
	most := 0
	for _, w := range want {
		most = max(most, w.calls)
	}
	if have.calls > most+max(is.atOnce, 1) && !is.flaps {
		t.Errorf("the AI was called %d times, %d without the crash: one more is allowed for each that was under way", have.calls, most)
	}
	for _, w := range want {
		if have.text == w.text || is.textMayBeLost && have.lean == w.lean {
			return
		}
	}
	t.Errorf("what is there differs from the play without a crash:\n%s", difference(want[0].text, have.text))
}
