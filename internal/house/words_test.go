package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var avoidedRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| ([^|]+) \\|([^|]*)\\|$")

// avoided reads the glossary's table of words that identifiers must not contain, with their replacements and
// the packages in which a word has another meaning.
func avoided(t *testing.T) map[string]struct{ instead, except string } {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## Not in identifiers")
	if !found {
		t.Fatal("the glossary has no section on identifiers")
	}
	all := map[string]struct{ instead, except string }{}
	for _, row := range avoidedRow.FindAllStringSubmatch(table, -1) {
		all[row[1]] = struct{ instead, except string }{strings.TrimSpace(row[2]), " " + strings.ReplaceAll(row[3], ",", " ") + " "}
	}
	if len(all) == 0 {
		t.Fatal("the glossary's table of words that identifiers avoid is empty")
	}
	return all
}

// split splits a camelCase or snake_case name into words in lower case.
func split(name string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	letters := []rune(name)
	for i, r := range letters {
		upper := unicode.IsUpper(r)
		begins := upper && i > 0 && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins || r == '_' {
			end()
		}
		if r != '_' {
			word.WriteRune(r)
		}
	}
	end()
	return words
}

func TestSplit(t *testing.T) {
	for name, want := range map[string]string{
		"round": "round", "nextRound": "next round", "HTTPTurn": "http turn", "aTurn": "a turn", "turn_id": "turn id", "URL": "url",
	} {
		if got := strings.Join(split(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// sentence is the name of a test.
var sentence = regexp.MustCompile("^(Test|Fuzz|Benchmark)[A-Z]")

// TestIdentifiersKeepTheGlossary checks every declared name: one concept has one word, so that a search for
// it finds everything.
func TestIdentifiersKeepTheGlossary(t *testing.T) {
	words := avoided(t)
	for _, s := range written(t) {
		declared(s.file, func(id *ast.Ident) {
			if s.test && sentence.MatchString(id.Name) {
				return
			}
			for _, word := range split(id.Name) {
				rule, is := words[word]
				if !is || strings.Contains(rule.except, " "+s.pkg+" ") {
					continue
				}
				t.Errorf("%s: %s has the word %q; the glossary says %s", s.fset.Position(id.Pos()), id.Name, word, rule.instead)
			}
		})
	}
}

// declared visits the declared names of a file: types, functions, methods, fields, variables, constants and
// parameters.
func declared(file *ast.File, visit func(*ast.Ident)) {
	each := func(names []*ast.Ident) {
		for _, name := range names {
			visit(name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.TypeSpec:
			visit(x.Name)
		case *ast.FuncDecl:
			visit(x.Name)
		case *ast.Field:
			each(x.Names)
		case *ast.ValueSpec:
			each(x.Names)
		case *ast.AssignStmt:
			if x.Tok.String() == ":=" {
				for _, left := range x.Lhs {
					if id, ok := left.(*ast.Ident); ok {
						visit(id)
					}
				}
			}
		}
		return true
	})
}
