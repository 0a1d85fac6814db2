package demo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// textsIn gives the English texts in the code: the arguments of the functions that say something in the person's language.
func textsIn(t *testing.T) map[string]bool {
	t.Helper()
	says := map[string]int{"say": 0, "stop": 0, "in": 0, "counted": 1} // with the place of the text
	all := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok {
				if at, speaks := says[f.Sel.Name]; speaks && len(call.Args) > at {
					if text := literal(t, call.Args[at]); text != "" {
						all[text] = true
					}
				}
			}
			return true
		})
	}
	return all
}

// literal is the value of a string in the code, "" for any other expression.
func literal(t *testing.T, e ast.Expr) string {
	t.Helper()
	switch x := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	case *ast.BinaryExpr:
		return literal(t, x.X) + literal(t, x.Y)
	}
	return ""
}

// Every text has a translation with the same places for values, and every translation is of a text.
func TestTextsAreTranslated(t *testing.T) {
	verb := regexp.MustCompile(`%[a-z]`)
	texts := textsIn(t)
	for _, text := range looking {
		texts[text] = true
	}
	for _, text := range []string{"last: ", "lowest: ", "highest: ", "mean: "} { // of statistics
		texts[text] = true
	}
	if len(texts) < 100 {
		t.Errorf("only %d texts are found", len(texts))
	}
	for text := range texts {
		translated, ok := french()[text]
		if !ok {
			t.Errorf("%q has no translation", text)
		}
		if one, other := verb.FindAllString(text, -1), verb.FindAllString(translated, -1); !slices.Equal(one, other) {
			t.Errorf("%q has the places %v, its translation %v", text, one, other)
		}
	}
	for text := range french() {
		if !texts[text] {
			t.Errorf("%q is translated, but the demo does not say it", text)
		}
	}
}

// Every plan has a pattern in each language, and every pattern compiles.
func TestPatternsAreWhole(t *testing.T) {
	languages := map[bool]int{}
	for _, p := range patterns() {
		p.re()
		languages[p.fr]++
	}
	text, err := os.ReadFile("patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name := range plans {
		for _, language := range []string{"en", "fr"} {
			if !strings.Contains(string(text), "\n"+name+" "+language+" ") {
				t.Errorf("%s has no pattern in %s", name, language)
			}
		}
	}
	if languages[true] == 0 || languages[false] == 0 {
		t.Errorf("patterns by language: %v", languages)
	}
	for wrong, want := range map[string]string{
		"nonsense en help": "names none of the plans", "help de hilfe": "names none of the plans", "help en {missing}": "no fragment {missing}",
	} {
		if _, err := readPatterns(wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
