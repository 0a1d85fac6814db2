package domain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestEveryLogTypeIsListed verifies that webhooks can subscribe to every type of event.
func TestEveryLogTypeIsListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "log.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v, _ := spec.(*ast.ValueSpec)
			if kind, ok := v.Type.(*ast.Ident); !ok || kind.Name != "LogType" {
				continue
			}
			name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared++
			if !slices.Contains(LogTypes, LogType(name)) {
				t.Errorf("%s is not in LogTypes", name)
			}
		}
	}
	if declared != len(LogTypes) || declared < 20 {
		t.Errorf("%d types are declared, %d listed", declared, len(LogTypes))
	}
}
