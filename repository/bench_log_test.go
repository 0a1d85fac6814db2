package repository_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkLongLog reads a log of 10,000 events and a long one, of a hundred thousand or as
// many as FERMATA_BENCH_EVENTS says: its bounds, the replay of its end, that of a session of
// it, and the pruning of its first thousand. "x-short" is how many times the short one's.
func BenchmarkLongLog(b *testing.B) {
	long := 100_000
	if n, err := strconv.Atoi(os.Getenv("FERMATA_BENCH_EVENTS")); err == nil {
		long = n
	}
	for name, open := range map[string]func(*repository.Config) (driver, address string){
		"sqlite": func(c *repository.Config) (string, string) {
			c.Path = filepath.Join(b.TempDir(), "log.db")
			return "sqlite", "file:" + c.Path
		},
		"postgres": func(c *repository.Config) (string, string) {
			c.URL = suite.MigratedPostgres(b)
			return "postgres", c.URL
		},
	} {
		b.Run(name, func(b *testing.B) {
			short := map[string]time.Duration{}
			for _, n := range []int{10_000, long} {
				for what, took := range longLog(b, n, open) {
					b.ReportMetric(float64(took.Microseconds()), fmt.Sprintf("us-%s-of-%d", what, n))
					if n == long {
						b.ReportMetric(float64(took)/float64(short[what]), "x-short-"+what)
					}
					short[what] = took
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// longLog makes a log straight in the table, spread over a thousand sessions, and says how
// long each way of reading it takes.
func longLog(b *testing.B, n int, open func(*repository.Config) (string, string)) map[string]time.Duration {
	b.Helper()
	ok := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	cfg := plainConfig()
	driver, address := open(&cfg)
	store := opened(b, cfg)
	ctx := b.Context()
	ok(store.Workspaces.CreateWorkspace(ctx, &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: suite.T0}))
	db, err := sql.Open(driver, address)
	ok(err)
	for _, text := range []string{
		fmt.Sprintf("INSERT INTO events (workspace_id, seq, session_id, session_seq, types, at, change_id, data) "+
			"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "+
			"SELECT '%s', i, 'ses_' || (i %% 1000), i / 1000 + 1, 'session.phase', %d + i, 'chg', '{\"seq\": 1}' FROM n", n, ws, suite.T0.UnixMicro()),
		fmt.Sprintf("UPDATE workspaces SET last_seq = %d WHERE id = '%s'", n, ws),
	} {
		_, err := db.ExecContext(ctx, text)
		ok(err)
	}
	if driver == "postgres" {
		_, err := db.ExecContext(ctx, "ANALYZE events")
		ok(err)
	}
	ok(db.Close())
	took := map[string]time.Duration{}
	measure := func(what string, times int, read func() error) {
		ok(read())
		begun := time.Now()
		for range times {
			ok(read())
		}
		took[what] = time.Since(begun) / time.Duration(times)
	}
	replay := func(session string, after int) func() error {
		return func() error {
			_, _, err := store.Events.Events(ctx, ws, session, int64(after), domain.PageSize{Rows: 50})
			return err
		}
	}
	measure("bounds", 50, func() error { _, _, err := store.Events.EventBounds(ctx, ws); return err })
	measure("end", 50, replay("", n-50))
	measure("session", 50, replay("ses_7", n-5000))
	begun := time.Now()
	ok(store.Events.PruneEvents(ctx, suite.T0.Add(1000*time.Microsecond)))
	took["prune"] = time.Since(begun)
	return took
}
