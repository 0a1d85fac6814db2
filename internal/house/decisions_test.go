package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var decisionRow = regexp.MustCompile(`(?m)^\| \[(\d{4})\]\((\d{4})-([a-z0-9-]+\.md)\) \|`)

// TestDecisionsAreListedOnce: each decision is in the list once, in order. Merging branches that both add a
// row can duplicate a row, or misplace it.
func TestDecisionsAreListedOnce(t *testing.T) {
	const dir = "../../docs/adr"
	list, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range decisionRow.FindAllStringSubmatch(string(list), -1) {
		if row[1] != row[2] {
			t.Errorf("%s leads to %s-%s", row[1], row[2], row[3])
		}
		listed = append(listed, row[2]+"-"+row[3])
	}
	files, err := filepath.Glob(filepath.Join(dir, "[0-9]*.md"))
	if err != nil || len(files) == 0 {
		t.Fatal("no decision", err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if !slices.Equal(listed, files) {
		t.Errorf("the list has\n%q, the folder\n%q", listed, files)
	}
}
