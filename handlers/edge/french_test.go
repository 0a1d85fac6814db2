package edge

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/internal/visible"
)

// Every problem, every mistake and everything that may be missing has words in French.
func TestEveryProblemHasWordsInFrench(t *testing.T) {
	for code, kind := range ProblemKinds {
		p := &problem{Code: code, Title: kind.Title, Detail: "English."}
		if p.inFrench(); problemsInFrench[code] == "" || p.Title == kind.Title || p.Detail == "English." || strings.HasSuffix(p.Title, ".") {
			t.Errorf("%s: %q, %q", code, p.Title, p.Detail)
		}
	}
	for code := range problemsInFrench {
		if _, known := ProblemKinds[code]; !known {
			t.Errorf("%s is no problem", code)
		}
	}
	mistakes := regexp.MustCompile(`\bInvalid\(\s*[^"` + "`" + `;{}]*?(?:"[^"]*"[^",;{}]*?)?,\s*"([a-z_]+)",`)
	missing := regexp.MustCompile(`\bNotFound\("([a-z ]+)"\)`)
	found := 0
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "web" || d.Name() == "node_modules" || d.Name() == "suite") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, part := range mistakes.FindAllSubmatch(text, -1) {
			if found++; mistakesInFrench[string(part[1])] == "" {
				t.Errorf("%s: the mistake %s has no words in French", path, part[1])
			}
		}
		for _, part := range missing.FindAllSubmatch(text, -1) {
			if found++; nounsInFrench[string(part[1])] == "" {
				t.Errorf("%s: %s has no name in French", path, part[1])
			}
		}
		return err
	})
	if err != nil || found < 200 {
		t.Errorf("%d found: %v", found, err)
	}
	for _, text := range problemsInFrench {
		if strings.HasPrefix(text, "The ") || !strings.HasSuffix(text, ".") && text != visible.Text(text) {
			t.Error(text)
		}
	}
}
