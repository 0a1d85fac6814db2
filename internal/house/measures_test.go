package house

import (
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Measures that moving code from a method to a function, or from an interface to an embedded
// one, does not change.
const (
	maxBehavior      = 60 // methods of a type, and functions whose first parameter is that type
	maxExpanded      = 12 // methods of an interface, those of embedded interfaces included
	maxFields        = 20 // fields of a struct, an embedded struct counts as one
	maxPackageLines  = 5500
	maxUpwardPercent = 15 // of the references between the files of a package
	minTestPercent   = 40 // lines of tests for a hundred lines of code
	minRules         = 200
)

// code is the source that is neither generated nor for tests, in the order of its paths.
func code(t *testing.T) []*source {
	t.Helper()
	var all []*source
	for _, s := range written(t) {
		if !s.test {
			all = append(all, s)
		}
	}
	return all
}

// byPackage groups files by their package.
func byPackage(of []*source) map[string][]*source {
	all := map[string][]*source{}
	for _, s := range of {
		all[s.pkg] = append(all[s.pkg], s)
	}
	return all
}

// typeName is the name of a type of the same package, behind pointers and type arguments; "" for any other type.
func typeName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// TestBehavior counts the methods of a type together with the functions that take it first.
func TestBehavior(t *testing.T) {
	var all []measure
	for pkg, files := range byPackage(code(t)) {
		types, size := map[string]bool{}, map[string]int{}
		for _, s := range files {
			ast.Inspect(s.file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					types[spec.Name.Name] = true
				}
				return true
			})
		}
		for _, s := range files {
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				of := strings.TrimSuffix(receiver(f), ".")
				if of == "" && f.Type.Params.NumFields() > 0 {
					of = typeName(f.Type.Params.List[0].Type)
				}
				if types[of] {
					size[of]++
				}
			}
		}
		for of, n := range size {
			all = append(all, measure{pkg + "." + of, n})
		}
	}
	tail(t, "methods of a type, and functions that take it first", all)
	hold(t, "methods and functions", all, maxBehavior, muchBehavior)
}

// imported gives the package of this module behind each name that a file imports.
func imported(s *source) map[string]string {
	all := map[string]string{}
	for _, spec := range s.file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !strings.HasPrefix(full, module+"/") {
			continue
		}
		pkg := strings.TrimPrefix(full, module+"/")
		name := pkg[strings.LastIndex(pkg, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all[name] = pkg
	}
	return all
}

type declaredInterface struct {
	of   *source
	body *ast.InterfaceType
}

// TestExpandedInterfaces counts the methods of interfaces, with those of embedded interfaces of this module.
func TestExpandedInterfaces(t *testing.T) {
	interfaces := map[string]declaredInterface{}
	for _, s := range code(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if body, ok := spec.Type.(*ast.InterfaceType); ok {
					interfaces[s.pkg+"."+spec.Name.Name] = declaredInterface{s, body}
				}
			}
			return true
		})
	}
	var methods func(name string) map[string]bool
	methods = func(name string) map[string]bool {
		i, all := interfaces[name], map[string]bool{}
		if i.body == nil {
			return all
		}
		for _, field := range i.body.Methods.List {
			for _, id := range field.Names {
				all[id.Name] = true
			}
			if len(field.Names) > 0 {
				continue
			}
			switch x := field.Type.(type) {
			case *ast.Ident:
				maps.Copy(all, methods(i.of.pkg+"."+x.Name))
			case *ast.SelectorExpr:
				if from, ok := x.X.(*ast.Ident); ok {
					maps.Copy(all, methods(imported(i.of)[from.Name]+"."+x.Sel.Name))
				}
			}
		}
		return all
	}
	var all []measure
	for name := range interfaces {
		all = append(all, measure{name, len(methods(name))})
	}
	tail(t, "methods of an interface, embedded ones included", all)
	hold(t, "methods", all, maxExpanded, wideInterfaces)
}

