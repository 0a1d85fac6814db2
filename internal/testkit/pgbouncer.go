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

// poolerConf: transaction mode, and fewer connections than clients. There is no authentication, because it
// listens in a private folder of the test.
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

// PgBouncer starts a real PgBouncer in transaction mode for the server of Postgres, and returns a function
// that converts a URL of Postgres to one through it.
func PgBouncer(t testing.TB) (through func(direct string) string) {
	t.Helper()
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		if binary, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Skip("there is no PgBouncer: install it with scripts/need pgbouncer")
		}
	}
	_ = Postgres(t) // starts the server
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
	// The shell stops it when its standard input ends, so that a killed test leaves no process.
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
		_ = cmd.Wait() // its exit status does not matter
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

// socketFolder is not within the test's folder: a socket's path must be short.
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
			t.Fatalf("PgBouncer does not respond:\n%s", log)
		}
	}
}
