package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exactReaders are the packages that decode JSON which is signed, approved by its hash, or received from
// external servers. encoding/json ignores the case of names and takes the last of two equal ones:
// internal/exactjson does neither.
var exactReaders = []string{
	"auth", "auth/oidc", "auth/passkeys",
	"connectors", "connectors/mcp", "connectors/longrunning",
	"operate",
}

// TestExactNames forbids the decoders of encoding/json in these packages.
func TestExactNames(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, of := range exactReaders {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(of), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", of, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range looseReaders(t, string(text)) {
				t.Errorf("%s uses %s: read it with internal/exactjson", path, found)
			}
		}
	}
}

// looseReaders lists the decoders of encoding/json in a file.
func looseReaders(t *testing.T, source string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	loose := map[string][]string{
		"encoding/json": {"Unmarshal", "NewDecoder", "Decoder"},
		"github.com/fermata-dev/fermata/internal/jsonbody": {"Unmarshal", "Strictly", "Fill"},
	}
	names := map[string][]string{}
	for _, i := range file.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := imported[strings.LastIndex(imported, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = loose[imported]
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && slices.Contains(names[x.Name], s.Sel.Name) {
			found = append(found, x.Name+"."+s.Sel.Name)
		}
		return true
	})
	return found
}

// TestLooseReadersAreFound tests looseReaders.
func TestLooseReadersAreFound(t *testing.T) {
	for source, want := range map[string]int{
		`package x; import "encoding/json"; var _ = json.Unmarshal`:                                     1,
		`package x; import std "encoding/json"; func f() { std.NewDecoder(nil).Decode(nil) }`:           1,
		`package x; import "encoding/json"; func f(d *json.Decoder) {}`:                                 1,
		`package x; import "github.com/fermata-dev/fermata/internal/jsonbody"; var _ = jsonbody.Fill`:   1,
		`package x; import "encoding/json"; var _ = json.Marshal; var _ json.RawMessage`:                0,
		`package x; import json "github.com/fermata-dev/fermata/internal/exactjson"; var _ = json.Read`: 0,
	} {
		if found := looseReaders(t, source); len(found) != want {
			t.Errorf("%s: %q", source, found)
		}
	}
}
