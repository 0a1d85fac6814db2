package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneClock keeps time.Now in internal/clock: all other code receives a clock, except for tests, their
// suites, and examples, which are independent programs.
func TestOneClock(t *testing.T) {
	root := list(t, "-m", "-f", "{{.Dir}}")
	out, err := exec.Command("git", "-C", root, "ls-files", "*.go").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for file := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/") || strings.HasPrefix(file, "examples/") || strings.Contains(file, "/suite/") {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it better
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := call.X.(*ast.Ident); ok && x.Name == "time" && call.Sel.Name == "Now" {
				t.Errorf("%s reads the clock", fset.Position(n.Pos()))
			}
			return true
		})
	}
}
