package repository_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkRoundWrites counts what a round as in BenchmarkRound writes, with the events
// as they are sent: pages and bytes of the journal, and by how much the database grows.
// Figures are those of a database that has some rounds in it: give it -benchtime 1000x.
func BenchmarkRoundWrites(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		cfg := plainConfig()
		cfg.Path = filepath.Join(b.TempDir(), "writes.db")
		t := benched(b, cfg)
		db, err := sql.Open("sqlite", "file:"+cfg.Path)
		t.ok(err)
		defer func() { _ = db.Close() }()
		_, err = db.ExecContext(b.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
		t.ok(err)
		// A long-running reader keeps the journal from being reset.
		reader, err := db.BeginTx(b.Context(), nil)
		t.ok(err)
		defer func() { _ = reader.Rollback() }()
		var grown int
		t.ok(reader.QueryRowContext(b.Context(), "PRAGMA page_count").Scan(&grown))
		t.ok(reader.QueryRowContext(b.Context(), "SELECT COUNT(*) FROM workspaces").Scan(new(int)))
		t.run()
		const page, frame = 4096, 4096 + 24
		journal, err := os.Stat(cfg.Path + "-wal")
		t.ok(err)
		var pages int
		t.ok(db.QueryRowContext(b.Context(), "PRAGMA page_count").Scan(&pages))
		b.ReportMetric(float64(journal.Size()/frame)/float64(b.N), "pages/op")
		b.ReportMetric(float64((pages-grown)*page)/float64(b.N), "grown-B/op")
	})
	b.Run("postgres", func(b *testing.B) {
		cfg := plainConfig()
		cfg.URL = suite.MigratedPostgres(b)
		t := benched(b, cfg)
		db, err := sql.Open("postgres", cfg.URL)
		t.ok(err)
		defer func() { _ = db.Close() }()
		state := func() (journal, size int64) {
			t.ok(db.QueryRowContext(b.Context(), "SELECT pg_current_wal_lsn() - '0/0', pg_database_size(current_database())").Scan(&journal, &size))
			return journal, size
		}
		_, err = db.ExecContext(b.Context(), "CHECKPOINT")
		t.ok(err)
		journal, size := state()
		t.run()
		after, grown := state()
		b.ReportMetric(float64(after-journal)/float64(b.N), "journal-B/op")
		b.ReportMetric(float64(grown-size)/float64(b.N), "grown-B/op")
	})
}

// benched is a session with 1,000 rounds behind it.
func benched(b *testing.B, cfg repository.Config) *rounds {
	cfg.Encode = api.EncodeEvent
	store := opened(b, cfg)
	t := &rounds{b: b, store: store}
	t.ok(store.Workspaces.CreateWorkspace(b.Context(), &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: time.Now().UTC()}))
	t.begin()
	for range 1000 {
		t.in()
		t.out()
	}
	return t
}

func (t *rounds) run() {
	b, ok := t.b.(*testing.B)
	if !ok {
		t.b.Fatal("only a benchmark can be run")
	}
	for b.Loop() {
		t.in()
		t.out()
	}
}

// BenchmarkGrowth is what rounds leave in a database, what retention takes out of it, and
// by how much it grows when as many rounds come again: -benchtime 100000x.
func BenchmarkGrowth(b *testing.B) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "growth.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(b) },
	} {
		b.Run(name, func(b *testing.B) {
			cfg := plainConfig()
			open(&cfg)
			t := benched(b, cfg)
			size := func() float64 {
				driver, address, query := "sqlite", "file:"+cfg.Path, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
				if cfg.URL != "" {
					driver, address, query = "postgres", cfg.URL, "SELECT pg_database_size(current_database())"
				}
				db, err := sql.Open(driver, address)
				t.ok(err)
				defer func() { _ = db.Close() }()
				if cfg.URL != "" { // what autovacuum does in its time
					_, err := db.ExecContext(b.Context(), "VACUUM")
					t.ok(err)
				}
				var bytes float64
				t.ok(db.QueryRowContext(b.Context(), query).Scan(&bytes))
				return bytes
			}
			empty := size()
			t.run()
			full := size()
			t.end()
			t.ok(t.store.Events.PruneEvents(b.Context(), time.Now().Add(time.Hour)))
			pruned := size()
			t.begin()
			for range b.N {
				t.in()
				t.out()
			}
			again := size()
			b.ReportMetric((full-empty)/float64(b.N), "grown-B/op")
			b.ReportMetric((pruned-full)/float64(b.N), "pruned-B/op")
			b.ReportMetric((again-pruned)/float64(b.N), "again-B/op")
		})
	}
}

// end ends the session, and begin makes another one.
func (t *rounds) end() {
	c := t.change()
	t.move(c, domain.Completed)
	t.s.HoldsSlot = false
	t.ok(t.store.Commit(t.b.Context(), c))
}

func (t *rounds) begin() {
	now := time.Now().UTC()
	t.s = &domain.Session{
		ID: ids.New("ses"), WorkspaceID: ws, Type: domain.Chat, Phase: domain.Idle, HoldsSlot: true, CreatedAt: now, UpdatedAt: now, LastEventTime: now,
	}
	t.ok(t.store.Commit(t.b.Context(), &domain.Change{WorkspaceID: ws, At: now, Sessions: []domain.SessionWrite{{Session: t.s, Insert: true}}}))
}
