package trial

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/fermata-dev/fermata/data"
)

// A trial takes every write itself. It holds the store that it reads from, so one that it
// lacks would go to that: after a change of a name, say, which the compiler does not see.
func TestATrialTakesEveryWrite(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				own[f.Name.Name] = true
			}
		}
	}
	writes := 0
	for method := range reflect.TypeFor[data.Store]().Methods() {
		if regexp.MustCompile("^(Insert|Update|Delete|Restore|Put|Keep)").MatchString(method.Name) {
			writes++
			if !own[method.Name] {
				t.Errorf("a trial has no %s of its own", method.Name)
			}
		}
	}
	if writes < 15 {
		t.Errorf("only %d writes were found: the test looks in the wrong place", writes)
	}
}
