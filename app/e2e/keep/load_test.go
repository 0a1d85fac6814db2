package keep

import (
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/operate"
)

// acknowledged are the messages that the server acknowledged as stored.
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

// TestBackupsUnderLoad: while chats go on, backup after backup is taken as an operator does, in the
// long run one every second for a minute. Each restores, has every message that was acknowledged
// before it was begun, and breaks no invariant.
func TestBackupsUnderLoad(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := harness.NewServer(t, db)
		var stored acknowledged
		stop := make(chan struct{})
		var talking sync.WaitGroup
		for i := range 4 {
			p := made(s, fmt.Sprintf("load-%d", i), `[{"answer": {"text": "So it is."}}]`, nil)
			talking.Go(func() { p.talksOn(&stored, stop) })
		}
		all := backups(t, db, &stored)
		close(stop)
		talking.Wait()
		s.Stop()
		for _, one := range all {
			into := harness.FreshCopy(t, db)
			if err := (&operate.Restore{Database: into, File: one.file}).Run(t.Context(), io.Discard); err != nil {
				t.Fatal(err)
			}
			holds(t, into, one.before)
		}
		t.Logf("%d backups, the last one after %d acknowledged messages", len(all), len(all[len(all)-1].before))
	})
}

// talksOn says one thing after the other, in chats that are not yet long.
func (p place) talksOn(stored *acknowledged, stop <-chan struct{}) {
	for chat, n := "", 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond): // as fast as it goes, sixty archives would be all that the machine does
		}
		if n%200 == 0 {
			chat = p.chat()
		}
		answer := p.call("POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "and on"})
		if answer.Status == 202 {
			stored.add(answer.Str("message.id"))
		}
	}
}

// taken is a backup, and what was acknowledged before it was begun.
type taken struct {
	file   string
	before []string
}

func backups(t *testing.T, db app.Database, stored *acknowledged) (all []taken) {
	t.Helper()
	dir, most := t.TempDir(), 4
	every := time.NewTicker(time.Second)
	defer every.Stop()
	if harness.Long {
		most = 60
	}
	for i := range most {
		if harness.Long {
			<-every.C
		}
		last := len(stored.now())
		testkit.Until(t, "the chats to continue", func() bool { return len(stored.now()) >= last+10 })
		one := taken{filepath.Join(dir, fmt.Sprint(i)), stored.now()}
		if err := (&operate.Backup{Database: db, Target: one.file}).Run(t.Context(), io.Discard); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
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
	driver, at := "sqlite", "file:"+db.SQLitePath()
	if db.DatabaseURL != "" {
		driver, at = "postgres", db.DatabaseURL
	}
	file, err := sql.Open(driver, at)
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