// TestFields counts the fields of structs.
func TestFields(t *testing.T) {
	var all []measure
	for _, s := range code(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if body, ok := spec.Type.(*ast.StructType); ok {
					all = append(all, measure{s.pkg + "." + spec.Name.Name, body.Fields.NumFields()})
				}
			}
			return true
		})
	}
	tail(t, "fields of a struct", all)
	hold(t, "fields", all, maxFields, manyFields)
}

// TestPackageSizes holds packages to their size, and to the tests of their rules.
func TestPackageSizes(t *testing.T) {
	size, tests := map[string]int{}, map[string]int{}
	for _, s := range written(t) {
		if s.test {
			tests[s.pkg] += lines(s.text)
		} else {
			size[s.pkg] += lines(s.text)
		}
	}
	hold(t, "lines", measures(size), maxPackageLines, largePackages)
	for pkg, n := range size {
		percent := tests[pkg] * 100 / n
		least, excepted := fewTests[pkg]
		switch {
		case n < minRules || pkg == "" || isTestCode(pkg+"/x.go"):
		case !excepted && percent < minTestPercent:
			t.Errorf("%s has %d lines of tests for a hundred of code, and at least %d are required", pkg, percent, minTestPercent)
		case excepted && percent < least:
			t.Errorf("%s has %d lines of tests for a hundred of code, and had %d", pkg, percent, least)
		case excepted && percent >= minTestPercent:
			t.Errorf("%s has %d lines of tests for a hundred of code: take it out of the list", pkg, percent)
		}
	}
}

// methodNames are the names in the declarations of methods: they refer to nothing.
func methodNames(file *ast.File) map[*ast.Ident]bool {
	all := map[*ast.Ident]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			all[f.Name] = true
		}
	}
	return all
}

// references gives, for each file of a package, the other files whose declarations it names.
func references(files []*source) map[string]map[string]bool {
	declares := map[string]string{}
	for _, s := range files {
		for _, d := range s.file.Decls {
			switch x := d.(type) {
			case *ast.FuncDecl:
				if receiver(x) == "" {
					declares[x.Name.Name] = s.path
				}
			case *ast.GenDecl:
				for _, spec := range x.Specs {
					switch y := spec.(type) {
					case *ast.TypeSpec:
						declares[y.Name.Name] = s.path
					case *ast.ValueSpec:
						for _, name := range y.Names {
							declares[name.Name] = s.path
						}
					}
				}
			}
		}
	}
	all := map[string]map[string]bool{}
	for _, s := range files {
		to := map[string]bool{}
		names := methodNames(s.file)
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.SelectorExpr:
				ast.Inspect(x.X, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && declares[id.Name] != "" && declares[id.Name] != s.path {
						to[declares[id.Name]] = true
					}
					return true
				})
				return false
			case *ast.Ident:
				if !names[x] && declares[x.Name] != "" && declares[x.Name] != s.path {
					to[declares[x.Name]] = true
				}
			}
			return true
		})
		all[s.path] = to
	}
	return all
}

// upward counts the references that run against the best order of files that is found: it places, one after the
// other, a file that names no other, a file that no other names, or else the file with the most references out
// over those in (the heuristic of Eades, Lin and Smyth for a feedback arc set).
func upward(refs map[string]map[string]bool) (against, all int) {
	in, out := map[string]int{}, map[string]int{}
	for from, to := range refs {
		for file := range to {
			out[from]++
			in[file]++
			all++
		}
	}
	left := slices.Sorted(maps.Keys(refs))
	var first, last []string
	for len(left) > 0 {
		best := 0
		for i, file := range left {
			if out[file] == 0 || in[file] == 0 {
				best = i
				break
			}
			if out[file]-in[file] > out[left[best]]-in[left[best]] {
				best = i
			}
		}
		file := left[best]
		if out[file] == 0 {
			last = append(last, file)
		} else {
			first = append(first, file)
		}
		left = slices.Delete(left, best, best+1)
		for to := range refs[file] {
			in[to]--
		}
		for from, to := range refs {
			if to[file] {
				out[from]--
			}
		}
	}
	slices.Reverse(last)
	place := map[string]int{}
	for i, file := range append(first, last...) {
		place[file] = i
	}
	for from, to := range refs {
		for file := range to {
			if place[file] < place[from] {
				against++
			}
		}
	}
	return against, all
}

