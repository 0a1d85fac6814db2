package userdata

import (
	"strings"
	"testing"
)

// A name of a file goes into headers and onto other people's disks: it never has a separator.
func TestFileNamesHaveNoSeparator(t *testing.T) {
	for given, want := range map[string]string{
		"report.pdf":                 "report.pdf",
		"a/b/c.txt":                  "c.txt",
		`C:\\Users\\ada\\c.txt`:      "c.txt",
		"..\x00evil.txt":             "..evil.txt",
		"\x00/etc/passwd":            "passwd",
		"a\nb\tc.txt":                "a b c.txt",
		"evil\u202egpj.exe":          "evilgpj.exe",
		"\u200bname.txt":             "name.txt",
		"a\u2028b.txt":               "a b.txt",
		"..":                         "file",
		"\x00":                       "file",
		"é🎼.md":                      "é🎼.md",
		"familie 👩‍👩‍👧.png":          "familie 👩‍👩‍👧.png",
		"\xff\xfe":                   "file",
		strings.Repeat("/", 5) + "x": "x",
		"a\u0085b":                   "a b",
	} {
		got := FileName(given)
		if got != want || strings.ContainsAny(got, `/\`) {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
