package console

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// markdown is a streaming answer. Complete parts are rendered; rest is the text after them.
type markdown struct {
	size    *size
	profile colorprofile.Profile
	rest    string
}

func (m *markdown) add(text string) { m.rest += text }

// take returns the rest of an answer that has ended.
func (m *markdown) take() string {
	rest := m.rest
	m.rest = ""
	return rest
}

// whole returns the next complete part; "" while there is none.
func (m *markdown) whole() string {
	end := wholeUntil(m.rest)
	part := m.rest[:end]
	m.rest = m.rest[end:]
	if end > 0 && strings.TrimSpace(part) == "" {
		return m.whole()
	}
	return part
}

var item = regexp.MustCompile(`^([-*+]|[0-9]{1,9}[.)])(\s|$)`)

// wholeUntil is the end of the first complete part: at the start of a paragraph after an empty line, or
// after the end of a code block. A list continues over empty lines, and a code block until it is closed.
func wholeUntil(text string) int {
	fence, empty, at := "", false, 0
	for at < len(text) {
		length := strings.IndexByte(text[at:], '\n') + 1
		if length == 0 {
			length = len(text) - at
		}
		line := strings.TrimRight(text[at:at+length], "\n")
		closed := at+length < len(text) || strings.HasSuffix(text, "\n")
		switch mark := fenceOf(line); {
		case fence != "":
			if mark != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark && closed {
				if !strings.HasPrefix(line, " ") {
					return at + length
				}
				fence = ""
			}
		case empty && at > 0 && begins(line, closed):
			return at
		case mark != "":
			fence = mark
		}
		empty = strings.TrimSpace(line) == ""
		at += length
	}
	return 0
}

// begins reports whether a line starts a new part. An unfinished line may become an item of the list
// before it.
func begins(line string, closed bool) bool {
	if line == "" || line[0] == ' ' || line[0] == '\t' || item.MatchString(line) {
		return false
	}
	return closed || !strings.ContainsRune("-*+0123456789", rune(line[0])) || len(line) > 11
}

// fenceOf is the fence of a code block in a line, "" for other lines.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// render renders a part for the terminal.
func (m *markdown) render(text string) string {
	width, _ := m.size.get()
	var fitted bytes.Buffer
	// Writing to a buffer cannot fail.
	_, _ = (&colorprofile.Writer{Forward: &fitted, Profile: m.profile}).WriteString(strings.Join(rendered(text, max(width-1, 20)), "\n"))
	return fitted.String()
}

var sequence = regexp.MustCompile(`\x1b\[[0-9;:]*m`)
