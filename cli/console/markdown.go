package console

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// markdown is an answer that comes in piece by piece. Parts that will not change any more are
// rendered; rest is what came after them.
type markdown struct {
	size    *size
	profile colorprofile.Profile
	rest    string
}

func (m *markdown) add(text string) { m.rest += text }

// take is the rest of an answer that has ended.
func (m *markdown) take() string {
	rest := m.rest
	m.rest = ""
	return rest
}

// whole takes the next part that will not change any more; "" while there is none.
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

// wholeUntil is where the first part ends: at a line that begins a paragraph after an empty
// one, or behind the end of a code block. A list goes on over empty lines, and a code block
// until it is closed.
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

// begins says whether a line is the first of something new. One that still comes in can
// become an item of the list before it.
func begins(line string, closed bool) bool {
	if line == "" || line[0] == ' ' || line[0] == '\t' || item.MatchString(line) {
		return false
	}
	return closed || !strings.ContainsRune("-*+0123456789", rune(line[0])) || len(line) > 11
}

// fenceOf is the run of characters that opens or closes a code block, "" for other lines.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// render is a part as the terminal shows it.
func (m *markdown) render(text string) string {
	width, _ := m.size.get()
	var fitted bytes.Buffer
	// To a buffer nothing goes wrong.
	_, _ = (&colorprofile.Writer{Forward: &fitted, Profile: m.profile}).WriteString(strings.Join(rendered(text, max(width-1, 20)), "\n"))
	return fitted.String()
}

var sequence = regexp.MustCompile(`\x1b\[[0-9;:]*m`)
