package crash

import (
	"bufio"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// clusterTTL is the shortest lease there is.
const clusterTTL = 3 * time.Second

// newCluster starts three nodes on one PostgreSQL, as processes of their own.
func newCluster(t testing.TB) (db app.Database, hosts []*host) {
	t.Helper()
	db = harness.Databases["postgres"](t)
	return db, newNodes(t, db)
}

// newNodes starts three of them on a database.
func newNodes(t testing.TB, db app.Database, env ...string) (hosts []*host) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		hosts = append(hosts, newNodeHost(t, db, name, append(env, "FERMATA_LEASE_TTL="+clusterTTL.String())...))
	}
	for _, h := range hosts {
		h.server()
	}
	return hosts
}

// newClusterPlayer is a client whose every request goes to another node, and which does
// not wait long for one that does not answer.
func newClusterPlayer(t testing.TB, hosts []*host, m *model, ws string, s *scenario) *player {
	p := newPlayer(t, hosts[0], m, ws, s)
	p.hosts, p.http.Timeout = hosts, 2*time.Second
	return p
}

// signal sends a signal to the running process.
func (h *host) signal(s syscall.Signal) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.up != nil && h.up.cmd.Process.Signal(s) == nil
}

// counter reads a metric of a node; 0 when it does not answer.
func (h *host) counter(name string) (value float64) {
	up := h.running()
	if up == nil {
		return 0
	}
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get(up.url + "/metrics")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			_, _ = fmt.Sscan(rest, &value)
		}
	}
	return value
}

// driver finds the node that drives a session at work.
func driver(t testing.TB, db *sql.DB, session string) (node string) {
	t.Helper()
	if err := db.QueryRow("SELECT owner_node FROM sessions WHERE id = $1", session).Scan(&node); err != nil {
		t.Fatal(err)
	}
	return node
}

