package testkit

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq" // the driver
)

// server is the only PostgreSQL server of a test binary. The first test that needs a database starts it.
var server struct {
	once sync.Once
	pg   *postgres
	err  error

	mu        sync.Mutex
	databases int
	templates map[string]string // name of a template, and of its database
}

// Postgres returns the URL of an empty database of the test's own, on a server that
// this test binary starts for itself. It never skips: what cannot be started fails
// the test and says what to install. The binary's TestMain must call StopPostgres.
func Postgres(t testing.TB) (url string) {
	t.Helper()
	server.mu.Lock()
	defer server.mu.Unlock()
	return newDatabase(t, "")
}

// PostgresCopy returns the URL of a database of the test's own, copied from a template. The first
// caller with a name makes the template: fill gets the URL of an empty database and must have
// closed every connection to it when it returns.
func PostgresCopy(t testing.TB, template string, fill func(url string)) (url string) {
	t.Helper()
	server.mu.Lock()
	defer server.mu.Unlock()
	if _, ok := server.templates[template]; !ok {
		empty := newDatabase(t, "")
		fill(empty)
		if server.templates == nil {
			server.templates = map[string]string{}
		}
		server.templates[template] = fmt.Sprintf("test_%d", server.databases)
	}
	return newDatabase(t, server.templates[template])
}

// newDatabase creates the next database, as a copy of another one unless that is "". The caller
// holds server.mu.
func newDatabase(t testing.TB, copied string) (url string) {
	t.Helper()
	server.once.Do(func() {
		p := &postgres{}
		if server.err = startPostgres(p); server.err == nil {
			server.pg = p
		}
	})
	if server.err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", server.err)
	}
	server.databases++
	name := fmt.Sprintf("test_%d", server.databases)
	if err := server.pg.create(name, copied); err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
	return server.pg.url(name)
}

// OwnPostgres starts a server for this test only, with settings ("name=value"). It stops with the test.
func OwnPostgres(t testing.TB, settings ...string) (url string) {
	t.Helper()
	return own(t, &postgres{settings: settings})
}

// StandbyPostgres starts a standby of a primary that does not exist: it can be read, and rejects writes.
func StandbyPostgres(t testing.TB) (url string) {
	t.Helper()
	return own(t, &postgres{standby: true})
}

func own(t testing.TB, p *postgres) (url string) {
	t.Helper()
	if err := startPostgres(p); err != nil {
		t.Fatalf("no PostgreSQL for this test: %v", err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	return p.url("postgres")
}

// PostgresSocket is the address at which the server of Postgres listens.
func PostgresSocket() (network, address string) {
	return "unix", filepath.Join(server.pg.dir, ".s.PGSQL.5432")
}

// StopPostgres stops the server, if a test started it, and removes its files.
func StopPostgres() error {
	if server.pg == nil {
		return nil
	}
	return server.pg.stop()
}

type postgres struct {
	settings []string
	standby  bool

	dir   string // of data, socket and log
	cmd   *exec.Cmd
	stdin io.Closer // closing it stops the server, also when this process is killed
	log   *bytes.Buffer
}

// binaries finds the folder of the server's programs: PGBIN, the PATH, or the folder of Debian's packages.
func binaries() (string, error) {
	if dir := os.Getenv("PGBIN"); dir != "" {
		return dir, nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("the programs initdb and postgres were not found: install PostgreSQL (apt-get install postgresql) or set PGBIN to their folder")
	}
	sort.Strings(found)
	return filepath.Dir(found[len(found)-1]), nil
}

func startPostgres(p *postgres) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	// A socket's path must be short, so it is not within the test's folder.
	if p.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return fmt.Errorf("create a folder for PostgreSQL: %w", err)
	}
	p.log = &bytes.Buffer{}
	if err := p.start(bin); err != nil {
		return errors.Join(err, p.stop())
	}
	return nil
}

func (p *postgres) start(bin string) error {
	user, err := ordinaryUser(p.dir)
	if err != nil {
		return err
	}
	data := filepath.Join(p.dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8",
		"--locale=C", "-D", data)
	user.run(initdb)
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if p.standby {
		if err := os.WriteFile(filepath.Join(data, "standby.signal"), nil, 0o644); err != nil { // another user reads it
			return fmt.Errorf("make the server a standby: %w", err)
		}
	}
	// The shell stops the server when its standard input ends, so that a killed test leaves no process.
	p.cmd = exec.Command("/bin/sh", "-c", `"$0" "$@" & pid=$!; read -r _; kill -INT $pid; wait $pid`,
		filepath.Join(bin, "postgres"), "-D", data, "-k", p.dir, "-c", "listen_addresses=", "-c", "fsync="+durable(),
		"-c", "full_page_writes="+durable(), "-c", "max_connections=300", "-c", "shared_buffers=64MB",
		"-c", "autovacuum="+durable())
	for _, setting := range p.settings {
		p.cmd.Args = append(p.cmd.Args, "-c", setting)
	}
	user.run(p.cmd)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return fmt.Errorf("initialise the server: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	return p.ready()
}

// durable is whether the server waits for the disk, and does what else a server does that
// keeps its data: only where a benchmark asks for it by FERMATA_TEST_FSYNC=on.
func durable() string {
	if os.Getenv("FERMATA_TEST_FSYNC") == "on" {
		return "on"
	}
	return "off"
}

// ready waits until the server accepts connections.
func (p *postgres) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db, err := sql.Open("postgres", p.url("postgres"))
	if err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	defer func() { _ = db.Close() }()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		pause := time.NewTimer(20 * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("the server did not respond in 30 s: %w", err)
		}
	}
}

func (p *postgres) create(name, copied string) error {
	db, err := sql.Open("postgres", p.url("postgres"))
	if err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	defer func() { _ = db.Close() }()
	statement := "CREATE DATABASE " + name
	if copied != "" {
		statement += " TEMPLATE " + copied
	}
	if _, err := db.Exec(statement); err != nil {
		return fmt.Errorf("create a database: %w", err)
	}
	return nil
}

func (p *postgres) url(database string) string {
	q := url.Values{"host": {p.dir}, "user": {"postgres"}, "sslmode": {"disable"}}
	return "postgres:///" + database + "?" + q.Encode()
}

func (p *postgres) stop() error {
	var all []error
	if p.stdin != nil {
		all = append(all, p.stdin.Close())
	}
	if p.cmd != nil && p.cmd.Process != nil {
		// The exit status of a stopped server does not matter.
		_ = p.cmd.Wait()
	}
	return errors.Join(append(all, os.RemoveAll(p.dir))...)
}
