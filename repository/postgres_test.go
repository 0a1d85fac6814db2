package repository_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := testkit.StopPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// postgresPlaces gives every place a database of its own.
func postgresPlaces(testing.TB) suite.Open {
	var mu sync.Mutex
	urls := map[string]string{}
	return func(t testing.TB, place string, cfg repository.Config) *repository.Store {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		fresh := urls[place] == ""
		if fresh {
			urls[place] = suite.MigratedPostgres(t)
		}
		cfg.URL = urls[place]
		store := opened(t, cfg)
		if fresh {
			demandChanges(t, cfg.URL)
		}
		return store
	}
}

func TestPostgres(t *testing.T) {
	runSuite(t, postgresPlaces(t), []string{"search/sqlite.go"}, checkPostgres)
}