// A node stalls in the middle of a call. Another one takes its session over within the
// lease and five seconds, and answers. The first one wakes, gets its own answer, and can
// write nothing: the answer is there once.
func TestAStalledNodeCanWriteNothing(t *testing.T) {
	t.Parallel()
	flags, hosts := newCluster(t)
	m := newModel(t)
	p := newClusterPlayer(t, hosts, m, "stall", &scenario{rules: []rule{{text: "That is all.", hold: "gate"}}})
	db, err := sql.Open("postgres", flags.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := p.chat(false)
	c.says("go")
	p.holds("gate")
	first := driver(t, db, c.id)
	var stalled *host
	for _, h := range hosts {
		if h.node == first {
			stalled = h
		}
	}
	stalled.signal(syscall.SIGSTOP)
	defer stalled.signal(syscall.SIGCONT)
	begun := time.Now()
	// It must find out from the database alone: what the others say does not reach it.
	_, err = db.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, "another node to take the session over", func() bool { return driver(t, db, c.id) != first })
	took := time.Since(begun)
	if took > clusterTTL+5*time.Second {
		t.Errorf("the session was taken over after %s", took)
	}
	p.opens("gate")
	c.rests()
	stalled.signal(syscall.SIGCONT)
	testkit.Until(t, "the stalled node's write to be refused", func() bool { return stalled.counter("fermata_fenced_writes_total") > 0 })
	t.Logf("taken over after %s (lease %s)", took.Round(time.Millisecond), clusterTTL)
	answers := 0
	for _, message := range p.record(c) {
		if message.Sender == "AI" {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("the answer is there %d times", answers)
	}
	p.checks()
}

// TestNodesDieAndStallUnderLoad kills and stalls three nodes at random while people talk
// with them and automations run, each request on another node. In the end all that was
// acknowledged is there once, all runs have ended, and nothing fired twice.
func TestNodesDieAndStallUnderLoad(t *testing.T) {
	t.Parallel()
	blows := 6
	if harness.Long {
		blows = 300
	}
	_, hosts := newCluster(t)
	strikeNodes(t, hosts, blows)
}

// TestNodesBehindPgBouncer: the same where the nodes reach the database through a real
// PgBouncer in transaction mode that knows no prepared statements, as Debian 12 has it.
func TestNodesBehindPgBouncer(t *testing.T) {
	t.Parallel()
	blows := 3
	if harness.Long {
		blows = 100
	}
	db := harness.Databases["postgres"](t)
	direct := db.DatabaseURL
	db.DatabaseURL = testkit.PgBouncer(t)(direct)
	strikeNodes(t, newNodes(t, db, "FERMATA_DATABASE_PREPARED=false", "FERMATA_DATABASE_DIRECT_URL="+direct), blows)
}

// strikeNodes is what both of them do.
func strikeNodes(t *testing.T, hosts []*host, blows int) {
	t.Helper()
	load := newLoad(t, hosts, newModel(t))
	for range blows {
		if t.Failed() {
			break
		}
		h := hosts[rand.IntN(len(hosts))]
		h.server()
		load.fenced += h.strike()
	}
	t.Logf("%d blows, %s", blows, load.ends())
}

// load are people who talk with several nodes while automations run on them.
type load struct {
	hosts   []*host
	people  sync.WaitGroup
	players []*player
	runner  *orders
	stop    chan struct{}
	fenced  float64 // stale writes that were refused by nodes that are dead
}

func newLoad(t testing.TB, hosts []*host, m *model) *load {
	t.Helper()
	l := &load{hosts: hosts, stop: make(chan struct{})}
	for i := range 3 {
		p := newClusterPlayer(t, hosts, m, fmt.Sprintf("person-%d", i+1), &scenario{rules: []rule{
			{contains: "zone", round: 1, text: "I make it.", calls: []toolCall{{"CREATE_ZONE", `{"name":"${word}"}`}}},
			{contains: "look", round: 1, text: "Let me look.", calls: []toolCall{{"ZONES", `{}`}, {"APP_STATE", `{}`}}},
			{text: "That is all."},
		}})
		l.players = append(l.players, p)
		l.people.Go(func() { p.talks(i, l.stop) })
	}
	l.runner = newOrders(t, hosts, m)
	l.people.Go(func() { l.runner.runs(l.stop) })
	return l
}

// ends lets them finish, checks the final state, and logs it in numbers.
func (l *load) ends() string {
	close(l.stop)
	l.people.Wait()
	fenced := l.fenced
	for _, h := range l.hosts {
		h.server()
		fenced += h.counter("fermata_fenced_writes_total")
	}
	said := 0
	for _, p := range l.players {
		said += p.counts()
	}
	return fmt.Sprintf("%d messages acknowledged, %d runs, %v stale writes refused", said, l.runner.ended(), fenced)
}

// strike kills the node, or stalls it for longer than its lease, at a random moment. It
// gives the stale writes that a killed node had refused.
func (h *host) strike() float64 {
	time.Sleep(rand.N(300 * time.Millisecond))
	if rand.IntN(2) == 0 {
		fenced := h.counter("fermata_fenced_writes_total")
		h.killAndWait()
		return fenced
	}
	if h.signal(syscall.SIGSTOP) {
		time.Sleep(clusterTTL + rand.N(2*time.Second))
		h.signal(syscall.SIGCONT)
	}
	return 0
}

// orders is a workspace with automations: one that is run by hand, and some that are due
// at one time each.
type orders struct {
	*player
	byHand    string
	scheduled []string
	asked     int
}

func newOrders(t testing.TB, hosts []*host, m *model) *orders {
	o := &orders{player: newClusterPlayer(t, hosts, m, "orders", &scenario{
		settings: map[string]any{"completion_confirmation_delay": "0s"},
		rules:    []rule{{text: "All is well.", calls: []toolCall{{"COMPLETE", `{}`}}}},
	})}
	order := func(more map[string]any) string {
		more["name"], more["seed"] = "Report", map[string]any{"text": "Look around."}
		return o.post("/v1/automations", more).Str("id")
	}
	o.byHand = order(map[string]any{})
	for n := range 4 {
		at := time.Now().UTC().Add(time.Duration(3+3*n) * time.Second).Format("2006-01-02T15:04:05")
		o.scheduled = append(o.scheduled, order(map[string]any{
			"schedule": map[string]any{"type": "once", "expression": at, "time_zone": "UTC"},
		}))
	}
	return o
}

// runs has the automation run by hand, again and again.
func (o *orders) runs(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		o.post("/v1/automations/"+o.byHand+"/execute", nil)
		o.asked++
		testkit.Until(o.t, "the runs to end", func() bool { return unended(o.all("/v1/automations/"+o.byHand+"/executions")) == 0 })
	}
}

// unended counts the runs that go on.
func unended(runs []map[string]any) (n int) {
	for _, run := range runs {
		if run["end_reason"] == nil {
			n++
		}
	}
	return n
}

// ended checks that each run that was asked for and each that was due was carried out
// once, and gives their number.
func (o *orders) ended() (runs int) {
	o.t.Helper()
	count := func(automation string, want int) {
		var all []map[string]any
		testkit.Until(o.t, "the runs to end", func() bool {
			all = o.all("/v1/automations/" + automation + "/executions")
			return len(all) >= want && unended(all) == 0
		})
		if len(all) != want {
			o.t.Errorf("%d runs of one that was to run %d times", len(all), want)
		}
		for _, run := range all {
			if run["end_reason"] != "COMPLETED" {
				o.t.Errorf("a run ended with %v", run["end_reason"])
			}
		}
		runs += len(all)
	}
	count(o.byHand, o.asked)
	for _, automation := range o.scheduled {
		count(automation, 1)
	}
	o.checks()
	o.repeatAll()
	return runs
}
