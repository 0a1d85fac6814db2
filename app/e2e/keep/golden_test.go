package keep

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// TestMakeGolden makes the databases of this version, once, when its schema is released:
// FERMATA_MAKE_GOLDEN=1 go test ./app/e2e/keep -run TestMakeGolden
func TestMakeGolden(t *testing.T) {
	if os.Getenv("FERMATA_MAKE_GOLDEN") == "" {
		return
	}
	schema, err := maintenance.Newest(false)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", fmt.Sprintf("schema-%05d", schema))
	db := harness.Databases["sqlite"](t)
	_, thaw := makeGolden(t, db)
	held := filepath.Join(t.TempDir(), "golden.db")
	if _, err := operate.BackupSQLite(t.Context(), db.SQLitePath(), held); err != nil {
		t.Fatal(err)
	}
	thaw()
	file, err := os.ReadFile(held)
	if err != nil {
		t.Fatal(err)
	}
	compress(t, name+".db.gz", file)
	db = harness.Databases["postgres"](t)
	_, thaw = makeGolden(t, db)
	dump, err := exec.CommandContext(t.Context(), program(t, "pg_dump"), "--no-owner", "--no-privileges", "--inserts", "--dbname="+db.DatabaseURL).Output()
	if err != nil {
		t.Fatal(err)
	}
	thaw()
	compress(t, name+".sql.gz", dump)
	if err := os.WriteFile(name+".at", []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program finds a program of PostgreSQL's where its packages put it.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s is not there: install PostgreSQL", name)
	}
	return found[len(found)-1]
}

func compress(t *testing.T, path string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// golden are the databases in testdata, each with the time of its making.
func golden(t *testing.T, ending string) map[string]time.Time {
	t.Helper()
	found, err := filepath.Glob("testdata/schema-*" + ending)
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no golden databases: %v", err)
	}
	all := map[string]time.Time{}
	for _, path := range found {
		text, err := os.ReadFile(strings.TrimSuffix(path, ending) + ".at")
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		all[path] = at
	}
	return all
}

func uncompressed(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var ofPsql = regexp.MustCompile(`(?m)^\\.*$`)

// installed puts a golden database where a server finds it.
func installed(t *testing.T, path string) app.Database {
	t.Helper()
	db := app.Database{DataDir: t.TempDir()}
	if strings.HasSuffix(path, ".db.gz") {
		if err := os.WriteFile(db.SQLitePath(), uncompressed(t, path), 0o600); err != nil {
			t.Fatal(err)
		}
		return db
	}
	db.DatabaseURL = testkit.Postgres(t)
	pg, err := sql.Open("postgres", db.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pg.Close() }()
	if _, err := pg.ExecContext(t.Context(), ofPsql.ReplaceAllString(string(uncompressed(t, path)), "")); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestGoldenDatabases: the database of every version that was released is brought up to
// date, and this server takes it up and ends every session that is in it.
func TestGoldenDatabases(t *testing.T) {
	for _, ending := range []string{".db.gz", ".sql.gz"} {
		for path, at := range golden(t, ending) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				db := installed(t, path)
				begun, came := time.Now(), eventsTaken(t, db)
				s := harness.NewServer(t, db, func(c *app.Config) {
					c.AllowedHosts = []string{"127.0.0.1"}
					// It is five minutes later, whenever the test runs: what was due is, and nothing is too old.
					c.TestHooks.Clock = func() time.Time { return at.Add(5*time.Minute + time.Since(begun)) }
				})
				for _, ws := range s.Call("GET", "/v1/workspaces?limit=200", nil).Want(200).List("data") {
					endAll(place{s, ws.(map[string]any)["id"].(string)})
				}
				testkit.Until(t, "what the webhook owed has come", func() bool { return came.Load() >= 4 })
				soundEverywhere(s)
			})
		}
	}
}

