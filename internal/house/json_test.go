package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOneReaderOfJSON forbids encoding/json for HTTP requests: internal/jsonbody reads bodies, with its
// limits. The listed files decode what it has read, or what the server itself wrote.
func TestOneReaderOfJSON(t *testing.T) {
	known := []string{"decode.go", "shape.go", "idempotency.go"}
	reads := regexp.MustCompile(`json\.(Unmarshal|NewDecoder)\(`)
	files, err := filepath.Glob(filepath.Join(list(t, "-m", "-f", "{{.Dir}}"), "handlers", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		if name := filepath.Base(file); strings.HasSuffix(name, "_test.go") || slices.Contains(known, name) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if reads.Match(text) {
			t.Errorf("%s reads JSON by itself", file)
		}
	}
}
