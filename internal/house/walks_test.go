package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var step = regexp.MustCompile("`([a-z0-9_/.]+\\.go):([A-Za-z0-9_.]+)`")

// TestWalksNameFunctionsThatThereAre keeps docs/architecture.md correct: each step names a function in an
// existing file.
func TestWalksNameFunctionsThatThereAre(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, s := range written(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				there[s.path+":"+receiver(f)+f.Name.Name] = true
				there[s.path+":"+f.Name.Name] = true
			}
		}
	}
	steps := step.FindAllSubmatch(text, -1)
	if len(steps) < 20 {
		t.Errorf("only %d steps are found", len(steps))
	}
	for _, named := range steps {
		if place := string(named[1]) + ":" + string(named[2]); !there[place] {
			t.Errorf("docs/architecture.md names %s, which does not exist", place)
		}
	}
}
