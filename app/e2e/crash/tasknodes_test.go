package crash

import (
	"database/sql"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// taskNodes is a service that works for sessions of three nodes.
type taskNodes struct {
	t      *testing.T
	db     *sql.DB
	hosts  []*host
	model  *model
	studio *studio
}

func newTaskNodes(t *testing.T) *taskNodes {
	flags, hosts := newCluster(t)
	db, err := sql.Open("postgres", flags.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &taskNodes{t: t, db: db, hosts: hosts, model: newModel(t), studio: newStudio(t)}
}

// player is a client whose workspace has the service.
func (n *taskNodes) player(ws string, rules ...rule) *player {
	n.t.Helper()
	p := newClusterPlayer(n.t, n.hosts, n.model, ws, &scenario{rules: append(rules, taskRules(false)...)})
	p.try("POST", "/v1/connectors", "", n.studio.connector("non_idempotent", "1h")).Want(201)
	return p
}

// driving is the node that drives a session, and another one.
func (n *taskNodes) driving(session string) (it, other *host) {
	n.t.Helper()
	node := driver(n.t, n.db, session)
	for _, h := range n.hosts {
		if h.node == node {
			it = h
		} else {
			other = h
		}
	}
	if it == nil {
		n.t.Fatalf("no node is called %q", node)
	}
	return it, other
}

// results counts the results of a task in the record.
func (p *player) results(c *dialogue, task string) (n int) {
	p.t.Helper()
	for _, m := range p.all(c.path("/messages")) {
		if system, _ := m["system_message"].(map[string]any); system != nil {
			n += strings.Count(fmt.Sprint(system["command_results"]), film(task))
		}
	}
	return n
}

// TestACallbackAtAnotherNode: while one node drives the session, the service reports to another. The report is
// processed once, by the node that drives it.
func TestACallbackAtAnotherNode(t *testing.T) {
	t.Parallel()
	n := newTaskNodes(t)
	p := n.player("elsewhere", rule{contains: "meanwhile", text: "One two three.", hold: "gate"})
	a := p.chat(false)
	a.says("a film")
	a.rests()
	task := p.all("/v1/tasks")[0]["id"].(string)
	a.says("meanwhile")
	p.holds("gate")
	it, other := n.driving(a.id)
	for _, body := range []string{`{"status":"running","progress":{"percent":50}}`, succeeded(task)} {
		if got := n.studio.reports(t.Context(), other.address, task, "of "+body, body); got != 200 {
			t.Errorf("%s at node %s was answered with %d", body, other.node, got)
		}
	}
	if again := n.studio.reports(t.Context(), it.address, task, "again", succeeded(task)); again != 200 {
		t.Errorf("the same at node %s was answered with %d", it.node, again)
	}
	p.waitForTask(task, "succeeded")
	p.opens("gate")
	a.waitsFor("IDLE", func() bool { return p.results(a, task) == 1 && p.run.counted() >= 3 })
	if keys := n.studio.ordered(task); len(keys) != 1 {
		t.Errorf("it was ordered %d times", len(keys))
	}
	p.checks()
}

// TestAStalledNodeThatHoldsATask: the node that started the task stops before it learns that it was accepted.
// Another one continues with an unknown outcome; the service's report settles it. When the first one resumes it
// writes nothing, and starts nothing again.
func TestAStalledNodeThatHoldsATask(t *testing.T) {
	t.Parallel()
	n := newTaskNodes(t)
	p := n.player("stalled")
	a := p.chat(false)
	stopped := make(chan *host, 1)
	n.studio.arm(point{"stopped", 1}, func() {
		it, _ := n.driving(a.id)
		it.signal(syscall.SIGSTOP)
		stopped <- it
	})
	a.says("a film")
	stalled := <-stopped
	defer stalled.signal(syscall.SIGCONT)
	var task string
	testkit.Until(t, "another node to record an unknown outcome", func() bool {
		all := p.all("/v1/tasks")
		if len(all) > 0 {
			task = all[0]["id"].(string)
		}
		return len(all) > 0 && all[0]["status"] == "unknown"
	})
	_, other := n.driving(a.id)
	if other == stalled {
		other, _ = n.driving(a.id)
	}
	if got := n.studio.reports(t.Context(), other.address, task, "end", succeeded(task)); got != 200 {
		t.Errorf("the end was answered with %d", got)
	}
	a.waitsFor("IDLE", func() bool { return p.results(a, task) == 1 })
	stalled.signal(syscall.SIGCONT)
	testkit.Until(t, "the stalled node's write to be refused", func() bool { return stalled.counter("fermata_fenced_writes_total") > 0 })
	a.rests()
	if keys := n.studio.ordered(task); len(keys) != 1 || p.results(a, task) != 1 {
		t.Errorf("ordered %d times, reported %d times", len(keys), p.results(a, task))
	}
	if got := p.waitForTask(task, "succeeded"); got != "succeeded" || len(p.all("/v1/approvals", "status=open")) != 0 {
		t.Errorf("the task is %s, open: %v", got, p.all("/v1/approvals", "status=open"))
	}
	p.checks()
}

// TestATaskOfAnotherWorkspace: neither the keys of another workspace nor the secret of its
// service reach a task, at whichever node. Nothing of it changes.
func TestATaskOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	n := newTaskNodes(t)
	p := n.player("mine")
	a := p.chat(false)
	a.says("a film")
	a.rests()
	before := p.get("/v1/tasks").Body
	task := p.all("/v1/tasks")[0]["id"].(string)
	stranger := &studio{t: t, secret: auth.NewWebhookSecret()}
	for _, h := range n.hosts {
		h.server()
		if got := stranger.reports(t.Context(), h.address, task, "end", succeeded(task)); got != 401 {
			t.Errorf("signed by another service, node %s answered %d", h.node, got)
		}
		if got := n.studio.reports(t.Context(), h.address, task+"0", "end", succeeded(task)); got != 404 {
			t.Errorf("of a task that is not there, node %s answered %d", h.node, got)
		}
	}
	other := n.player("theirs")
	for range n.hosts { // each request goes to another node
		other.try("GET", "/v1/tasks/"+task, "", nil).Problem(404, "not_found")
		other.try("POST", "/v1/tasks/"+task+"/cancel", "", nil).Problem(404, "not_found")
	}
	if after := p.get("/v1/tasks").Body; string(after) != string(before) {
		t.Errorf("the task was\n%s\nand is\n%s", before, after)
	}
	p.checks()
}
