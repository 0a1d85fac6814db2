package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestInvisibleCharactersAreShown(t *testing.T) {
	for text, want := range map[string]string{
		"pay \u202e001\u202c":  `pay \u202e001\u202c`,
		"a\u2066b\u2069":       `a\u2066b\u2069`,
		"a\u200eb\u200fc":      `a\u200eb\u200fc`,
		"\x1b[31mred\x07":      `\u001b[31mred\u0007`,
		"zero\u200bwidth":      `zero\u200bwidth`,
		"bom\ufeff":            `bom\ufeff`,
		"soft\u00adhyphen":     `soft\u00adhyphen`,
		"tag\U000E0041":        `tag\U000e0041`,
		"line\u2028sep\u2029":  `line\u2028sep\u2029`,
		"no\u00a0break":        `no\u00a0break`,
		"thin\u2009en\u2002":   `thin\u2009en\u2002`,
		"wide\u3000space":      `wide\u3000space`,
		"filler\u3164\u2800":   `filler\u3164\u2800`,
		"join\u200der":         `join\u200der`,
		"vary\ufe0f":           `vary\ufe0f`,
		"c1\u0085\u009b":       `c1\u0085\u009b`,
		"bad\xff":              "bad\uFFFD",
		"two\nlines\tand\rcr":  "two\nlines\tand\\u000dcr",
		"plain, \\u202e typed": "plain, \\u202e typed",
		"":                     "",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := Line("a\nb\tc"); got != `a\u000ab\u0009c` {
		t.Errorf("on one line: %q", got)
	}
}

// Texts as people write them stay as they are, in every script.
func TestWhatPeopleWriteStaysReadable(t *testing.T) {
	for _, text := range []string{
		"Zoé’s œuvre — “fine” €5", "مرحبا بالعالم", "שלום עולם", "می‌خواهم", "क्‍ष श्री", "日本語　テキスト", "한국어 메모",
		"👩‍👩‍👧‍👦", "👍🏽", "❤️", "1️⃣ #️⃣", "🏳️‍🌈", "👩🏽‍💻", "Santé\u00a0: 2\u202f000\u00a0€", "«\u00a0oui\u00a0»\u202f!", "™︎", "葛\U000E0100",
	} {
		if got := Line(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
		if !IsName(text) {
			t.Errorf("%q is no name", text)
		}
	}
}

func TestWhatSteersATerminalIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b]0;title\x07\n": `\u001b]0;title\u0007` + "\n", "a\u202eb": `a\u202eb`, "no\u00a0break \u200b": "no\u00a0break \u200b", "\r\n": `\u000d` + "\n",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Health": true, "": true, "no\u00a0break": true, "two\nlines": false, "tab\t": false, "\x1b[1m": false, "a\u202e": false,
		"sep\u2028": false, "zero\u200b": false, "bad\xff": false, "tag\U000E0041": false, "nul\x00": false,
	} {
		if IsName(name) != want {
			t.Errorf("%q can be a name: %v", name, !want)
		}
	}
}

// FuzzVisible: nothing that is shown holds a control or steers the order of text, and
// what is shown once is not changed again.
func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"a\u202eb", "👩‍👩‍👧", "\xff\x1b", "می‌خ", "１\u3000x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, show := range map[string]func(string) string{"Text": Text, "Line": Line, "Printable": Printable} {
			got := show(text)
			bad := strings.ContainsFunc(got, func(r rune) bool {
				return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
			})
			if bad || !utf8.ValidString(got) || show(got) != got {
				t.Errorf("%s shows %q as %q, and that as %q", name, text, got, show(got))
			}
		}
	})
}