func TestUpward(t *testing.T) {
	edges := func(pairs ...string) map[string]map[string]bool {
		all := map[string]map[string]bool{}
		for _, pair := range pairs {
			from, to := pair[:1], pair[1:]
			for _, file := range []string{from, to} {
				if all[file] == nil {
					all[file] = map[string]bool{}
				}
			}
			all[from][to] = true
		}
		return all
	}
	for _, c := range []struct {
		refs         map[string]map[string]bool
		against, all int
	}{
		{edges("ab", "bc", "ac"), 0, 3},
		{edges("ab", "ba"), 1, 2},
		{edges("ab", "bc", "ca", "ad", "bd"), 1, 5},
	} {
		if against, all := upward(c.refs); against != c.against || all != c.all {
			t.Errorf("%v: %d of %d run upward, want %d of %d", c.refs, against, all, c.against, c.all)
		}
	}
}

// TestFilesAreInLayers measures how many references between the files of a package run upward.
func TestFilesAreInLayers(t *testing.T) {
	var all []measure
	for pkg, files := range byPackage(code(t)) {
		if against, of := upward(references(files)); of >= 20 {
			all = append(all, measure{pkg, against * 100 / of})
		}
	}
	tail(t, "per cent of references between files that run upward", all)
	hold(t, "per cent of upward references", all, maxUpwardPercent, tangled)
}

// TestExportedNamesAreUsed counts the exported functions, types, variables and constants of a package that no other
// package names. The wire's types and the root package are for others.
func TestExportedNamesAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, s := range written(t) {
		from := imported(s)
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := x.X.(*ast.Ident); ok && from[pkg.Name] != "" {
					used[from[pkg.Name]+"."+x.Sel.Name] = true
				}
			}
			return true
		})
	}
	unused := map[string]int{}
	for pkg, files := range byPackage(code(t)) {
		for _, s := range files {
			if s.file.Name.Name == "main" || pkg == "api" {
				continue
			}
			for _, id := range exported(s.file) {
				if !used[pkg+"."+id.Name] {
					unused[pkg]++
					t.Logf("%s: %s", s.fset.Position(id.Pos()), id.Name)
				}
			}
		}
	}
	all := measures(unused)
	tail(t, "exported names of a package that no other package uses", all)
	hold(t, "exported names that no other package uses", all, 0, unusedNames)
}

// exported gives the exported names of a file that are no methods and no fields.
func exported(file *ast.File) []*ast.Ident {
	var all []*ast.Ident
	add := func(id *ast.Ident) {
		if id.IsExported() {
			all = append(all, id)
		}
	}
	for _, d := range file.Decls {
		switch x := d.(type) {
		case *ast.FuncDecl:
			if x.Recv == nil {
				add(x.Name)
			}
		case *ast.GenDecl:
			for _, spec := range x.Specs {
				switch y := spec.(type) {
				case *ast.TypeSpec:
					add(y.Name)
				case *ast.ValueSpec:
					for _, id := range y.Names {
						add(id)
					}
				}
			}
		}
	}
	return all
}

// TestNoRealSleeps finds tests that wait for a while: they wait for a signal, or in virtual time.
func TestNoRealSleeps(t *testing.T) {
	sleeps := map[string]int{}
	for _, s := range written(t) {
		if !s.test || strings.Contains(s.text, `"testing/synctest"`) {
			continue
		}
		if n := strings.Count(s.text, "time.Sleep("); n > 0 {
			sleeps[s.path] += n
		}
	}
	hold(t, "real sleeps", measures(sleeps), 0, realSleeps)
}
