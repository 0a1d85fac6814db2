package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func opened(t *testing.T, path string) *History {
	t.Helper()
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func added(t *testing.T, h *History, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := h.add(text); err != nil {
			t.Fatal(err)
		}
	}
}

// A history is its owner's, and bounded: in entries, in bytes of one, in the file.
func TestHistoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "fermata", "h")
	h := opened(t, path)
	added(t, h, "same", "same", " not kept", strings.Repeat("x", mostOfEntry+1))
	for i := range 3 * mostEntries {
		added(t, h, fmt.Sprint("entry ", i))
	}
	if len(h.entries) != mostEntries {
		t.Errorf("%d entries at hand", len(h.entries))
	}
	h = opened(t, path)
	if len(h.entries) != mostEntries || h.entries[mostEntries-1] != fmt.Sprint("entry ", 3*mostEntries-1) {
		t.Errorf("%d entries read, the last is %q", len(h.entries), h.entries[len(h.entries)-1])
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != mostEntries {
		t.Errorf("%d lines stay in the file (%v)", strings.Count(string(text), "\n"), err)
	}
	for _, name := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// Half a line of a crash, and what is no entry, are passed over; two programs add to one file.
func TestHistoryIsReadAsFarAsItGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h")
	one, other := opened(t, path), opened(t, path)
	added(t, one, "a\nb")
	added(t, other, "c")
	added(t, one, "d")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("{}\n\"half")
	_ = f.Close()
	if h := opened(t, path); strings.Join(h.entries, "|") != "a\nb|c|d" {
		t.Errorf("%q", h.entries)
	}
	if _, err := OpenHistory(filepath.Join(path, "under a file")); err == nil {
		t.Error("a file was taken for a directory")
	}
}

// The arrow keys walk through what begins as the line does, and back to the line.
func TestWalkInAHistory(t *testing.T) {
	w := walk{history: &History{entries: []string{"git log", "ls", "git show"}}}
	step := func(want string, found bool, got string, ok bool) {
		t.Helper()
		if got != want || ok != found {
			t.Errorf("got %q %v, want %q %v", got, ok, want, found)
		}
	}
	older := func(now, want string, found bool) { t.Helper(); got, ok := w.older(now); step(want, found, got, ok) }
	newer := func(want string, found bool) { t.Helper(); got, ok := w.newer(); step(want, found, got, ok) }
	older("git", "git show", true)
	older("git show", "git log", true)
	older("git log", "", false)
	newer("git show", true)
	newer("git", true)
	newer("", false)
	older("", "git show", true)
	older("git show", "ls", true)
	newer("git show", true)
	newer("", true)
	none := walk{}
	if _, ok := none.older("x"); ok {
		t.Error("nothing was found")
	}
	none.add("x")
}
