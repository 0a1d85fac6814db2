package jsonbody

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Path is where a reader stands in a value. It is written out only for a mistake: a
// pointer for every value would cost its whole prefix each time.
type Path struct {
	parts []part
}

// part is a field's name, or a place in a list where the name is empty and index is not
// negative.
type part struct {
	name  string
	index int
}

// Name goes into a field.
func (p *Path) Name(name string) { p.parts = append(p.parts, part{name, -1}) }

// Index goes into an item of a list.
func (p *Path) Index(i int) { p.parts = append(p.parts, part{"", i}) }

// Up leaves the field or item that was entered last.
func (p *Path) Up() { p.parts = p.parts[:len(p.parts)-1] }

// String is the JSON pointer (RFC 6901) of the place. Long names are cut, and where the
// whole would be too long its end is left out.
func (p *Path) String() string {
	var out strings.Builder
	for _, at := range p.parts {
		name := strconv.Itoa(at.index)
		if at.index < 0 {
			name = Part(at.name)
		}
		if out.Len()+1+len(name) > MaxPointer {
			return CutPointer(out.String() + "/" + name)
		}
		out.WriteString("/" + name)
	}
	return out.String()
}

// Part writes a name as a part of a JSON pointer; a long one is cut.
func Part(name string) string {
	name = Cut(name, MaxShownName)
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// Cut shortens a text to n characters; the last one then is an ellipsis.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	seen, last := 0, 0
	for i := range text {
		if seen++; seen == n {
			last = i
		}
		if seen > n {
			return text[:last] + "…"
		}
	}
	return text
}

// CutPointer shortens a pointer to what an answer may hold.
func CutPointer(pointer string) string {
	if len(pointer) <= MaxPointer {
		return pointer
	}
	at := MaxPointer - len("…")
	for at > 0 && !utf8.RuneStart(pointer[at]) {
		at--
	}
	return pointer[:at] + "…"
}

// Mistake is one wrong value.
type Mistake struct {
	Pointer string
	Code    string
	Message string
}

// Mistakes gathers the wrong values of one body, MaxMistakes of them.
type Mistakes struct {
	List []Mistake
	// Mended says that a lenient reader has put U+FFFD into some text.
	Mended bool
}

// Full says that no more are told: reading on is of no use.
func (m *Mistakes) Full() bool { return len(m.List) >= MaxMistakes }

// First is the first mistake as an error; nil without one.
func (m *Mistakes) First() error {
	if len(m.List) == 0 {
		return nil
	}
	return errors.New(m.List[0].Pointer + ": " + m.List[0].Message)
}

// Add notes a mistake at a place.
func (m *Mistakes) Add(at *Path, code, format string, args ...any) {
	if !m.Full() {
		m.AddAt(at.String(), code, fmt.Sprintf(format, args...))
	}
}

// AddAt notes a mistake at a pointer, whose names are made with Part.
func (m *Mistakes) AddAt(pointer, code, message string) {
	if !m.Full() {
		m.List = append(m.List, Mistake{Pointer: CutPointer(pointer), Code: code, Message: Cut(message, MaxMessage)})
	}
}
