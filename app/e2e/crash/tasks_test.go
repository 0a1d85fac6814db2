package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// taskPlay is a story of one piece of work at a service, from the request to the end.
type taskPlay struct {
	name, effect, deadline string
	run                    bool // it is ordered by a run, which waits for it
	early                  bool // the service says how it ended before it answers the order
	end                    func(d *taskDay)
}

var taskPlays = []taskPlay{
	{name: "succeeds", effect: "non_idempotent", end: func(d *taskDay) {
		d.reports("half", `{"status":"running","progress":{"percent":50}}`)
		d.succeeds(200)
	}},
	{name: "succeeds, and may be repeated", effect: "idempotent", end: func(d *taskDay) { d.succeeds(200) }},
	{name: "fails", effect: "non_idempotent", end: func(d *taskDay) {
		d.reports("end", `{"status":"failed","error":"no tape"}`)
		d.p.waitForTask(d.id, "failed")
	}},
	{name: "is cancelled, and ends all the same", effect: "non_idempotent", end: func(d *taskDay) {
		d.p.post("/v1/tasks/"+d.id+"/cancel", nil)
		testkit.Until(d.p.t, "the service is delivered", func() bool { return d.s.studio.cancelledWith(d.id) == "cancelled" })
		d.succeeds(409)
	}},
	{name: "expires, and ends all the same", effect: "non_idempotent", deadline: "1s", end: func(d *taskDay) {
		if d.p.waitForTask(d.id, "expired", "unknown") == "unknown" { // a person decides, or a report does
			d.succeeds(200)
			return
		}
		testkit.Until(d.p.t, "the service is delivered", func() bool { return d.s.studio.cancelledWith(d.id) == "expired" })
		d.succeeds(409)
	}},
	{name: "ends before its order is answered", effect: "idempotent", early: true, end: func(d *taskDay) { d.succeeds(200) }},
	{name: "of a run", effect: "non_idempotent", run: true, end: func(d *taskDay) {
		// A run that does not know whether its task was accepted continues to its end, and nothing waits any more.
		answer := d.reports("end", succeeded(d.id))
		if answer != 200 && (answer != 409 || d.died == d.s.host.died()) {
			d.p.t.Errorf("the end was answered with %d", answer)
		}
	}},
}

// TestKilledAroundATask kills a real server with SIGKILL at every COMMIT from the start of a task to its end, at
// each request to the service and at each of its reports. Work that must not happen twice is started at most once,
// no acknowledged report is lost, and the session continues.
func TestKilledAroundATask(t *testing.T) {
	for name, open := range harness.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &taskSweep{host: newHost(t, open(t)), model: newModel(t), studio: newStudio(t)}
			for i, is := range taskPlays {
				t.Run(is.name, func(t *testing.T) { s.all(t, is, i*3+len(name)) })
			}
			t.Logf("%s: %d points, %d of them reached, %d orders of unknown outcome", name, s.points, s.reached, s.unknown)
			if s.reached > 0 && s.unknown == 0 {
				t.Error("no crash left an order with an unknown outcome: the points miss what they are for")
			}
		})
	}
}

type taskSweep struct {
	host                            *host
	model                           *model
	studio                          *studio
	plays, points, reached, unknown int
}

// taskSample is how much of the sweep an ordinary run does: one COMMIT in so many.
const taskSample = 13

func (s *taskSweep) all(t *testing.T, is taskPlay, seed int) {
	d := s.play(t, is, point{})
	var points []point
	for n := 1; n <= d.commits; n++ {
		points = append(points, point{"before", n}, point{"after", n}, point{"during", n})
	}
	if testing.Verbose() {
		t.Logf("%d commits, %d requests, %d reports", d.commits, d.requests, d.reported)
	}
	ofCommits := len(points)
	for n := 1; n <= d.requests; n++ {
		points = append(points, point{"asked", n}, point{"answered", n})
	}
	for n := 1; n <= d.reported; n++ {
		points = append(points, point{"report", n})
	}
	for i, at := range points {
		if !harness.Long && (i < ofCommits && (i+seed)%taskSample != 0 || i >= ofCommits && (i+seed)%3 != 0) {
			continue
		}
		t.Run(fmt.Sprintf("%s_%d", at.where, at.n), func(t *testing.T) { s.play(t, is, at) })
	}
}

