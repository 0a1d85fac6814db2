package repository_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
)

// withoutItsStandby returns a store on a server whose synchronous standby is down: no commit is acknowledged before
// back is called. waiting is the first word of the statement that blocks; "" means that none does.
func withoutItsStandby(t *testing.T) (store *repository.Store, c *domain.Change, waiting func() string, back func()) {
	t.Helper()
	cfg := plainConfig()
	cfg.URL = testkit.OwnPostgres(t)
	store = opened(t, cfg)
	w := &cutWorld{t: t, store: store, direct: store, url: cfg.URL, at: plainConfig().Clock()}
	w.must(store.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: ws, Name: "d", Settings: domain.DefaultSettings(), CreatedAt: w.at}))
	s := w.fresh()
	db, err := sql.Open("postgres", cfg.URL)
	w.must(err)
	t.Cleanup(func() { _ = db.Close() })
	standby := func(name string) {
		for _, text := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + name + "'", "SELECT pg_reload_conf()"} {
			if _, err := db.ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	standby("away")
	testkit.Until(t, "the server waits for its standby", func() bool {
		var name string
		return db.QueryRowContext(t.Context(), "SHOW synchronous_standby_names").Scan(&name) == nil && name == "away"
	})
	waiting = func() (word string) {
		const query = "SELECT COALESCE(MIN(split_part(query, ' ', 1)), '') FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
		w.must(db.QueryRowContext(t.Context(), query).Scan(&word))
		return word
	}
	_, err = store.View(t.Context(), ws, s.ID) // from here on a change of it is one statement
	w.must(err)
	return store, w.plain(s, true), waiting, func() { standby("") }
}

// TestACallerWhoGoesWhileTheStandbyIsAway: asked to give up a wait for the synchronous standby, the
// server says that the statement was carried out. That is not believed: what only the primary has
// would be lost with it.
func TestACallerWhoGoesWhileTheStandbyIsAway(t *testing.T) {
	store, c, waiting, back := withoutItsStandby(t)
	ctx, leave := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- store.Commit(ctx, c) }()
	testkit.Until(t, "the statement waits", func() bool { return waiting() == "WITH" })
	leave()
	testkit.Until(t, "the statement waits no more, and its fate is looked up behind the standby", func() bool {
		select {
		case err := <-result:
			t.Fatalf("the standby does not have it, but the caller got an acknowledgement: %v", err)
		default:
		}
		return waiting() == "COMMIT"
	})
	back()
	if err := <-result; err != nil {
		t.Errorf("it is stored on both by now, but was reported as %v", err)
	}
}

// TestAStandbyIsNoDatabase verifies that connecting to a standby is an error and that no stale data is read from
// it.
func TestAStandbyIsNoDatabase(t *testing.T) {
	cfg := plainConfig()
	cfg.URL = testkit.StandbyPostgres(t)
	_, err := repository.Open(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "this PostgreSQL server is a standby") {
		t.Errorf("error %v", err)
	}
}
