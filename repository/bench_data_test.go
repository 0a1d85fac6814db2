package repository_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// manyEntries are in one tool of the benchmarks below.
const manyEntries = 100_000

// BenchmarkData reads from a tool with 100,000 entries: a page, a statistic, and
// searches that find few and many. "bare" is how many times the time of the same thing
// written by hand it takes, on a connection beside it, one after the other: the
// medians are compared.
func BenchmarkData(b *testing.B) {
	for name, open := range map[string]func(*repository.Config) (driver, address string){
		"sqlite": func(c *repository.Config) (string, string) {
			c.Path = filepath.Join(b.TempDir(), "data.db")
			return "sqlite", "file:" + c.Path + "?_pragma=query_only(1)&_pragma=temp_store(MEMORY)"
		},
		"postgres": func(c *repository.Config) (string, string) {
			c.URL = suite.MigratedPostgres(b)
			return "postgres", c.URL
		},
	} {
		b.Run(name, func(b *testing.B) {
			cfg := plainConfig()
			driver, address := open(&cfg)
			d := dataBench{store: opened(b, cfg), bare: bareSQL[driver]}
			d.fill(b)
			var err error
			if d.db, err = sql.Open(driver, address); err != nil {
				b.Fatal(err)
			}
			d.db.SetMaxOpenConns(1)
			b.Cleanup(func() { _ = d.db.Close() })
			if driver == "postgres" { // as it does by itself within a minute
				if _, err := d.db.Exec("ANALYZE"); err != nil {
					b.Fatal(err)
				}
			}
			d.run(b)
		})
	}
}

// BenchmarkBatch inserts 500 entries with a text of twelve words, with the search's
// index and without it. "unindexed" is the first in times of the second.
func BenchmarkBatch(b *testing.B) {
	for name, open := range map[string]func(*repository.Config){
		"sqlite":   func(c *repository.Config) { c.Path = filepath.Join(b.TempDir(), "batch.db") },
		"postgres": func(c *repository.Config) { c.URL = suite.MigratedPostgres(b) },
	} {
		b.Run(name, func(b *testing.B) {
			stores := make([]*repository.Store, 2)
			for i := range stores {
				cfg := plainConfig()
				open(&cfg)
				stores[i] = opened(b, cfg)
				makeTool(b, stores[i])
			}
			repository.WithoutSearch(stores[1])
			times := [2][]time.Duration{}
			for n := 0; b.Loop(); n++ {
				for i, store := range stores {
					start := time.Now()
					putBatch(b, store, n*500)
					times[i] = append(times[i], time.Since(start))
				}
			}
			b.ReportMetric(float64(median(times[0]))/float64(median(times[1])), "unindexed")
		})
	}
}

type dataBench struct {
	store *repository.Store
	db    *sql.DB
	bare  map[string][]string
}

func (d *dataBench) fill(b *testing.B) {
	makeTool(b, d.store)
	for n := 0; n < manyEntries; n += 500 {
		putBatch(b, d.store, n)
	}
}

func makeTool(b *testing.B, store *repository.Store) {
	b.Helper()
	at := time.Now().UTC()
	err := store.Workspaces.CreateWorkspace(b.Context(), &domain.Workspace{ID: ws, Name: ws, Settings: domain.DefaultSettings(), CreatedAt: at})
	if err == nil {
		_, err = store.WriteData(b.Context(), ws, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
			if err := d.InsertZone(ctx, &userdata.Zone{ID: "zon_1", ZoneFields: userdata.ZoneFields{Name: "Life"}, CreatedAt: at, UpdatedAt: at}); err != nil {
				return nil, err
			}
			return nil, d.InsertTool(ctx, &userdata.Tool{ID: "tol_1", ToolFields: userdata.ToolFields{ZoneID: "zon_1", ToolType: "diary", Name: "Diary", Config: json.RawMessage(`{}`)}, CreatedAt: at, UpdatedAt: at})
		})
	}
	if err != nil {
		b.Fatal(err)
	}
}

// putBatch stores 500 entries from number n on: twelve words of a vocabulary of some
// thousands, "tenth" in every tenth and "thousandth" in every thousandth.
func putBatch(b *testing.B, store *repository.Store, n int) {
	b.Helper()
	at := time.Now().UTC()
	entries := make([]userdata.Entry, 500)
	for i := range entries {
		text := ""
		for w := range 11 {
			text += fmt.Sprintf("wörd%d ", (n+i)*(w+7)%(1000*(w+1)))
		}
		switch {
		case (n+i)%1000 == 0:
			text += "thousandth"
		case (n+i)%10 == 0:
			text += "tenth"
		}
		entries[i] = userdata.Entry{ID: fmt.Sprintf("ent_%08d", n+i), ToolID: "tol_1", Timestamp: at.Add(time.Duration(n+i) * time.Second),
			Data: json.RawMessage(fmt.Sprintf(`{"value":%d.5,"text":%q}`, (n+i)%300, text)), CreatedAt: at, UpdatedAt: at}
	}
	_, err := store.WriteData(b.Context(), ws, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		return nil, d.InsertEntries(ctx, entries)
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (d *dataBench) run(b *testing.B) {
	read := d.store.ReadData(ws)
	search := func(text string) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			hits, _, err := read.Search(ctx, userdata.SearchQuery{Text: text})
			return len(hits), err
		}
	}
	for _, c := range []struct {
		name string
		ours func(context.Context) (int, error)
	}{
		{"page", func(ctx context.Context) (int, error) {
			page, _, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", Descending: true})
			return len(page), err
		}},
		{"statistic", func(ctx context.Context) (int, error) {
			s, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"value"}})
			return int(s.Count / manyEntries), err
		}},
		{"where", func(ctx context.Context) (int, error) { // some 300 of them
			page, _, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", Descending: true, Limit: 1000, Conditions: []userdata.Condition{
				{Field: userdata.Field{"value"}, Compare: userdata.CompareEqual, Value: 7.5},
			}})
			return len(page), err
		}},
		{"contains", func(ctx context.Context) (int, error) {
			page, _, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", Descending: true, Limit: 1000, Conditions: []userdata.Condition{
				{Field: userdata.Field{"text"}, Compare: userdata.CompareContains, Value: "Thousandth"},
			}})
			return len(page), err
		}},
		{"order", func(ctx context.Context) (int, error) {
			page, _, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", Order: userdata.Field{"value"}, Descending: true})
			return len(page), err
		}},
		{"group", func(ctx context.Context) (int, error) { // of 300 values
			groups, err := read.StatsByField(ctx, userdata.StatsFilter{ToolID: "tol_1"}, userdata.Field{"value"}, 400)
			return len(groups), err
		}},
		{"search-100", search("thousandth")},
		{"search-10000", search("tenth")},
	} {
		b.Run(c.name, func(b *testing.B) { d.compare(b, c.name, c.ours) })
	}
}

