package crash

import (
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestThePrimaryIsKilled: three nodes on a PostgreSQL with a synchronous standby, which Patroni,
// etcd and HAProxy keep as docs/scaling.md shows. Its primary is killed again and again while
// people talk and automations run. Nothing that was acknowledged is lost or there twice, and the
// nodes go on as soon as a plain program could write again.
func TestThePrimaryIsKilled(t *testing.T) {
	t.Parallel()
	kills := 1
	if harness.Long {
		kills = 20
	}
	f := testkit.NewFailover(t, deployedFailover(t))
	f.Database("fermata")
	hosts := newNodes(t, app.Database{DataDir: t.TempDir(), DatabaseURL: f.URL("fermata")})
	m := newModel(t)
	load := newLoad(t, hosts, m)
	writer, talker := newPaced(t, hosts, m, "writer"), newPaced(t, hosts, m, "talker")
	load.people.Go(func() {
		writer.does(load.stop, func() { writer.try("PATCH", "/v1/settings", "", map[string]any{"misfire_grace": "1m"}).Want(200) })
	})
	load.people.Go(func() {
		talker.does(load.stop, talker.rounds)
	})
	var plain, own, rounds []time.Duration
	for n := range kills {
		if n > 0 {
			f.Rejoin()
			f.Settled()
		}
		talker.after(time.Now())
		killed := f.KillPrimary()
		over := f.FirstWrite()
		plain = append(plain, over.Sub(killed))
		own = append(own, writer.after(killed).Sub(over))
		rounds = append(rounds, talker.after(killed).Sub(over))
		t.Logf("a plain write after %s, the nodes' %s later, a whole round %s later", plain[len(plain)-1].Round(time.Millisecond),
			own[len(own)-1].Round(time.Millisecond), rounds[len(rounds)-1].Round(time.Millisecond))
	}
	summary := load.ends()
	talker.checks()
	talker.repeatAll()
	t.Logf("%d failovers, %s, and %d rounds one after the other", kills, summary, len(talker.done))
	t.Logf("a plain write after %s (median); the nodes' first one at most %s later, a whole round at most %s later",
		median(plain).Round(time.Millisecond), slices.Max(own).Round(time.Millisecond), slices.Max(rounds).Round(time.Millisecond))
	if most := clusterTTL + 5*time.Second; slices.Max(own) > most || slices.Max(rounds) > most {
		t.Errorf("the nodes went on more than %s after the database did", most)
	}
}

// deployedFailover are the files that we give to people.
func deployedFailover(t *testing.T) (files testkit.FailoverFiles) {
	t.Helper()
	for path, into := range map[string]*string{"patroni/patroni.yml": &files.Patroni, "haproxy/haproxy.cfg": &files.HAProxy} {
		text, err := os.ReadFile("../../../deploy/" + path)
		if err != nil {
			t.Fatal(err)
		}
		*into = string(text)
	}
	return files
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// paced is a client that does one thing again and again, and knows when each was done.
type paced struct {
	*player
	mu   sync.Mutex
	done []time.Time
}

func (p *paced) does(stop <-chan struct{}, what func()) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(30 * time.Millisecond):
		}
		what()
		p.mu.Lock()
		p.done = append(p.done, time.Now())
		p.mu.Unlock()
	}
}

// rounds is a message and its answer, in a chat that is not yet long.
func (p *paced) rounds() {
	p.t.Helper()
	if len(p.done)%50 == 0 {
		p.chat(false)
	}
	c := p.chats[len(p.chats)-1]
	c.says("and on")
	c.rests()
}

// after waits for an operation that succeeds after a primary was killed, and returns the time. An operation that
// returns within half a second was done before: no standby is promoted so soon.
func (p *paced) after(killed time.Time) (first time.Time) {
	p.t.Helper()
	testkit.Until(p.t, "the nodes to go on", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		i, _ := slices.BinarySearchFunc(p.done, killed.Add(time.Second/2), time.Time.Compare)
		if i == len(p.done) {
			return false
		}
		first = p.done[i]
		return true
	})
	return first
}

// newPaced has a workspace of its own.
func newPaced(t testing.TB, hosts []*host, m *model, name string) *paced {
	return &paced{player: newClusterPlayer(t, hosts, m, name, &scenario{rules: []rule{{text: "That is all."}}})}
}
