package keep

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository/keep"
)

// acknowledged are the messages that clients were told are stored.
type acknowledged struct {
	mu  sync.Mutex
	all []string
}

func (a *acknowledged) add(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, id)
}

// now are those up to this instant.
func (a *acknowledged) now() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clip(a.all)
}

// TestBackupsUnderLoad: while chats go on, backup after backup is taken. Each restores, has
// every message that was acknowledged before it was begun, and breaks no invariant.
func TestBackupsUnderLoad(t *testing.T) {
	backups := 6
	if harness.Long {
		backups = 60
	}
	db := harness.Databases["sqlite"](t)
	s := harness.NewServer(t, db)
	var told acknowledged
	stop := make(chan struct{})
	var talking sync.WaitGroup
	for i := range 4 {
		p := made(s, fmt.Sprintf("load-%d", i), `[{"answer": {"text": "So it is."}}]`, nil)
		chat := p.chat()
		talking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				answer := p.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "and on"})
				if answer.Status == 202 {
					told.add(answer.Str("message.id"))
				}
			}
		})
	}
	type taken struct {
		file   string
		before []string
	}
	var all []taken
	dir := t.TempDir()
	for i := range backups {
		last := len(told.now())
		testkit.Until(t, "the chats go on", func() bool { return len(told.now()) >= last+10 })
		one := taken{filepath.Join(dir, fmt.Sprintf("%d.db", i)), told.now()}
		if _, err := keep.BackupSQLite(t.Context(), db.SQLitePath(), one.file); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	close(stop)
	talking.Wait()
	s.Stop()
	for _, one := range all {
		into := app.Database{DataDir: t.TempDir()}
		newest, err := keep.Newest(false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keep.RestoreSQLite(t.Context(), one.file, into.SQLitePath(), newest, time.Now()); err != nil {
			t.Fatal(err)
		}
		holds(t, into, one.before)
	}
	t.Logf("%d backups, the last one after %d acknowledged messages", len(all), len(all[len(all)-1].before))
}

// holds: the restored database has these messages, and no invariant is broken in it once a
// server has taken it up.
func holds(t *testing.T, db app.Database, messages []string) {
	t.Helper()
	there := map[string]bool{}
	for _, id := range column(t, db, "SELECT id FROM messages") {
		there[id] = true
	}
	for _, id := range messages {
		if !there[id] {
			t.Errorf("the message %s was acknowledged, and is not in the backup", id)
		}
	}
	s := harness.NewServer(t, db)
	soundEverywhere(s)
	s.Stop()
}

func column(t *testing.T, db app.Database, query string) (all []string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+db.SQLitePath())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := file.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
