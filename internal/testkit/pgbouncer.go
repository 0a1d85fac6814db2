package testkit

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// poolerConf: transaction mode, and fewer connections than clients. Nobody is asked who they are: it listens in a folder of the
// test's own.
const poolerConf = `[databases]
* = host=%[1]s user=postgres
[pgbouncer]
pool_mode = transaction
default_pool_size = 6
max_client_conn = 500
auth_type = any
listen_addr =
listen_port = 6432
unix_socket_dir = %[2]s
`

// PgBouncer puts a real PgBouncer in transaction mode before the server of Postgres, and says
// how a database that Postgres gave is reached through it.
func PgBouncer(t testing.TB) (through func(direct string) string) {
	t.Helper()
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		if binary, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Skip("there is no PgBouncer: scripts/need pgbouncer installs it")
		}
	}
	_ = Postgres(t) // the server runs
	dir, err := socketFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	conf, log := filepath.Join(dir, "conf"), &bytes.Buffer{}
	if err := os.WriteFile(conf, fmt.Appendf(nil, poolerConf, server.pg.dir, dir), 0o644); err != nil { // another user reads it
		t.Fatal(err)
	}
	user, err := ordinaryUser(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The shell ends it when its standard input ends, so that a killed test leaves nothing.
	cmd := exec.Command("/bin/sh", "-c", `"$0" "$@" & pid=$!; read -r _; kill -TERM $pid; wait $pid`, binary, conf)
	user.run(cmd)
	cmd.Stdout, cmd.Stderr = log, log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // how it says that it was ended does not matter
	})
	through = func(direct string) string {
		u, err := url.Parse(direct)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		q.Set("host", dir)
		q.Set("port", "6432")
		u.RawQuery = q.Encode()
		return u.String()
	}
	poolerAnswers(t, through(server.pg.url("postgres")), log)
	return through
}

// socketFolder is not the test's own: a socket's path must be short.
func socketFolder() (string, error) { return os.MkdirTemp("", "pool") }

func poolerAnswers(t testing.TB, address string, log *bytes.Buffer) {
	t.Helper()
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for db.PingContext(ctx) != nil {
		pause := time.NewTimer(20 * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			t.Fatalf("PgBouncer does not answer:\n%s", log)
		}
	}
}
