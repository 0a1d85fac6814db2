package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)`")
	testFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)\(`)
)

// TestPromisesNameTestsThatThereAre: each guarantee in the documentation names a test that exists.
func TestPromisesNameTestsThatThereAre(t *testing.T) {
	root := filepath.Join("..", "..")
	listed, err := exec.Command("git", "-C", root, "ls-files", "*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for file := range strings.FieldsSeq(string(listed)) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range testFunc.FindAllSubmatch(text, -1) {
			there[string(found[1])] = true
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "guarantees.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range namedTest.FindAllSubmatch(text, -1) {
		if name := string(named[1]); !there[name] {
			t.Errorf("docs/guarantees.md names %s, which does not exist", name)
		}
	}
}
