package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// waysOut are names by which a request or a connection leaves the process.
var waysOut = map[string][]string{
	"net/http":               {"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "ProxyFromEnvironment"},
	"net":                    {"Dialer", "Dial", "DialTimeout", "DialIP", "DialTCP", "DialUDP", "DialUnix", "Resolver", "LookupHost", "LookupIP", "LookupAddr"},
	"crypto/tls":             {"Dial", "DialWithDialer", "Dialer"},
	"net/http/httputil":      {"ReverseProxy", "NewSingleHostReverseProxy"},
	"net/smtp":               {"SendMail", "Dial"},
	"net/rpc":                {"Dial", "DialHTTP"},
	"golang.org/x/net/http2": {"Transport"},
}

// ownWaysOut are the exceptions: the connection to the database, the command line's client, examples of
// clients, and test code.
var ownWaysOut = []string{"internal/egress/", "repository/internal/sqldb/dial.go", "cli/remote/client.go", "cli/clitest/", "internal/testkit/", "app/e2e/harness/", "providers/suite/", "handlers/edgetest/", "handlers/servertest/", "examples/"}

// TestOneWayOut: every outgoing request uses internal/egress, which checks its destination.
func TestOneWayOut(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == ".cache" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		exempt := slices.ContainsFunc(ownWaysOut, func(own string) bool { return strings.HasPrefix(name, own) })
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || exempt {
			return nil
		}
		for _, found := range waysOutOf(t, path) {
			t.Errorf("%s uses %s: requests out are internal/egress's", name, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// waysOutOf lists the ways out in a file. A pointer type only describes a parameter, and does not count.
func waysOutOf(t *testing.T, path string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]string{}
	for _, i := range file.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := imported[strings.LastIndex(imported, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		packages[name] = imported
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if star, ok := n.(*ast.StarExpr); ok {
			_, plain := star.X.(*ast.SelectorExpr)
			return !plain
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && slices.Contains(waysOut[packages[x.Name]], s.Sel.Name) {
			found = append(found, packages[x.Name]+"."+s.Sel.Name)
		}
		return true
	})
	return found
}

// TestWaysOutAreFound tests waysOutOf.
func TestWaysOutAreFound(t *testing.T) {
	for path, want := range map[string]string{
		"../egress/client.go":                     "net/http.Client",
		"../../repository/internal/sqldb/dial.go": "net.Dialer",
		"../../cli/remote/client.go":              "net/http.Client",
		"../../internal/egress/doc.go":            "",
		"../../providers/providers.go":            "",
		"../testkit/cutproxy.go":                  "net.Dial",
		"../../providers/suite/slow.go":           "net/http.Client",
	} {
		found := waysOutOf(t, filepath.FromSlash(path))
		if want == "" && len(found) > 0 || want != "" && !slices.Contains(found, want) {
			t.Errorf("%s: %v, want %q", path, found, want)
		}
	}
}
