package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Limits of sizes. Code over a limit should be reviewed, not split mechanically: what stays larger on purpose
// is listed in larger_test.go with its permitted size.
const (
	maxFileLines     = 420
	maxFunctionLines = 60
	maxColumns       = 140
	maxInterface     = 7  // methods
	maxReceiver      = 40 // methods of one type
	maxDependencies  = 12 // fields of a Config or Deps
)

// source is a hand-written Go file.
type source struct {
	path, pkg string
	test      bool // test code, including suites, fakes and kits
	text      string
	file      *ast.File
	fset      *token.FileSet
}

// testPackages contain test code in files without the suffix _test.
var testPackages = []string{"cli/clitest", "handlers/edgetest", "handlers/servertest", "internal/house", "internal/testkit", "repository/suite", "rounds/suite", "providers/suite", "app/e2e"}

func isTestCode(file string) bool {
	if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/fake/") {
		return true
	}
	return slices.ContainsFunc(testPackages, func(p string) bool { return strings.HasPrefix(file, p+"/") })
}

// sources reads every hand-written Go file of the repository, once for all tests.
var sources = sync.OnceValues(func() ([]*source, error) {
	root := filepath.Join("..", "..")
	listed, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("list the Go files: %w", err)
	}
	fset := token.NewFileSet()
	var all []*source
	for name := range strings.FieldsSeq(string(listed)) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(file) {
			continue
		}
		all = append(all, &source{path: name, pkg: path.Dir(name), test: isTestCode(name), text: string(text), file: file, fset: fset})
	}
	return all, nil
})

func written(t *testing.T) []*source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// measure is the size of an item.
type measure struct {
	what string
	size int
}

// tail prints the distribution of sizes, and the largest items.
func tail(t *testing.T, of string, all []measure) {
	t.Helper()
	slices.SortFunc(all, func(a, b measure) int { return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.what, b.what)) })
	if len(all) == 0 {
		return
	}
	at := func(share float64) int { return all[int(float64(len(all)-1)*(1-share))].size }
	t.Logf("%s: %d, median %d, 90th percentile %d, 99th %d, largest %d", of, len(all), at(0.5), at(0.9), at(0.99), all[0].size)
	for _, m := range all[:min(8, len(all))] {
		t.Logf("  %5d  %s", m.size, m.what)
	}
}

// hold fails for items over the limit that are not listed in larger, and for entries that are no longer
// needed.
func hold(t *testing.T, of string, all []measure, limit int, larger map[string]int) {
	t.Helper()
	needed := map[string]bool{}
	for _, m := range all {
		allowed := max(limit, larger[m.what])
		if m.size > allowed {
			t.Errorf("%s of %s: %d, and at most %d is allowed", of, m.what, m.size, allowed)
		}
		needed[m.what] = needed[m.what] || m.size > limit
	}
	for what, size := range larger {
		if !needed[what] {
			t.Errorf("%s of %s may be %d, and need not: take it out of the list", of, what, size)
		}
	}
}

// sentenceInCode is a text for people: it stays on one line, so that it can be found by searching.
var sentenceInCode = regexp.MustCompile("\"[^\"]{40,}\"|`[^`]{40,}`")

// columns is the width of a line without its long texts.
func columns(line string) int {
	line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
	return len([]rune(sentenceInCode.ReplaceAllString(line, `""`)))
}

func lines(text string) int { return strings.Count(text, "\n") }

// TestFiles measures files and lines.
func TestFiles(t *testing.T) {
	var files, wide []measure
	for _, s := range written(t) {
		if !s.test {
			files = append(files, measure{s.path, lines(s.text)})
		}
		most := 0
		for line := range strings.Lines(s.text) {
			if columns(line) > maxColumns {
				most++
			}
		}
		if most > 0 && !s.test {
			wide = append(wide, measure{s.path, most})
		}
	}
	tail(t, "lines of a file", files)
	tail(t, fmt.Sprintf("lines over %d columns in a file that has any", maxColumns), wide)
	hold(t, "lines", files, maxFileLines, nil)
	hold(t, "wide lines", wide, 0, wideLines)
}

// TestFunctions measures functions.
func TestFunctions(t *testing.T) {
	var all []measure
	for _, s := range written(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				size := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
				all = append(all, measure{s.pkg + "." + receiver(f) + f.Name.Name, size})
			}
		}
	}
	tail(t, "lines of a function", all)
	hold(t, "lines", all, maxFunctionLines, longFunctions)
}

// receiver is the receiver type of a method followed by a dot, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	if of := typeName(f.Recv.List[0].Type); of != "" {
		return of + "."
	}
	return ""
}

// TestReceivers measures the number of methods of types: small interfaces onto one huge type are not small
// interfaces.
func TestReceivers(t *testing.T) {
	methods := map[string]int{}
	for _, s := range written(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && !s.test && receiver(f) != "" {
				methods[s.pkg+"."+strings.TrimSuffix(receiver(f), ".")]++
			}
		}
	}
	all := measures(methods)
	tail(t, "methods of a type", all)
	hold(t, "methods", all, maxReceiver, largeReceivers)
}

func measures(of map[string]int) []measure {
	var all []measure
	for _, what := range slices.Sorted(maps.Keys(of)) {
		all = append(all, measure{what, of[what]})
	}
	return all
}

// TestInterfaces measures interfaces, including the size of embedded ones, and structs of dependencies.
func TestInterfaces(t *testing.T) {
	var interfaces, dependencies []measure
	for _, s := range written(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || s.test {
				return true
			}
			name := s.pkg + "." + spec.Name.Name
			switch x := spec.Type.(type) {
			case *ast.InterfaceType:
				interfaces = append(interfaces, measure{name, x.Methods.NumFields()})
			case *ast.StructType:
				if strings.HasSuffix(spec.Name.Name, "Config") || strings.HasSuffix(spec.Name.Name, "Deps") {
					dependencies = append(dependencies, measure{name, x.Fields.NumFields()})
				}
			}
			return true
		})
	}
	tail(t, "methods of an interface", interfaces)
	tail(t, "fields of a struct of dependencies", dependencies)
	hold(t, "methods", interfaces, maxInterface, nil)
	hold(t, "fields", dependencies, maxDependencies, manyDependencies)
}

// TestPackages prints the sizes of packages, and the ratio of test lines to lines of code.
func TestPackages(t *testing.T) {
	code, tests := map[string]int{}, map[string]int{}
	all, allTests := 0, 0
	for _, s := range written(t) {
		if s.test {
			tests[s.pkg] += lines(s.text)
			allTests += lines(s.text)
		} else {
			code[s.pkg] += lines(s.text)
			all += lines(s.text)
		}
	}
	t.Logf("%d lines of code and %d of tests, hand-written: %.2f", all, allTests, float64(allTests)/float64(all))
	sizes := measures(code)
	tail(t, "lines of a package", sizes)
	for _, m := range sizes {
		t.Logf("  %5d lines, %5d of tests: %.2f  %s", m.size, tests[m.what], float64(tests[m.what])/float64(m.size), m.what)
	}
	scheduler, of := 0, 0
	for pkg := range code {
		if pkg == "scheduler" || strings.HasPrefix(pkg, "scheduler/") {
			scheduler, of = scheduler+code[pkg], of+tests[pkg]
		}
	}
	t.Logf("scheduler and its rooms: %d lines, %d of tests", scheduler, of)
	if of*100 < scheduler*schedulerTested {
		t.Errorf("the scheduler has %d lines and %d of tests: its rules are tested where they stand", scheduler, of)
	}
}