// taskDay is one play of it.
type taskDay struct {
	s                           *taskSweep
	p                           *player
	a                           *dialogue
	at                          point
	id                          string // of the task
	died                        int    // before
	commits, requests, reported int
	answer                      int // to the last report
}

func (s *taskSweep) play(t *testing.T, is taskPlay, at point) *taskDay {
	t.Helper()
	s.plays++
	s.host.t = t
	d := s.prepare(t, is, at)
	d.begins(is)
	if len(s.studio.ordered(d.id)) > 0 {
		is.end(d)
	} else if !is.run { // a run continues to its end, which ends its tasks
		d.settles()
	}
	d.ends(is)
	d.commits, d.requests = s.host.arm("never"), s.studio.arm(point{}, nil)
	if at.where != "" {
		s.points++
		s.reached += min(s.host.died()-d.died, 1)
	}
	d.check(is)
	d.p.checks()
	if bad := s.host.server().log.bad(); bad != "" {
		t.Errorf("the server says:\n%s", bad)
	}
	return d
}

// prepare connects the service with a workspace of its own, and arms what is to die.
func (s *taskSweep) prepare(t *testing.T, is taskPlay, at point) *taskDay {
	t.Helper()
	d := &taskDay{s: s, at: at, died: s.host.died()}
	d.p = newPlayer(t, s.host, s.model, fmt.Sprintf("task-%d", s.plays), &scenario{
		settings: map[string]any{"completion_confirmation_delay": "0s"}, rules: taskRules(is.run),
	})
	deadline := "1h"
	if is.deadline != "" {
		deadline = is.deadline
	}
	d.p.try("POST", "/v1/connectors", "", s.studio.connector(is.effect, deadline)).Want(201)
	s.studio.says(nil)
	if is.early {
		s.studio.says(func(task string) {
			s.studio.reports(s.studio.t.Context(), s.host.address, task, task+"-end", succeeded(task))
		})
	}
	s.host.arm("never")
	s.studio.arm(point{}, nil)
	switch at.where {
	case "", "report":
	case "asked", "answered":
		s.studio.arm(at, s.host.kill)
	default:
		s.host.arm(fmt.Sprint(at.where, " ", at.n))
	}
	return d
}

func succeeded(task string) string {
	return fmt.Sprintf(`{"status":"succeeded","result":%q}`, film(task))
}

func taskRules(run bool) []rule {
	order := rule{contains: "film", round: 1, text: "I order it.", calls: []toolCall{
		{"CREATE_ZONE", `{"name":"Before"}`}, {"FILM_RENDER", `{}`}, {"CREATE_ZONE", `{"name":"Behind"}`},
	}}
	if run {
		return []rule{order, {text: "So it is.", calls: []toolCall{{"COMPLETE", `{}`}}}}
	}
	return []rule{order, {text: "So it is."}}
}

// begins has the work ordered, and waits until the server knows what it can know of it.
func (d *taskDay) begins(is taskPlay) {
	d.p.t.Helper()
	if is.run {
		d.a = d.p.newAutomation("a film", nil).executes()
	} else {
		d.a = d.p.chat(false)
		d.a.says("a film")
	}
	testkit.Until(d.p.t, "the order is made", func() bool {
		tasks := d.p.all("/v1/tasks")
		if len(tasks) > 0 {
			d.id = tasks[0]["id"].(string)
		}
		return len(tasks) > 0 && tasks[0]["status"] != "pending"
	})
	if !is.run {
		d.a.rests()
	}
	if d.p.get("/v1/tasks/"+d.id).Str("status") == "unknown" {
		d.s.unknown++
	}
}

// reports has the service say something, and gives the answer.
func (d *taskDay) reports(id, body string) int {
	d.p.t.Helper()
	d.answer = d.s.studio.reports(d.p.t.Context(), d.s.host.address, d.id, d.id+"-"+id, body)
	d.reported++
	if d.at.where == "report" && d.at.n == d.reported {
		d.s.host.killAndWait()
	}
	return d.answer
}