// endAll answers whatever waits, until every session has ended or rests.
func endAll(p place) {
	p.T.Helper()
	before := len(p.call("GET", "/v1/sessions?limit=200", nil).Want(200).List("data"))
	if before == 0 {
		p.T.Errorf("the workspace %s has no sessions", p.ws)
	}
	var open []string
	defer func() {
		if p.T.Failed() {
			p.T.Logf("in %s there are %v", p.ws, open)
		}
	}()
	testkit.Until(p.T, "every session of "+p.ws+" has ended", func() bool {
		open = nil
		for _, one := range p.call("GET", "/v1/sessions?limit=200", nil).Want(200).List("data") {
			session := one.(map[string]any)
			id, phase := session["id"].(string), session["phase"].(string)
			if phase == "COMPLETED" || phase == "IDLE" && session["type"] == "SEED" {
				continue
			}
			open = append(open, id+" "+phase+" "+session["status"].(string))
			switch phase {
			case "IDLE":
				p.call("POST", "/v1/sessions/"+id+"/stop", nil).Want(200)
			case "WAITING_EXTERNAL_RESULT":
				report(p)
			case "WAITING_NETWORK_RETRY": // it was due, was tried, and failed once more
				p.call("POST", "/v1/sessions/"+id+"/retry", nil)
			default:
				answer(p)
			}
		}
		return len(open) == 0
	})
}

// answer says yes to the oldest question that is open.
func answer(p place) {
	p.T.Helper()
	open := p.call("GET", "/v1/approvals?status=open", nil).Want(200)
	id := open.Str("data.0.id")
	if id == "" {
		return
	}
	body := map[string]any{"approved": true}
	switch open.Str("data.0.kind") {
	case "question":
		body = map[string]any{"value": "red"}
	case "budget":
		body["limit"] = 5
	case "completion":
		body = map[string]any{"confirmed": true}
	}
	if got := p.call("POST", "/v1/approvals/"+id, body); got.Status != 200 && got.Status != 409 { // settled in between
		p.T.Errorf("the answer to %s gave %d: %s", open.Str("data.0.kind"), got.Status, got.Body)
	}
}

// report is the service of a task: it says that the work is done, with what it has kept of
// its secret.
func report(p place) {
	p.T.Helper()
	task := p.call("GET", "/v1/tasks?limit=1", nil).Want(200)
	var secret string
	for _, d := range p.call("GET", "/v1/documents?limit=50", nil).Want(200).List("data") {
		if d := d.(map[string]any); d["title"] == taskSecrets {
			secret = strings.Trim(p.call("GET", "/v1/documents/"+d["id"].(string), nil).Want(200).Str("body"), `"`)
		}
	}
	body := `{"status":"succeeded","result":{"film":"alps.mp4"}}`
	r, err := http.NewRequest(http.MethodPost, p.URL+"/v1/callbacks/"+task.Str("data.0.id"), strings.NewReader(body))
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if err := auth.SignWebhook(r.Header, "evt_1", p.Config.TestHooks.Clock(), []byte(body), secret); err != nil {
		p.T.Fatal(err)
	}
	done, err := http.DefaultClient.Do(r)
	if err != nil {
		p.T.Fatal(err)
	}
	defer func() { _ = done.Body.Close() }()
	if text, _ := io.ReadAll(done.Body); done.StatusCode != http.StatusOK {
		p.T.Fatalf("the callback gave %d: %s", done.StatusCode, text)
	}
}

// moveWebhook changes the address of the golden database's webhook, whose port may be taken today.
func moveWebhook(t *testing.T, db app.Database, address string) {
	t.Helper()
	driver, source := "sqlite", db.SQLitePath()
	if db.DatabaseURL != "" {
		driver, source = "postgres", db.DatabaseURL
	}
	raw, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	done, err := raw.ExecContext(t.Context(), "UPDATE webhooks SET url = REPLACE(url, $1, $2)", hookAddress, address)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%d webhooks, %v", n, err)
	}
}

// eventsTaken counts the events received at the address of the golden database's webhook, which was unreachable when
// the database was created.
func eventsTaken(t *testing.T, db app.Database) *atomic.Int64 {
	t.Helper()
	var came atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	moveWebhook(t, db, listener.Addr().String())
	far := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Add(1) })}
	go func() { _ = far.Serve(listener) }() // until it is closed
	t.Cleanup(func() { _ = far.Close() })
	return &came
}

// soundEverywhere: no invariant is broken in any workspace.
func soundEverywhere(s *harness.Server) {
	s.T.Helper()
	for _, ws := range s.Call("GET", "/v1/workspaces?limit=200", nil).Want(200).List("data") {
		p := place{s, ws.(map[string]any)["id"].(string)}
		for _, i := range p.call("GET", "/v1/admin/invariants", nil).Want(200).List("data") {
			if row := i.(map[string]any); row["count"] != 0.0 {
				s.T.Errorf("in %s the invariant %s: %v", p.ws, row["name"], row["count"])
			}
		}
	}
}
