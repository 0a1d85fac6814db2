package repository_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/repository/suite"
)

// postgresNode is a step of a plan.
type postgresNode struct {
	Type     string         `json:"Node Type"`
	Table    string         `json:"Relation Name"`
	Index    string         `json:"Index Name"`
	Cond     string         `json:"Index Cond"`
	Filter   string         `json:"Filter"`
	Children []postgresNode `json:"Plans"`
}

// checkPostgres lets an empty database with the schema explain each statement, independent of its values.
// Sequential scans are disabled: if one is planned all the same, no index serves the statement. An index scan
// without a condition is no better. Which of two indexes is chosen depends on the data, so the check of how much of
// a workspace is read uses SQLite, whose indexes are the same.
func checkPostgres(t *testing.T, texts []string) {
	cfg := plainConfig()
	cfg.URL = suite.MigratedPostgres(t)
	_ = opened(t, cfg)
	db, err := sql.Open("postgres", cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, setting := range []string{
		"SET enable_seqscan = off", "SET enable_mergejoin = off", "SET enable_hashjoin = off", "SET plan_cache_mode = force_generic_plan",
	} {
		if _, err := conn.ExecContext(t.Context(), setting); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range spreadJoins(texts) {
		t.Errorf("a join that does not name the workspace, which a cluster would ask all machines for: %s", wrong)
	}
	var all []step
	for _, text := range texts {
		root := postgresPlan(t, conn, text)
		root.walk(func(n *postgresNode, table string) {
			all = append(all, step{
				statement: text, table: table, how: fmt.Sprintf("%s %s %s, filter %s", n.Type, n.Index, n.Cond, n.Filter),
				scan: n.Type == "Seq Scan" || n.Index != "" && n.Cond == "",
			})
		}, "")
	}
	stale(t, all)
	for _, c := range complaints(all, nil) {
		t.Error(c)
	}
}

// walk visits every step that reads a table or an index of it.
func (n *postgresNode) walk(visit func(n *postgresNode, table string), table string) {
	if n.Table != "" {
		table = n.Table
	}
	if n.Index != "" || n.Type == "Seq Scan" {
		visit(n, table)
	}
	for i := range n.Children {
		n.Children[i].walk(visit, table)
	}
}

func postgresPlan(t *testing.T, conn *sql.Conn, text string) *postgresNode {
	t.Helper()
	ctx := context.Background()
	if _, err := conn.ExecContext(ctx, "PREPARE explained AS "+text); err != nil {
		t.Fatalf("prepare %s: %v", text, err)
	}
	given := ""
	if n := values(text); n > 0 {
		given = "(" + strings.TrimSuffix(strings.Repeat("NULL,", n), ",") + ")"
	}
	var plan []byte
	if err := conn.QueryRowContext(ctx, "EXPLAIN (FORMAT JSON) EXECUTE explained"+given).Scan(&plan); err != nil {
		t.Fatalf("explain %s: %v", text, err)
	}
	if _, err := conn.ExecContext(ctx, "DEALLOCATE explained"); err != nil {
		t.Fatal(err)
	}
	var all []struct{ Plan postgresNode }
	if err := json.Unmarshal(plan, &all); err != nil || len(all) != 1 {
		t.Fatalf("the plan of %s is %s (%v)", text, plan, err)
	}
	return &all[0].Plan
}
