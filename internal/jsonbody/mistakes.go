package jsonbody

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/internal/shorten"
)

// Path is the position of a reader in a value. It is only rendered for mistakes: a pointer for every value
// would cost its whole prefix each time.
type Path struct {
	parts []part
}

// part is a field's name, or an index in a list: then name is empty and index is not negative.
type part struct {
	name  string
	index int
}

// Name enters a field.
func (p *Path) Name(name string) { p.parts = append(p.parts, part{name, -1}) }

// Index enters an item of a list.
func (p *Path) Index(i int) { p.parts = append(p.parts, part{"", i}) }

// Up leaves the field or item that was entered last.
func (p *Path) Up() { p.parts = p.parts[:len(p.parts)-1] }

// String is the position as a JSON pointer (RFC 6901). Long names are shortened, and a pointer that would
// be too long is truncated.
func (p *Path) String() string {
	var out strings.Builder
	for _, at := range p.parts {
		name := strconv.Itoa(at.index)
		if at.index < 0 {
			name = Part(at.name)
		}
		if out.Len()+1+len(name) > maxPointer {
			return CutPointer(out.String() + "/" + name)
		}
		out.WriteString("/" + name)
	}
	return out.String()
}

// Part renders a name as a part of a JSON pointer, shortened if necessary.
func Part(name string) string {
	name = shorten.Characters(name, MaxShownName)
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// CutPointer shortens a pointer to the limit of a response.
func CutPointer(pointer string) string { return shorten.Bytes(pointer, maxPointer) }

// Mistake is one invalid value.
type Mistake struct {
	Pointer string
	Code    string
	Message string
}

// Mistakes collects the invalid values of one body, at most MaxMistakes.
type Mistakes struct {
	List []Mistake
	// Replaced reports that a lenient reader has put U+FFFD into some text.
	Replaced bool
}

// Full reports that the maximum is reached: reading on is useless.
func (m *Mistakes) Full() bool { return len(m.List) >= MaxMistakes }

// First is the first mistake as an error; nil without one.
func (m *Mistakes) First() error {
	if len(m.List) == 0 {
		return nil
	}
	return errors.New(m.List[0].Pointer + ": " + m.List[0].Message)
}

// Add records a mistake at a position.
func (m *Mistakes) Add(at *Path, code, format string, args ...any) {
	if !m.Full() {
		m.AddAt(at.String(), code, fmt.Sprintf(format, args...))
	}
}

// AddAt records a mistake at a pointer, whose names are rendered by Part.
func (m *Mistakes) AddAt(pointer, code, message string) {
	if !m.Full() {
		m.List = append(m.List, Mistake{Pointer: CutPointer(pointer), Code: code, Message: shorten.Characters(message, MaxMessage)})
	}
}
