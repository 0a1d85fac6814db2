package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOnlyTransactionsWrite: outside tx.go nothing in this package can write, nor
// reach the connections that can. A reply that is lost outside a transaction makes
// database/sql repeat the statement, and it is applied twice.
func TestOnlyTransactionsWrite(t *testing.T) {
	// What writes, or opens the way to it, and the files that may say so.
	allowed := map[string][]string{
		"Exec": {}, "ExecContext": {"tx.go"}, "MustExec": {}, "MustExecContext": {}, "NamedExec": {}, "NamedExecContext": {},
		"Begin": {}, "Beginx": {}, "MustBegin": {}, "BeginTx": {}, "BeginTxx": {"tx.go", "read.go"}, "Conn": {"dial.go"}, "Connx": {}, // net.Conn
		"writes": {"tx.go", "store.go"}, "Raw": {"messages.go"}, // a message's raw answer
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			files, guarded := allowed[selector.Sel.Name]
			if !guarded {
				return true
			}
			if slices.Contains(files, file) {
				seen++
			} else {
				t.Errorf("%s: %s may not be used here: write through a tx", set.Position(n.Pos()), selector.Sel.Name)
			}
			return true
		})
	}
	if seen < 5 {
		t.Errorf("only %d uses were found where they are allowed: the test looks in the wrong place", seen)
	}
}

// TestNoStatementNamesTheDatabaseClock: ids and times come from the program, and what
// differs between the databases stands in one place.
func TestNoStatementNamesTheDatabaseClock(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "dialect.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, banned := range []string{"CURRENT_TIMESTAMP", "now()", "clock_timestamp", "unixepoch", "FOR UPDATE", "jsonb", "pq.Array", "time.Now"} {
			if strings.Contains(string(source), banned) {
				t.Errorf("%s uses %s: it belongs into the dialect, or nowhere", file, banned)
			}
		}
	}
}
