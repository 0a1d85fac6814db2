package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

// FailoverFiles are the published configuration files, unchanged.
type FailoverFiles struct{ Patroni, HAProxy string }

// Failover is a PostgreSQL cluster of the real programs: two servers, one of them a synchronous standby, each
// managed by Patroni, an etcd for leader election, and an HAProxy that routes to the primary.
type Failover struct {
	t       testing.TB
	dir     string
	as      account
	files   FailoverFiles
	etcd    int // port
	proxy   int
	members [2]*member
	killed  *member
}

// member is one of the two servers with its Patroni.
type member struct {
	name       string
	port, rest int
	patroni    *guarded
}

// failoverMost bounds each wait, to detect hanging.
const failoverMost = 3 * time.Minute

// NewFailover starts the cluster, and waits until the standby is synchronous. It stops with the test.
func NewFailover(t testing.TB, files FailoverFiles) *Failover {
	t.Helper()
	programs := map[string]string{}
	for _, name := range []string{"etcd", "patroni", "haproxy"} {
		if programs[name] = programAt(name); programs[name] == "" {
			t.Skip("there is no " + name + ": install it with scripts/need patroni")
		}
	}
	dir, err := socketFolder()
	if err != nil {
		t.Fatal(err)
	}
	f := &Failover{t: t, dir: dir, files: files, etcd: freePort(t), proxy: freePort(t)}
	if f.as, err = ordinaryUser(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	peer := freePort(t)
	here := func(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
	etcd := guard(t, f.as, f.log("etcd"), programs["etcd"], "--data-dir", filepath.Join(dir, "etcd"),
		"--listen-client-urls", here(f.etcd), "--advertise-client-urls", here(f.etcd), "--listen-peer-urls", here(peer),
		"--initial-advertise-peer-urls", here(peer), "--initial-cluster", "default="+here(peer))
	t.Cleanup(etcd.kill)
	f.until("etcd to respond", func() bool { return answers(here(f.etcd) + "/health") })
	for i := range f.members {
		f.members[i] = &member{name: fmt.Sprint("pg", i+1), port: freePort(t), rest: freePort(t)}
		f.run(f.members[i], programs["patroni"])
	}
	t.Cleanup(func() {
		for _, m := range f.members {
			f.kill(m)
		}
	})
	proxy := guard(t, f.as, f.log("haproxy"), programs["haproxy"], "-db", "-f", f.write("haproxy.cfg", f.proxied()))
	t.Cleanup(proxy.kill)
	t.Cleanup(f.explain)
	f.Settled()
	return f
}

// programAt is the path of a program; "": not found.
func programAt(name string) string {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/bin/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return ""
}

// ports are the ports handed out: two callers must not get the same one before they listen.
var ports = struct {
	sync.Mutex
	taken map[int]bool
}{taken: map[int]bool{}}

// freePort is a port on which no program listens, outside the range for outgoing connections.
func freePort(t testing.TB) int {
	t.Helper()
	for port := 20000 + os.Getpid()%6000; port < 32000; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		ports.Lock()
		taken := ports.taken[port]
		ports.taken[port] = true
		ports.Unlock()
		if err := l.Close(); err == nil && !taken {
			return port
		}
	}
	t.Fatal("there is no free port")
	return 0
}

func (f *Failover) log(name string) string { return filepath.Join(f.dir, name+".log") }

// write writes a file that another user can read.
func (f *Failover) write(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// swapped replaces texts, each of which must occur.
func (f *Failover) swapped(text string, pairs ...string) string {
	f.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			f.t.Fatalf("the file no longer contains %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func (f *Failover) proxied() string {
	text := f.swapped(f.files.HAProxy, "127.0.0.1:5000", fmt.Sprint("127.0.0.1:", f.proxy))
	for i, m := range f.members {
		text = f.swapped(text, fmt.Sprintf("10.0.0.1%d:5432 check port 8008", i+1), fmt.Sprintf("127.0.0.1:%d check port %d", m.port, m.rest))
	}
	return text
}

// run starts the Patroni of a member, which starts its server.
func (f *Failover) run(m *member, program string) {
	f.t.Helper()
	bin, err := binaries()
	if err != nil {
		f.t.Fatal(err)
	}
	if found, err := filepath.EvalSymlinks(filepath.Join(bin, "initdb")); err == nil {
		bin = filepath.Dir(found)
	}
	home := filepath.Join(f.dir, m.name)
	conf := f.swapped(f.files.Patroni, "name: pg1", "name: "+m.name, "10.0.0.11:8008", fmt.Sprint("127.0.0.1:", m.rest),
		"10.0.0.11:5432", fmt.Sprint("127.0.0.1:", m.port), "10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379", fmt.Sprint("127.0.0.1:", f.etcd),
		"/var/lib/postgresql/15/fermata", home, "/usr/lib/postgresql/15/bin", bin, "/var/lib/postgresql/patroni.pgpass", home+".pgpass",
		"ttl: 30", "ttl: 6", "loop_wait: 10", "loop_wait: 1", "retry_timeout: 10", "retry_timeout: 2",
		"hostssl", "host", "10.0.0.0/24 scram-sha-256", "127.0.0.1/32 trust", "peer", "trust",
		"\npostgresql:\n", "\npostgresql:\n  parameters: {unix_socket_directories: "+f.dir+", fsync: \"off\", shared_buffers: 48MB}\n")
	m.patroni = guard(f.t, f.as, f.log(m.name), program, f.write(m.name+".yml", conf))
}

// URL is a database's URL through HAProxy.
func (f *Failover) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", f.proxy, database)
}

// Database creates a database.
func (f *Failover) Database(name string) {
	f.t.Helper()
	if err := f.once("postgres", "CREATE DATABASE "+name); err != nil {
		f.t.Fatal(err)
	}
}

// once executes a statement through HAProxy, on a connection of its own.
func (f *Failover) once(database, statement string) error {
	db, err := sql.Open("postgres", f.URL(database)+"&connect_timeout=1")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// FirstWrite retries until a plain statement succeeds through HAProxy, and returns that time: the end of the
// failover itself.
func (f *Failover) FirstWrite() time.Time {
	f.t.Helper()
	f.until("a plain write", func() bool {
		return f.once("postgres", "CREATE TABLE IF NOT EXISTS probe (n int); INSERT INTO probe VALUES (1)") == nil
	})
	return clock.System()
}

// Settled waits until there is a primary with a synchronous standby: only then can the primary fail without
// loss.
func (f *Failover) Settled() {
	f.t.Helper()
	f.until("a primary with a synchronous standby", func() bool {
		leader := f.leader()
		return leader != nil && answers(f.other(leader).at("/synchronous")) && f.replicates(leader)
	})
}

// KillPrimary kills all processes of the primary and its Patroni with SIGKILL, and returns the time.
func (f *Failover) KillPrimary() time.Time {
	f.t.Helper()
	m := f.leader()
	if m == nil {
		f.t.Fatal("there is no primary")
	}
	at := clock.System()
	f.kill(m)
	f.killed = m
	return at
}

// Rejoin restarts the killed member, once the other one leads.
func (f *Failover) Rejoin() {
	f.t.Helper()
	f.until("another primary", func() bool { return f.leader() == f.other(f.killed) })
	f.run(f.killed, programAt("patroni"))
}

func (f *Failover) leader() *member {
	for _, m := range f.members {
		if answers(m.at("/primary")) {
			return m
		}
	}
	return nil
}

func (f *Failover) other(m *member) *member {
	if m == f.members[0] {
		return f.members[1]
	}
	return f.members[0]
}

func (m *member) at(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", m.rest, path) }

// replicates reports whether the server's commits wait for the standby, by the server's own statistics.
func (f *Failover) replicates(m *member) bool {
	db, err := sql.Open("postgres", fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable&connect_timeout=1", m.port))
	if err != nil {
		return false
	}
	defer func() { _ = db.Close() }()
	var n int
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'").Scan(&n)
	return err == nil && n == 1
}

func (f *Failover) kill(m *member) {
	pids := f.server(m)
	kill(m.patroni.pid)
	for _, pid := range pids { // the first is the parent: no further ones are started
		kill(pid)
	}
	m.patroni.end()
}

// server lists the processes of a member's server, the parent first.
func (f *Failover) server(m *member) []int {
	text, err := os.ReadFile(filepath.Join(f.dir, m.name, "postmaster.pid"))
	if err != nil {
		return nil // there is none
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid < 2 {
		return nil
	}
	if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil && !strings.HasPrefix(string(name), "postgres") {
		return nil // it ended, and another process has its number
	}
	return append([]int{pid}, childrenOf(pid)...)
}

// until is Until with a longer limit.
func (f *Failover) until(what string, holds func() bool) {
	f.t.Helper()
	for deadline := clock.System().Add(failoverMost); !holds(); time.Sleep(untilLast) {
		if clock.System().After(deadline) {
			f.t.Fatalf("not within %s: %s", failoverMost, what)
		}
	}
}

// explain shows the logs of the programs, if the test failed.
func (f *Failover) explain() {
	for _, name := range []string{"etcd", "haproxy", "pg1", "pg2"} {
		if f.t.Failed() {
			f.t.Logf("the end of the log of %s:\n%s", name, tailOf(f.log(name)))
		}
	}
}

func answers(url string) bool {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}
