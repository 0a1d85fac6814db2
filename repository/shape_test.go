package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const sqlRoom = "internal/sqldb/"

// notHouse are the folders that are no stores: the tests of both databases, and what an operator runs.
var notHouse = []string{"suite", "maintenance", "testdata"}

// house are the files of this package and of all packages below it.
func house(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(notHouse, path):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files = append(files, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{"change.go", "search/index.go", sqlRoom + "tx.go", "internal/transaction/write.go"} {
		if !slices.Contains(files, one) {
			t.Fatalf("%s is not among the files of this package", one)
		}
	}
	return files
}

// TestOnlyTransactionsWrite: outside tx.go, writer.go and fenced.go nothing in these packages can
// write, nor reach the connections that can. A reply that is lost outside a transaction makes
// database/sql repeat the statement, and it is applied twice, unless it is fenced. copy.go writes
// another file, over a connection that may only read this one.
func TestOnlyTransactionsWrite(t *testing.T) {
	// What writes, or opens the way to it, and the files that may say so.
	allowed := map[string][]string{
		"Exec": {}, "ExecContext": {sqlRoom + "tx.go", sqlRoom + "writer.go", sqlRoom + "fenced.go", sqlRoom + "copy.go"}, "MustExec": {}, "MustExecContext": {}, "NamedExec": {}, "NamedExecContext": {},
		"Begin": {}, "Beginx": {}, "MustBegin": {}, "BeginTx": {}, "BeginTxx": {sqlRoom + "tx.go", sqlRoom + "read.go", sqlRoom + "fenced.go"}, "Conn": {sqlRoom + "dial.go", sqlRoom + "tolerant.go", sqlRoom + "writer.go"}, "Connx": {sqlRoom + "writer.go"}, // net.Conn, driver.Conn
		"writes": {sqlRoom + "tx.go", sqlRoom + "writer.go", sqlRoom + "db.go", sqlRoom + "fenced.go"},
		"Raw":    {"messages.go", sqlRoom + "writer.go"}, // a message's raw answer
	}
	seen := 0
	for _, file := range house(t) {
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
	foreign := regexp.MustCompile(`\b(CURRENT_TIMESTAMP|now\(\)|clock_timestamp|unixepoch|FOR UPDATE|jsonb\b|pq\.Array|time\.Now\b)`)
	for _, file := range house(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(file, sqlRoom+"dialect") {
			continue
		}
		for _, banned := range foreign.FindAllString(string(source), -1) {
			t.Errorf("%s uses %s: it belongs into the dialect, or nowhere", file, banned)
		}
	}
}
