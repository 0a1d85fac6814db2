package crash

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestThreeNodesAreUpgraded: this version behind our nginx becomes, node by node, a next one that adds
// a column to every table, while people talk through the proxy. From the first of them on the others
// work on a schema that they do not know. Nothing that was taken is lost or there twice, the stream has no
// gap, and a program of the version before does not start any more, and says why.
func TestThreeNodesAreUpgraded(t *testing.T) {
	t.Parallel()
	messages := 160
	if harness.Long {
		messages = 1000
	}
	older, next := built(t, "older"), built(t, "next", "-tags", "nextschema")
	db := harness.Databases["postgres"](t)
	var hosts []*host
	var upstreams []string
	for _, name := range []string{"a", "b", "c"} {
		h := &host{t: t, db: db, node: name, program: older, listen: freeAddress(t), env: []string{
			"FERMATA_LEASE_TTL=" + clusterTTL.String(), "FERMATA_ROOT_KEY=" + proxiedKey, "FERMATA_SCRIPT_PROVIDER=true"}}
		hosts = append(hosts, begun(h))
		upstreams = append(upstreams, "server "+h.listen+" max_fails=1 fail_timeout=5s;")
	}
	for _, h := range hosts {
		h.server()
	}
	url, _ := deployedNginx(t, upstreams)
	talk := newTalk(t, url, messages)
	first := talk.people[0]
	ctx, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { first.listen(ctx, talk.chats[0]) })
	talk.begins()
	for n, h := range hosts {
		talk.waitsFor((n + 1) * messages / 5)
		h.upgrades(next)
		if n == 0 {
			refusesToStart(t, older, db)
		}
	}
	talk.ends()
	testkit.Until(t, "every answer of a chat to arrive", func() bool { return first.answers() == talk.each })
	cancel()
	listening.Wait()
	first.unbroken()
	t.Logf("%d messages; the stream was opened again %d times", talk.said.Load(), first.cuts)
}

// built makes the program.
func built(t *testing.T, name string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := append(append([]string{"build", "-o", path}, flags...), "github.com/fermata-dev/fermata/cmd/fermata")
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released; the build cache has most of it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// upgrades ends the server in good order, and waits for the next one of another program.
func (h *host) upgrades(program string) {
	h.t.Helper()
	old := h.server()
	h.change(func() { h.program = program })
	h.signal(syscall.SIGTERM)
	<-old.gone
	testkit.Until(h.t, "the next version to serve", func() bool { up := h.running(); return up != nil && up != old })
}

// refusesToStart: a program does not touch a database that a later one has changed.
func refusesToStart(t *testing.T, program string, db app.Database) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "serve", "--listen=127.0.0.1:0", "--data-dir="+t.TempDir())
	cmd.Env = append(cmd.Environ(), "FERMATA_DATABASE_URL="+db.DatabaseURL, "FERMATA_NODE_ID=late")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "made by a newer Fermata") {
		t.Errorf("the older program says: %v\n%s", err, out)
	}
	pg, err := sql.Open("postgres", db.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pg.Close() }()
	var columns int
	err = pg.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.columns WHERE column_name = 'next_note'").Scan(&columns)
	if err != nil || columns < 20 {
		t.Errorf("%d tables have the next version's column: %v", columns, err)
	}
}

// talk are people who talk at the same time, each in a workspace of their own.
type talk struct {
	t      testing.TB
	people []*proxied
	chats  []string
	each   int
	said   atomic.Int64
	all    sync.WaitGroup
}

func newTalk(t *testing.T, url string, messages int) *talk {
	t.Helper()
	k, first := &talk{t: t, each: messages / 8}, &proxied{t: t, url: url}
	for i := range 8 {
		p := &proxied{t: t, url: url, ws: fmt.Sprint("talk-", i), ai: map[string]bool{}}
		first.call("POST", "/v1/workspaces", fmt.Sprintf(`{"id":%q}`, p.ws))
		p.scripted()
		k.people = append(k.people, p)
		k.chats = append(k.chats, p.call("POST", "/v1/sessions", `{}`)["id"].(string))
	}
	return k
}

func (k *talk) begins() {
	for n, p := range k.people {
		k.all.Go(func() {
			for i := range k.each {
				p.call("POST", "/v1/sessions/"+k.chats[n]+"/messages", fmt.Sprintf(`{"text":"number %d","if_busy":"enqueue"}`, i))
				k.said.Add(1)
			}
		})
	}
}

// waitsFor waits until so many messages were taken: as long as there are ever more.
func (k *talk) waitsFor(n int) {
	k.t.Helper()
	for have := int64(-1); have < int64(n); {
		before := have
		testkit.Until(k.t, "more messages to be taken", func() bool { have = k.said.Load(); return have > before })
	}
}

// ends waits until all was said and answered, and looks whether each is there once.
func (k *talk) ends() {
	k.t.Helper()
	k.all.Wait()
	for n, p := range k.people {
		said := map[string]int{"AI": -1}
		for said["AI"] < k.each {
			before := said["AI"]
			testkit.Until(k.t, "more messages to be answered", func() bool { said = p.record(k.chats[n]); return said["AI"] > before })
		}
		for i := range k.each {
			if n := said[fmt.Sprint("number ", i)]; n != 1 {
				k.t.Errorf("number %d is in the record %d times", i, n)
			}
		}
		if said["AI"] != k.each || said["USER"] != k.each {
			k.t.Errorf("%d were said and %d answered, want %d of each", said["USER"], said["AI"], k.each)
		}
		for _, i := range p.call("GET", "/v1/admin/invariants", "")["data"].([]any) {
			if row := i.(map[string]any); row["count"] != 0.0 {
				k.t.Errorf("invariant %v: %v", row["name"], row["count"])
			}
		}
	}
}

// record counts in a chat who said something, and what people said.
func (p *proxied) record(chat string) map[string]int {
	p.t.Helper()
	said := map[string]int{}
	for after := ""; ; {
		page := p.call("GET", "/v1/sessions/"+chat+"/messages?limit=200&after="+after, "")
		for _, one := range page["data"].([]any) {
			m := one.(map[string]any)
			said[m["sender"].(string)]++
			if rich, ok := m["rich_content"].(map[string]any); ok {
				said[rich["linear_text"].(string)]++
			}
		}
		if after, _ = page["next_cursor"].(string); after == "" {
			return said
		}
	}
}

// unbroken checks that the received events have no gap.
func (p *proxied) unbroken() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 1; i < len(p.seqs); i++ {
		if p.seqs[i] != p.seqs[i-1]+1 {
			p.t.Fatalf("event %d came after event %d", p.seqs[i], p.seqs[i-1])
		}
	}
}
