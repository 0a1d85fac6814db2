package house

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainWords has how many lines of comments and documents still have a word that the glossary's section "Not in comments and
// documents" lists, by folder. Each figure may shrink, and none may grow.
var plainWords = map[string]int{
	".":      2,
	"api":    1,
	"app":    5,
	"docs":   3,
	"prompt": 12,
}

var plainRow = regexp.MustCompile(`(?m)^\| ([a-z, ]+) \| ([^|]+) \|$`)

// plainPattern reads the glossary's table of words that comments and documents do without.
func plainPattern(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## Not in comments and documents")
	if !found {
		t.Fatal("the glossary has no section on comments and documents")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	var words []string
	for _, row := range plainRow.FindAllStringSubmatch(table, -1) {
		for word := range strings.SplitSeq(row[1], ",") {
			if word = strings.TrimSpace(word); word != "word" {
				words = append(words, word)
			}
		}
	}
	if len(words) < 5 {
		t.Fatalf("the glossary's table of words that comments avoid has %d words", len(words))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
}

// commentOf gives the part of a line that people read as prose. Documents are prose throughout.
func commentOf(name, line string) string {
	switch filepath.Ext(name) {
	case ".md":
		return line
	case ".go", ".ts", ".tsx", ".mjs":
		if at := strings.Index(line, "//"); at >= 0 {
			return line[at:]
		}
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*") || strings.HasPrefix(trimmed, "{/*") {
			return trimmed
		}
	case ".sql":
		if at := strings.Index(line, "--"); at >= 0 {
			return line[at:]
		}
	case ".yaml":
		if name == "openapi.yaml" {
			return line
		}
		if at := strings.Index(line, "# "); at >= 0 {
			return line[at:]
		}
	}
	return ""
}

// TestCommentsAndDocumentsArePlain counts the lines of prose with words that a reader stumbles over.
func TestCommentsAndDocumentsArePlain(t *testing.T) {
	pattern := plainPattern(t)
	root := filepath.Join("..", "..")
	listed, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for name := range strings.FieldsSeq(string(listed)) {
		if strings.Contains(name, "/testdata/") || name == "docs/glossary.md" || commentOf(name, "// -- # * x") == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		folder, _, inFolder := strings.Cut(name, "/")
		if !inFolder {
			folder = "."
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := pattern.FindString(commentOf(name, line)); word != "" {
				found[folder]++
				t.Logf("%s:%d: %q", name, i+1, word)
			}
		}
	}
	all := 0
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		all += found[folder]
	}
	t.Logf("%d lines in all", all)
	hold(t, "lines with words that the glossary lists", measures(found), 0, plainWords)
}
