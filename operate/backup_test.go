package operate_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository"
)

var restoredAt = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// TestABackupIsTakenWhileOthersWrite verifies that a backup contains at least everything written before it began,
// that only its owner may read the file, and that it restores to the same database.
func TestABackupIsTakenWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "odd name %41 ?#.db")
	s := opened(t, repository.Config{Path: path})
	written, stop := make(chan int, 1_000), make(chan struct{})
	go func() {
		defer close(written)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				addWorkspace(t, s, fmt.Sprintf("w%d", i))
				written <- i + 1
			}
		}
	}()
	for i := range 3 {
		before := <-written
		target := filepath.Join(dir, fmt.Sprintf("backup %d.db", i))
		held, err := operate.BackupSQLite(t.Context(), path, target)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 || info.Size() != held.Bytes {
			t.Errorf("the file is %v, %v", info, err)
		}
		if held.Workspaces < int64(before) {
			t.Errorf("%d workspaces were written, and %d are in the backup", before, held.Workspaces)
		}
		into := filepath.Join(t.TempDir(), "fermata.db")
		if _, err := operate.RestoreSQLite(t.Context(), target, into, held.Schema, restoredAt, false); err != nil {
			t.Fatal(err)
		}
		if n := workspaces(t, opened(t, repository.Config{Path: into})); int64(n) != held.Workspaces {
			t.Errorf("%d workspaces came back of %d", n, held.Workspaces)
		}
	}
	close(stop)
	for range written { // until the writer has ended
	}
	if _, err := operate.BackupSQLite(t.Context(), path, filepath.Join(dir, "backup 0.db")); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("a second backup of one name gave %v", err)
	}
	noParts(t, dir)
}

// noParts: nothing half done was left.
func noParts(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*part*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestARestoreKeepsWhatWasThere: also what stands in the journal of a server that was killed.
func TestARestoreKeepsWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	live := filepath.Join(dir, "live.db")
	s := opened(t, repository.Config{Path: live})
	addWorkspace(t, s, "first")
	backup := filepath.Join(dir, "backup.db")
	held, err := operate.BackupSQLite(t.Context(), live, backup)
	if err != nil {
		t.Fatal(err)
	}
	addWorkspace(t, s, "second")
	killed := filepath.Join(dir, "killed.db") // as a dead process leaves it
	for _, ending := range []string{"", "-wal"} {
		copied(t, live+ending, killed+ending)
	}
	done, err := operate.RestoreSQLite(t.Context(), backup, killed, held.Schema, restoredAt, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := killed + ".before-restore-20261122T100000Z"; done.Aside != want {
		t.Errorf("it is kept as %s", done.Aside)
	}
	if n := workspaces(t, opened(t, repository.Config{Path: killed})); n != 1 {
		t.Errorf("the restored database has %d workspaces", n)
	}
	if n := workspaces(t, opened(t, repository.Config{Path: done.Aside})); n != 2 {
		t.Errorf("what was kept aside has %d workspaces", n)
	}
}

// TestADamagedDatabaseMakesRoom: one that cannot be read any more is kept as it is, with
// its journal, and the backup takes its place.
func TestADamagedDatabaseMakesRoom(t *testing.T) {
	dir := t.TempDir()
	live := filepath.Join(dir, "live.db")
	addWorkspace(t, opened(t, repository.Config{Path: live}), "first")
	backup := filepath.Join(dir, "backup.db")
	held, err := operate.BackupSQLite(t.Context(), live, backup)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.db")
	for _, ending := range []string{"", "-wal"} {
		if err := os.WriteFile(broken+ending, bytes.Repeat([]byte("no pages "), 10_000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done, err := operate.RestoreSQLite(t.Context(), backup, broken, held.Schema, restoredAt, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", "-wal"} {
		if b, err := os.ReadFile(done.Aside + ending); err != nil || len(b) != 90_000 {
			t.Errorf("%q was kept as %d bytes, %v", ending, len(b), err)
		}
	}
	if n := workspaces(t, opened(t, repository.Config{Path: broken})); n != 1 {
		t.Errorf("the restored database has %d workspaces", n)
	}
}

// TestWhatIsNotRestored: each is refused in words that say why, and nothing is changed.
func TestWhatIsNotRestored(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "live.db"), filepath.Join(dir, "backup.db")
	s := opened(t, repository.Config{Path: path})
	for i := range 50 {
		addWorkspace(t, s, fmt.Sprintf("w%d", i))
	}
	held, err := operate.BackupSQLite(t.Context(), path, backup)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(file)
	for at := len(damaged) / 2; at < len(damaged)/2+8192; at++ {
		damaged[at] = 0x5a
	}
	for name, c := range map[string]struct {
		content []byte
		newest  int64
		says    string
	}{
		"a running server": {file, held.Schema, "another process uses this database"},
		"a newer schema":   {file, held.Schema - 1, "newer Fermata"},
		"a cut file":       {file[:len(file)/2], held.Schema, "not restored"},
		"a cut header":     {file[:50], held.Schema, "not restored"},
		"an empty file":    {nil, held.Schema, "no database of Fermata's"},
		"damaged pages":    {damaged, held.Schema, "not restored"},
		"something else":   {[]byte(strings.Repeat("a diary\n", 1_000)), held.Schema, "not restored"},
	} {
		t.Run(name, func(t *testing.T) {
			given := filepath.Join(t.TempDir(), "given.db")
			if err := os.WriteFile(given, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			before := sum(t, path)
			_, err := operate.RestoreSQLite(t.Context(), given, path, c.newest, restoredAt, false)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(strings.ToLower(err.Error()), "nothing was changed") {
				t.Errorf("it said %v", err)
			}
			if sum(t, path) != before {
				t.Error("the database was changed")
			}
			if left, err := filepath.Glob(path + ".*"); err != nil || len(left) != 1 { // the lock
				t.Errorf("beside it there is %v, %v", left, err)
			}
		})
	}
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func sum(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

// TestANewerDatabaseIsRefused: by the server as by everything else, and left as it is.
func TestANewerDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.db")
	if err := opened(t, repository.Config{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90001, TRUE)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := repository.Open(t.Context(), repository.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "newer Fermata") || !strings.Contains(err.Error(), "90001") {
		t.Errorf("it said %v", err)
	}
}
