package repository_test

import (
	"database/sql"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/repository/suite"
)

// ofNoWorkspace are the tables that a cluster keeps whole on every machine.
var ofNoWorkspace = []string{"workspaces", "nodes", "goose_db_version"}

// TestWorkspacesCanBeSpread: a PostgreSQL-compatible cluster that spreads workspaces over
// machines (Citus, docs/scaling.md) asks that every table has the workspace in it, and that every
// key, unique index and reference names it: else a row could not be found, or not be known to
// be the only one, without asking all machines.
func TestWorkspacesCanBeSpread(t *testing.T) {
	cfg := plainConfig()
	cfg.URL = suite.MigratedPostgres(t)
	_ = opened(t, cfg)
	db, err := sql.Open("postgres", cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	names := func(query string) (list []string) {
		t.Helper()
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var table, name string
			if err := rows.Scan(&table, &name); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(ofNoWorkspace, table) {
				list = append(list, table+": "+name)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return list
	}
	const tables = `SELECT c.relname, 'no workspace_id' FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')`
	if all := names(tables); len(all) < 30 {
		t.Fatalf("there are only %d tables", len(all))
	}
	has := func(table, columns string) string {
		return " AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = " + table + " AND a.attname = 'workspace_id' AND " + columns + ")"
	}
	for what, query := range map[string]string{
		"tables": tables + has("c.oid", "a.attnotnull"),
		"keys and unique indexes": `SELECT c.relname, x.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
			JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND i.indisunique` + has("c.oid", "a.attnum = ANY (i.indkey)"),
		"references": `SELECT c.relname, f.conname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
			WHERE f.contype = 'f' AND f.confrelid <> 'workspaces'::regclass` + has("c.oid", "a.attnum = ANY (f.conkey)"),
		"tables without a key": tables + ` AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique)`,
	} {
		if wrong := names(query); len(wrong) > 0 {
			t.Errorf("%s without the workspace in them:\n\t%s", what, strings.Join(wrong, "\n\t"))
		}
	}
}

// joined finds how a statement joins one table to what stands before it.
var joined = regexp.MustCompile(`\bJOIN (\w+)(?: AS)?(?: \w+)? ((?:ON|WHERE) .*?|USING \([^)]*\))(?:(?:LEFT |INNER )?JOIN | WHERE | GROUP BY | ORDER BY | LIMIT |$)`)

// spreadJoins: a join stays on the machine of its workspace if it names it.
func spreadJoins(texts []string) (wrong []string) {
	for _, text := range texts {
		flat := strings.Join(strings.Fields(text), " ")
		for from := 0; from < len(flat); {
			at := joined.FindStringSubmatchIndex(flat[from:])
			if at == nil {
				break
			}
			table, on := flat[from+at[2]:from+at[3]], flat[from+at[4]:from+at[5]]
			if !slices.Contains(ofNoWorkspace, table) && !strings.Contains(on, "workspace_id") {
				wrong = append(wrong, table+" "+on+"\n\tin "+flat)
			}
			from += at[5]
		}
	}
	return wrong
}

func TestAJoinThatNamesNoWorkspaceIsFound(t *testing.T) {
	texts := []string{
		"SELECT 1 FROM entries e JOIN tools t ON t.workspace_id = e.workspace_id AND t.id = e.tool_id\n JOIN zones z ON z.id = t.zone_id WHERE e.workspace_id = $1",
		"SELECT 1 FROM queue q CROSS JOIN sessions s WHERE s.id = q.session_id ORDER BY q.at",
		"SELECT 1 FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id",
		"SELECT 1 FROM files f LEFT JOIN file_uses u USING (workspace_id, file_id)",
	}
	wrong := spreadJoins(texts)
	if len(wrong) != 2 || !strings.HasPrefix(wrong[0], "zones ON z.id = t.zone_id") || !strings.HasPrefix(wrong[1], "sessions WHERE") {
		t.Errorf("%q", wrong)
	}
}
