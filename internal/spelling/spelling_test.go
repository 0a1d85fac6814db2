package spelling

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNearest: what is near enough is offered, and nothing else.
func TestNearest(t *testing.T) {
	known := []string{"data_dir", "listen", "name", "text", "zone"}
	for name, want := range map[string]string{
		"data-dir": "data_dir", "datadir": "data_dir", "data_directory": "", "Listen": "listen", "LISTNE": "listen",
		"txet": "text", "text": "text", "x": "", "nm": "", "nam": "name", "on": "", "": "",
		strings.Repeat("n", longest+1): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Nearest("zon", []string{"zone", "zona"}); got != "zone" {
		t.Errorf("of two equally near ones: %q", got)
	}
	if got := Nearest("zone", nil); got != "" {
		t.Errorf("of none: %q", got)
	}
}

// TestEdits: it is a distance, and one change of a letter is one edit.
func TestEdits(t *testing.T) {
	words := rapid.StringMatching(`[ab_]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := words.Draw(t, "a"), words.Draw(t, "b"), words.Draw(t, "c")
		ab, bc, ac := edits(a, b), edits(b, c), edits(a, c)
		if (ab == 0) != (a == b) || ab != edits(b, a) || ac > ab+bc {
			t.Fatalf("%q %q %q: %d, %d, %d", a, b, c, ab, bc, ac)
		}
		at := rapid.IntRange(0, len(a)).Draw(t, "at")
		if longer := a[:at] + "x" + a[at:]; edits(a, longer) != 1 {
			t.Fatalf("%q and %q are %d apart", a, longer, edits(a, longer))
		}
		if at < len(a) && edits(a, a[:at]+"x"+a[at+1:]) != 1 {
			t.Fatalf("a letter of %q replaced is not one edit", a)
		}
	})
}
