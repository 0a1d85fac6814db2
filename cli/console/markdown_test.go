package console

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// A part is whole when nothing that comes after it changes how it looks; however an answer
// is cut, the same parts come of it.
func TestPartsAreWhole(t *testing.T) {
	for text, want := range map[string][]string{
		"one\n\ntwo\n\nthree":                      {"one\n\n", "two\n\n", "three"},
		"one\ntwo\nthree":                          {"one\ntwo\nthree"},
		"- a\n\n- b\n\n  more\n\nafter":            {"- a\n\n- b\n\n  more\n\n", "after"},
		"1. a\n\n2. b\n\n10 apples are too many\n": {"1. a\n\n2. b\n\n", "10 apples are too many\n"},
		"```go\na\n\nb\n```\nafter":                {"```go\na\n\nb\n```\n", "after"},
		"text\n```\na\n```\n\n\nafter":             {"text\n```\na\n```\n", "\n\nafter"},
		"````\n```\nx\n```\n\n````\nafter":         {"````\n```\nx\n```\n\n````\n", "after"},
		"- a\n  ```\n\n  x\n  ```\n- b\n\nafter":   {"- a\n  ```\n\n  x\n  ```\n- b\n\n", "after"},
		"~~~\n```\n~~~\nafter":                     {"~~~\n```\n~~~\n", "after"},
		"# Head\n\n| a |\n|---|\n| 1 |\n\nafter":   {"# Head\n\n", "| a |\n|---|\n| 1 |\n\n", "after"},
		"\n\nfirst\n\nsecond":                      {"\n\nfirst\n\n", "second"},
		"an open one\n\n```\nx\n\ny":               {"an open one\n\n", "```\nx\n\ny"},
	} {
		for size := 1; size <= len(text); size++ {
			m := &markdown{}
			var got []string
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				m.add(rest[:n])
				rest = rest[n:]
				for part := m.whole(); part != ""; part = m.whole() {
					got = append(got, part)
				}
			}
			if rest := m.take(); rest != "" {
				got = append(got, rest)
			}
			if shown(got) != shown(want) {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
			}
		}
	}
}

func shown(parts []string) string {
	for i := range parts {
		parts[i] = strings.Trim(parts[i], "\n")
	}
	return strings.Join(parts, "\x00")
}

// What a text says is there when it is rendered: tags, entities, code as it is written.
func TestRenderedTextSaysTheSame(t *testing.T) {
	s := &size{}
	s.set(80, 24)
	m := &markdown{size: s, profile: colorprofile.ASCII}
	for text, want := range map[string]string{
		"a <div> b":                    "a <div> b",
		"`<div>` and <b>":              "<div> and <b>",
		"``a ` <b>`` &lt;x&gt;":        "a ` <b> <x>",
		"`never closed <b>":            "`never closed <b>",
		"5 < 6 & 7 > 6":                "5 < 6 & 7 > 6",
		"```\n<a href=\"x\">&lt;\n```": "  <a href=\"x\">&lt;",
		"&#27;[31m red":                "&#27;[31m red",
		"&#x9b;31m &#155; &zwnj;":      "›31m › \u200c",
		"**b** _i_":                    "b i",
		"- [ ] one\n- [x] two":         "[ ] one\n[✓] two",
		"7. seven\n8. eight":           "7. seven\n8. eight",
	} {
		got := sequence.ReplaceAllString(m.render(text), "")
		if got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// Whatever a text has in it, styles alone reach the terminal, and they end with each line.
func TestOnlyStylesReachTheTerminal(t *testing.T) {
	s := &size{}
	s.set(300, 24)
	m := &markdown{size: s, profile: colorprofile.TrueColor}
	hostile := "\x1b]8;;http://evil/\x1b\\safe\x1b]8;;\x1b\\ \x1b[2J\x1b[1;1H\x1b]0;t\x07\u009b1m\x1bc\x00end \x1b[?25l\x1b[5n"
	for _, around := range []string{"%", "**%**", "`%`", "# %", "> %", "- %", "```%\n%\n```", "    %", "[%](http://%)", "![%](%)", "<%>", "<div %>", "| % |\n|---|\n| % |", "~~%~~"} {
		out := m.render(strings.ReplaceAll(around, "%", hostile))
		if rest := sequence.ReplaceAllString(out, ""); strings.ContainsAny(rest, "\x1b\x07\x00\u009b") || !strings.Contains(rest, "end") {
			t.Errorf("%q: %q", around, rest)
		}
		for line := range strings.SplitSeq(out, "\n") {
			if looks := sequence.FindAllString(line, -1); len(looks) > 0 && looks[len(looks)-1] != "\x1b[0m" && looks[len(looks)-1] != "\x1b[m" {
				t.Errorf("%q: a style continues after %q", around, line)
			}
		}
	}
}

// A style that continues over the end of a line ends there and is restarted.
func TestALookDoesNotReachOverItsLine(t *testing.T) {
	got := strings.Join(rendered("> **bold words that go on**", 14), "\n")
	if want := "│ \x1b[1mbold words\x1b[0m\n│ \x1b[1mthat go on\x1b[0m"; got != want {
		t.Errorf("%q", got)
	}
}

// What a page looks like, whole.
func TestAPageOfMarkdown(t *testing.T) {
	s := &size{}
	s.set(33, 24)
	m := &markdown{size: s, profile: colorprofile.ASCII}
	got := sequence.ReplaceAllString(m.render("# Head\n\nSome words that are long enough to go on [here](https://a.example/x).\n\n"+
		"- one\n  - below\n- two\n\n1) first\n\n   more\n\n2) second\n\n> said\n> so\n\n---\n\n| a | n |\n|---|--:|\n| b | 12 |\n\n```go\nx := 1\n```\n"), "")
	want := "Head\n\nSome words that are long enough\nto go on here\n(https://a.example/x).\n\n• one\n  • below\n• two\n\n1) first\n\n   more\n\n2) second\n\n│ said so\n\n" +
		strings.Repeat("─", 32) + "\n\n┌───┬────┐\n│ a │  n │\n├───┼────┤\n│ b │ 12 │\n└───┴────┘\n\n  x := 1"
	if got != want {
		t.Errorf("%s\n\nand not\n\n%s", got, want)
	}
}