// compare runs ours and the bare statements in turn.
func (d *dataBench) compare(b *testing.B, name string, ours func(context.Context) (int, error)) {
	ctx := b.Context()
	var statements []*sql.Stmt
	for _, text := range d.bare[name] {
		stmt, err := d.db.PrepareContext(ctx, text)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = stmt.Close() }()
		statements = append(statements, stmt)
	}
	times := [2][]time.Duration{}
	for b.Loop() {
		start := time.Now()
		found, err := ours(ctx)
		times[0] = append(times[0], time.Since(start))
		if err != nil || found == 0 {
			b.Fatal(found, err)
		}
		start = time.Now()
		bare := 0
		for _, stmt := range statements {
			bare = max(bare, scan(b, ctx, stmt))
		}
		times[1] = append(times[1], time.Since(start))
		if bare < found {
			b.Fatalf("by hand %d rows were found, by ours %d", bare, found)
		}
	}
	b.ReportMetric(float64(median(times[0]))/float64(median(times[1])), "bare")
	b.ReportMetric(float64(median(times[0]).Microseconds())/1000, "ms")
}

func scan(b *testing.B, ctx context.Context, stmt *sql.Stmt) int {
	rows, err := stmt.QueryContext(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	n := 0
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// bareSQL is what one would write by hand for the same, with the values in it.
var bareSQL = func() map[string]map[string][]string {
	const here = " FROM entries WHERE workspace_id = 'default' AND tool_id = 'tol_1' AND deleted_at IS NULL"
	page := []string{"SELECT id, at, data, version, session_id, created_at, updated_at" + here + " ORDER BY at DESC, id DESC LIMIT 51"}
	statistic := func(value string) []string {
		return []string{"SELECT COUNT(v), MIN(v), MAX(v), AVG(v), SUM(v) FROM (SELECT " + value + " AS v" + here + ") numbers",
			"SELECT " + value + here + " ORDER BY at DESC, id DESC LIMIT 1"}
	}
	lite := func(word string) []string {
		return []string{`SELECT e.id, e.at, e.data, f.score FROM (SELECT rowid, bm25(search_words) AS score FROM search_words
			WHERE search_words MATCH '` + word + `*' ORDER BY score LIMIT 51) f JOIN search s ON s.number = f.rowid
			JOIN entries e ON e.workspace_id = 'default' AND e.id = s.id ORDER BY f.score`}
	}
	post := func(word string) []string {
		return []string{`SELECT e.id, e.at, e.data, f.score FROM (SELECT id, ts_rank(words, '` + word + `:*') AS score FROM search
			WHERE words @@ '` + word + `:*' ORDER BY score DESC LIMIT 51) f JOIN entries e ON e.workspace_id = 'default' AND e.id = f.id ORDER BY f.score DESC`}
	}
	few, many := repository.TermForTest(ws, "thousandth"), repository.TermForTest(ws, "tenth")
	questions := func(value, contains string) map[string][]string {
		const columns = "SELECT id, at, data, version, session_id, created_at, updated_at"
		return map[string][]string{
			"page": page, "statistic": statistic(value),
			"where":    {columns + here + " AND " + value + " = 7.5 ORDER BY at DESC, id DESC LIMIT 1001"},
			"contains": {columns + here + " AND " + contains + " LIKE '%thousandth%' ORDER BY at DESC, id DESC LIMIT 1001"},
			"order":    {columns + here + " ORDER BY " + value + " DESC, at DESC, id DESC LIMIT 51"},
			"group":    {"SELECT " + value + " AS v, COUNT(*) AS n" + here + " GROUP BY 1 ORDER BY n DESC LIMIT 400"},
		}
	}
	all := map[string]map[string][]string{
		"sqlite": questions("CAST(data ->> '$.value' AS DOUBLE PRECISION)", "data ->> '$.text'"),
		"postgres": questions("(data::json ->> 'value')::double precision",
			`lower(regexp_replace(normalize(data::json ->> 'text', NFKD), '[\u0300-\u036f]', '', 'g'))`),
	}
	all["sqlite"]["search-100"], all["sqlite"]["search-10000"] = lite(few), lite(many)
	all["postgres"]["search-100"], all["postgres"]["search-10000"] = post(few), post(many)
	return all
}()