func (d *taskDay) succeeds(answer int) {
	d.p.t.Helper()
	if got := d.reports("end", succeeded(d.id)); got != answer {
		d.p.t.Errorf("the end was answered with %d, not %d", got, answer)
	}
}

// settles answers that work was not done which never reached the service.
func (d *taskDay) settles() {
	d.p.t.Helper()
	if d.s.host.died() == d.died {
		d.p.t.Fatal("nothing was ordered")
	}
	for _, a := range d.p.all("/v1/approvals", "status=open") {
		if a["kind"] == "outcome" {
			d.p.post("/v1/approvals/"+fmt.Sprint(a["id"]), map[string]any{"outcome": "did_not"})
		}
	}
	d.p.waitForTask(d.id, "failed", "cancelled")
}

// waitForTask waits until a task has one of these statuses, and gives it.
func (p *player) waitForTask(id string, statuses ...string) (status string) {
	p.t.Helper()
	testkit.Until(p.t, fmt.Sprintf("the task to be %q", statuses), func() bool {
		status = p.get("/v1/tasks/" + id).Str("status")
		return slices.Contains(statuses, status)
	})
	return status
}

// ends waits until the session has continued: the AI received the outcome of the task, and answered.
func (d *taskDay) ends(is taskPlay) {
	d.p.t.Helper()
	if is.run {
		d.a.waits("COMPLETED")
		return
	}
	d.a.waitsFor("IDLE", func() bool {
		messages := d.p.all(d.a.path("/messages"))
		last, _ := messages[len(messages)-1]["ai_message"].(map[string]any)
		return last["pre_text"] == "So it is." && !d.waits()
	})
}

// waits says whether anything of the work is open.
func (d *taskDay) waits() bool {
	for _, status := range d.executions() {
		if status == "STARTED" || status == "PENDING" || status == "UNKNOWN" {
			return true
		}
	}
	return false
}

// executions are those of the service, by id.
func (d *taskDay) executions() map[string]string {
	found := map[string]string{}
	for _, item := range d.p.all(d.a.path("/timeline")) {
		if x, _ := item["execution"].(map[string]any); x != nil && x["command"] == "FILM.RENDER" {
			found[fmt.Sprint(x["id"])] = fmt.Sprint(x["status"])
		}
	}
	return found
}

func (d *taskDay) check(is taskPlay) {
	t := d.p.t
	t.Helper()
	keys, executions := d.s.studio.ordered(d.id), d.executions()
	if len(executions) != 1 || len(d.p.all("/v1/tasks")) != 1 {
		t.Errorf("%d executions and %d tasks of one order", len(executions), len(d.p.all("/v1/tasks")))
	}
	if is.effect == "non_idempotent" && len(keys) > 1 {
		t.Errorf("it was ordered %d times, and must not be repeated", len(keys))
	}
	status := ""
	for id, s := range executions {
		status = s
		for _, key := range keys {
			if key != id {
				t.Errorf("ordered with the key %s, the execution is %s", key, id)
			}
		}
	}
	delivered := 0
	for _, m := range d.p.all(d.a.path("/messages")) {
		if system, _ := m["system_message"].(map[string]any); system != nil {
			delivered += strings.Count(fmt.Sprint(system["command_results"]), film(d.id))
		}
	}
	task := d.p.get("/v1/tasks/" + d.id)
	switch {
	case d.answer == 200 && task.Str("status") == "succeeded":
		if task.Str("result") != film(d.id) || status != "SUCCESS" || delivered != 1 && !is.run {
			t.Errorf("a success that was acknowledged: the execution is %s, delivered %d times; %s", status, delivered, task.Body)
		}
	case d.answer == 409:
		if task.Str("late.result") != film(d.id) || delivered != 0 {
			t.Errorf("a success that was refused: delivered %d times; %s", delivered, task.Body)
		}
	case delivered != 0, status == "SUCCESS":
		t.Errorf("a success that was not reported: the execution is %s, delivered %d times; %s", status, delivered, task.Body)
	}
}
