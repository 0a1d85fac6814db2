package repository_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

func plainConfig() repository.Config {
	return repository.Config{
		Node: "n", Incarnation: "i", Clock: clock.System, NewID: ids.New,
		Encode: func(*domain.LogEvent) ([]byte, error) { return []byte("{}"), nil },
	}
}

// ownSearch is what each database has of its own, all of it for the search: SQLite a
// table of words and its number, PostgreSQL a column of words and its index.
var ownSearch = regexp.MustCompile(`^(search_words(_\w+)?\.\w* .*|search\.number integer 1|search\.words tsvector 1|create index search_words on search using gin words)$`)

func shared(all []string) []string {
	return slices.DeleteFunc(all, ownSearch.MatchString)
}

// TestBothSchemasAreTheSame: tables, columns with their types, keys, and the partial
// unique indexes on which safety rests.
func TestBothSchemasAreTheSame(t *testing.T) {
	lite, post := plainConfig(), plainConfig()
	lite.Path = filepath.Join(t.TempDir(), "schema.db")
	post.URL = suite.MigratedPostgres(t)
	_ = opened(t, lite)
	_ = opened(t, post)

	columns := map[string][]string{
		"sqlite": rows(t, "sqlite", "file:"+lite.Path, `SELECT m.name || '.' || c.name || ' ' || replace(lower(c.type), 'blob', 'bytea') || ' ' || c."notnull"
			FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%'`),
		"postgres": rows(t, "postgres", post.URL, `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END
			FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'goose_%'`),
	}
	same(t, "columns", shared(columns["sqlite"]), shared(columns["postgres"]), 200)
	indexes := map[string][]string{
		"sqlite":   rows(t, "sqlite", "file:"+lite.Path, `SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`),
		"postgres": rows(t, "postgres", post.URL, `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' AND tablename NOT LIKE 'goose_%'`),
	}
	same(t, "indexes", shared(plain(indexes["sqlite"])), shared(plain(indexes["postgres"])), 20)
	for _, index := range shared(plain(indexes["postgres"])) { // words begin with their workspace's prefix
		if !strings.Contains(index, "workspace_id") {
			t.Errorf("an index without the workspace: %s", index)
		}
	}
	for _, wanted := range []string{
		"create unique index sessions_slot on sessions workspace_id lane seat where holds_slot",
		"create unique index sessions_external on sessions workspace_id external_id where external_id <> ''",
		"create unique index inbox_dedupe on inbox workspace_id session_id dedupe_key where dedupe_key <> ''",
	} {
		if !slices.Contains(plain(indexes["postgres"]), wanted) {
			t.Errorf("there is no index %q", wanted)
		}
	}
}

// plain takes from an index's definition what the databases only write differently.
func plain(definitions []string) []string {
	noise := regexp.MustCompile(`[(),"]|::text|public\.|using btree`)
	out := make([]string, len(definitions))
	for i, d := range definitions {
		out[i] = strings.Join(strings.Fields(noise.ReplaceAllString(strings.ToLower(d), " ")), " ")
	}
	sort.Strings(out)
	return out
}

func rows(t *testing.T, driver, address, query string) []string {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	found, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	var out []string
	for found.Next() {
		var s string
		if err := found.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	sort.Strings(out)
	return out
}

func same(t *testing.T, what string, a, b []string, atLeast int) {
	t.Helper()
	if len(a) < atLeast {
		t.Fatalf("only %d %s were found", len(a), what)
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			t.Errorf("%s: only SQLite has %q", what, x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			t.Errorf("%s: only PostgreSQL has %q", what, x)
		}
	}
}

// TestReadersCannotWrite: the connections for reading refuse to, whatever they are
// asked.
func TestReadersCannotWrite(t *testing.T) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(t.TempDir(), "r.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := plainConfig()
			open(&cfg)
			s := opened(t, cfg)
			err := repository.ReadForTest(t.Context(), s, "INSERT INTO workspaces (id, name, settings, created_at) VALUES ('x', 'x', '{}', 1) RETURNING 1")
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "read") {
				t.Errorf("a write through the readers gave %v", err)
			}
			all, err := s.Workspaces.Workspaces(t.Context())
			if err != nil || len(all) != 0 {
				t.Errorf("after it there are %d workspaces (%v)", len(all), err)
			}
		})
	}
}

// TestOneProcessForAFile: the second one is refused, and says what to do; once the
// first has ended, the next may come.
func TestOneProcessForAFile(t *testing.T) {
	cfg := plainConfig()
	cfg.Path = filepath.Join(t.TempDir(), "odd name %41 ?#.db")
	first := opened(t, cfg)
	if second, err := repository.Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("the second open gave %v, %v", second, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	_ = opened(t, cfg)
	found, err := filepath.Glob(filepath.Join(filepath.Dir(cfg.Path), "odd*"))
	if err != nil || !slices.Contains(found, cfg.Path) {
		t.Errorf("the database is not at its path: %v, %v", found, fmt.Sprint(err))
	}
}
