package repository_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/suite"
)

// TestThePoolerMixesNothingUp covers PgBouncer in transaction mode, which assigns any free connection to each
// statement outside a transaction while the driver sends a statement with values in two steps. With many distinct
// concurrent queries, every query gets its own result.
func TestThePoolerMixesNothingUp(t *testing.T) {
	direct := suite.MigratedPostgres(t)
	db, err := sqldb.Open(t.Context(), sqldb.Config{
		URL: testkit.PgBouncer(t)(direct), DirectURL: direct, Unprepared: true, Connections: 48, Clock: clock.System, NewID: ids.New,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var all sync.WaitGroup
	for g := range 24 {
		all.Go(func() {
			text := fmt.Sprintf("SELECT $1::text || ' in the words of %d'", g)
			for n := range 60 {
				asked := fmt.Sprintf("%d.%d", g, n)
				want := fmt.Sprintf("%s in the words of %d", asked, g)
				var one, each string
				var list []string
				if err := db.Get(t.Context(), &one, text, asked); err != nil || one != want {
					t.Errorf("%s: %q, %v", want, one, err)
				}
				if err := db.All(t.Context(), &list, text, asked); err != nil || len(list) != 1 || list[0] != want {
					t.Errorf("%s: %q, %v", want, list, err)
				}
				err := db.Each(t.Context(), func(rows *sqlx.Rows) error {
					if !rows.Next() {
						return rows.Err()
					}
					return rows.Scan(&each)
				}, text, asked)
				if err != nil || each != want {
					t.Errorf("%s: %q, %v", want, each, err)
				}
			}
		})
	}
	all.Wait()
	if n := len(db.Statements()); n != 0 {
		t.Errorf("%d statements are kept prepared", n)
	}
}

// TestPgBouncer: the store's whole suite through a real PgBouncer, which knows no prepared
// statements.
func TestPgBouncer(t *testing.T) {
	if os.Getenv("FERMATA_LONG") == "" {
		t.Skip("FERMATA_LONG=1 runs it: it is TestPostgres again")
	}
	through := testkit.PgBouncer(t)
	var mu sync.Mutex
	direct := map[string]string{}
	suite.Run(t, func(t testing.TB, place string, cfg repository.Config) *repository.Store {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		fresh := direct[place] == ""
		if fresh {
			direct[place] = suite.MigratedPostgres(t)
		}
		cfg.URL, cfg.DirectURL, cfg.Unprepared = through(direct[place]), direct[place], true
		store := opened(t, cfg)
		if fresh {
			demandChanges(t, direct[place])
		}
		return store
	})
}
