package repository_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// BenchmarkWorkspacesAtWork: what the server asks of all workspaces, where a hundred have a
// session at work and where ten thousand have. "us/x" is the time for each workspace.
func BenchmarkWorkspacesAtWork(b *testing.B) {
	for name, open := range map[string]func(*repository.Config) (driver, address string){
		"sqlite": func(c *repository.Config) (string, string) {
			c.Path = filepath.Join(b.TempDir(), "work.db")
			return "sqlite", "file:" + c.Path
		},
		"postgres": func(c *repository.Config) (string, string) {
			c.URL = suite.MigratedPostgres(b)
			return "postgres", c.URL
		},
	} {
		b.Run(name, func(b *testing.B) {
			for _, n := range []int{100, 10_000} {
				cfg := plainConfig()
				driver, address := open(&cfg)
				store := opened(b, cfg)
				workEverywhere(b, store, driver, address, n)
				for what, ask := range map[string]func() error{
					"tick":      func() error { _, err := store.Slot.DueWork(b.Context(), suite.T0, 100, false); return err },
					"sweep":     func() error { _, err := store.Slot.DueWork(b.Context(), suite.T0, 100, true); return err },
					"claimable": func() error { _, err := store.Nodes.Claimable(b.Context(), 100); return err },
					"figures":   func() error { _, err := store.Slot.Figures(b.Context()); return err },
					"view":      func() error { _, err := store.View(b.Context(), fmt.Sprint("w", n/2), "ses_work"); return err },
				} {
					if err := ask(); err != nil {
						b.Fatal(err)
					}
					begun := time.Now()
					for range 10 {
						if err := ask(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(time.Since(begun).Microseconds())/10, fmt.Sprintf("us-%s-of-%d", what, n))
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// workEverywhere copies a workspace whose session has the slot.
func workEverywhere(b *testing.B, store *repository.Store, driver, address string, n int) {
	b.Helper()
	ok := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx := b.Context()
	ok(store.Nodes.Renew(ctx, time.Hour))
	ok(store.Workspaces.CreateWorkspace(ctx, &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: suite.T0}))
	session := &domain.Session{ID: "ses_work", WorkspaceID: ws, Type: domain.Chat, Phase: domain.CallingAI, HoldsSlot: true,
		CreatedAt: suite.T0, UpdatedAt: suite.T0, LastEventTime: suite.T0}
	ok(store.Commit(ctx, &domain.Change{WorkspaceID: ws, At: suite.T0, Sessions: []domain.SessionWrite{{Session: session, Insert: true, Claim: true}}}))
	db, err := sql.Open(driver, address)
	ok(err)
	defer func() { _ = db.Close() }()
	for _, table := range []struct{ name, key string }{{"workspaces", "id"}, {"sessions", "workspace_id"}} {
		found, err := db.QueryContext(ctx, "SELECT * FROM "+table.name+" LIMIT 0")
		ok(err)
		columns, err := found.Columns()
		ok(err)
		ok(errors.Join(found.Err(), found.Close()))
		into := strings.Join(columns, ", ")
		from := strings.Replace(", "+into+",", ", "+table.key+",", ", 'w' || i,", 1)
		_, err = db.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT %s FROM %s, n",
			table.name, into, n, strings.Trim(from, ", "), table.name))
		ok(err)
		if driver == "postgres" {
			_, err = db.ExecContext(ctx, "ANALYZE "+table.name)
			ok(err)
		}
	}
}
