package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Reader reads the lines of a CSV file, and records the position of each cell.
type Reader struct {
	table   *Table
	lines   *csv.Reader
	columns []column        // in the order of the file
	fields  map[string]bool // those that have a column of their own: whether the file has it
	rest    bool            // the file has the column of the other fields
	line    int             // of the last record
	wide    bool            // the file is in UTF-16
	width   int             // cells of the header, empty ones at its end included
	wrong   mistakes
}

// Line is a line of the file. ID is that of the entry that it changes, "" for a new one.
type Line struct {
	Number int
	ID     string
	Entry  userdata.EntryFields
	OK     bool // it could be read
}

// Open reads the header. What separates the columns shows there.
func Open(t *Table, file io.Reader) (*Reader, error) {
	in, wide := utf8Text(bufio.NewReaderSize(file, 64<<10))
	r := &Reader{table: t, lines: csv.NewReader(in), wide: wide}
	r.lines.FieldsPerRecord, r.lines.ReuseRecord, r.lines.Comma = -1, true, separator(in)
	names, err := r.read()
	r.width = len(names)
	names = withoutEmptyEnd(names, 0)
	if errors.Is(err, io.EOF) {
		r.wrong.add(1, "", "header", "The file is empty. Its first line names the columns.")
		return nil, r.wrong.error()
	}
	if err != nil {
		return nil, err
	}
	r.head(names)
	r.rest = slices.ContainsFunc(r.columns, func(c column) bool { return c.name == restColumn && c.field == "" })
	r.fields = map[string]bool{}
	for _, c := range t.columns {
		if c.field != "" {
			r.fields[c.field] = slices.ContainsFunc(r.columns, func(k column) bool { return k.field == c.field })
		}
	}
	return r, r.wrong.error()
}

// utf8Text reads a file in UTF-8 or, with a byte order mark, in UTF-16, as spreadsheets write "Unicode
// text"; wide reports UTF-16.
func utf8Text(in *bufio.Reader) (text *bufio.Reader, wide bool) {
	mark, _ := in.Peek(3) // a shorter file has none
	switch {
	case bytes.HasPrefix(mark, []byte("\uFEFF")):
		_, _ = in.Discard(3) // it is in the buffer
	case bytes.HasPrefix(mark, []byte{0xFF, 0xFE}), bytes.HasPrefix(mark, []byte{0xFE, 0xFF}):
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		return bufio.NewReaderSize(transform.NewReader(in, decoder), 64<<10), true
	}
	return in, false
}

// separator is the most frequent candidate in the first line, outside of quotes.
func separator(in *bufio.Reader) rune {
	begin, _ := in.Peek(64 << 10) // shorter at the end of the file
	counts, inText := map[byte]int{}, false
	for _, b := range begin {
		if b == '"' {
			inText = !inText
		}
		if b == '\n' && !inText {
			break
		}
		if !inText {
			counts[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte{';', '\t'} {
		if counts[b] > counts[best] {
			best = b
		}
	}
	return rune(best)
}

// withoutEmptyEnd leaves out the empty cells behind the first so many: spreadsheets write separators
// for columns that were used once.
func withoutEmptyEnd(cells []string, least int) []string {
	for len(cells) > least && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// head finds the columns that the header names.
func (r *Reader) head(names []string) {
	seen := map[string]bool{}
	for _, cell := range names {
		name := strings.TrimSpace(textOfCell(cell))
		at := r.table.find(name)
		if at >= 0 {
			name = r.table.columns[at].name
		}
		switch {
		case r.wrong.enough():
			return
		case at < 0:
			r.wrong.add(1, name, "unknown_column", "There is no such column. There are: %s.", r.table.names())
		case seen[name]:
			r.wrong.add(1, name, "duplicate_column", "This column is there twice.")
		default:
			r.columns = append(r.columns, r.table.columns[at])
		}
		seen[name] = true
	}
	for _, c := range r.table.columns {
		// An entry that is changed keeps the field; a new one is refused at its line.
		if c.required && !seen[c.name] && !seen[idColumn] && !r.wrong.enough() {
			r.wrong.add(1, c.name, "missing_column", "This column is missing: its field is required.")
		}
	}
}

// shown are the page's headings of columns, in its languages, where they differ from the names of the
// fields.
var shown = map[string]string{
	"when": timeColumn, "quand": timeColumn,
	"valeur": "value", "texte": "text", "titre": "title", "fait": "done", "avancement": "progress",
}

// find is the column of a heading: its name, or what a table of the page has in its place,
// "Value (kg)". -1: there is none.
func (t *Table) find(heading string) int {
	byName := func(name string) int {
		return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
	}
	if at := byName(heading); at >= 0 {
		return at
	}
	plain, _, _ := strings.Cut(heading, " (")
	if at := slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, plain) }); at >= 0 {
		return at
	}
	return byName(shown[strings.ToLower(plain)])
}

func (t *Table) names() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return shorten.Characters(strings.Join(names, ", "), 500)
}

// read returns the cells of the next line; io.EOF at the end. Reading stops at a broken structure or
// encoding.
func (r *Reader) read() ([]string, error) {
	cells, err := r.lines.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		r.wrong.add(broken.Line, "", "csv", "This is not CSV: %v, at character %d.", broken.Err, broken.Column)
		return nil, r.wrong.error()
	}
	if err != nil {
		return nil, err
	}
	r.line, _ = r.lines.FieldPos(0)
	for i, cell := range cells {
		name := ""
		if i < len(r.columns) {
			name = r.columns[i].name
		}
		if r.wide && strings.ContainsRune(cell, utf8.RuneError) { // what the decoder could not read
			r.wrong.add(r.line, name, "encoding", "This is not UTF-16 as a whole. Save the file as CSV in UTF-8.")
			return nil, r.wrong.error()
		}
		if !utf8.ValidString(cell) {
			r.wrong.add(r.line, name, "encoding", "This is not UTF-8. Save the file as CSV in UTF-8.")
			return nil, r.wrong.error()
		}
		if strings.IndexByte(cell, 0) >= 0 {
			r.wrong.add(r.line, name, "nul", "Text may not hold the character NUL.")
			return nil, r.wrong.error()
		}
	}
	return cells, nil
}

// Next reads the next line; io.EOF at the end.
func (r *Reader) Next() (Line, error) {
	cells, err := r.read()
	if err != nil {
		return Line{}, err
	}
	in := Line{Number: r.line}
	if len(cells) <= r.width {
		cells = withoutEmptyEnd(cells, len(r.columns))
	}
	if len(cells) != len(r.columns) {
		r.wrong.add(r.line, "", "ragged", "There are %d cells, and the header names %s.",
			len(cells), domain.Plural(len(r.columns), "column", "columns"))
		return in, nil
	}
	data, before := map[string]any{}, len(r.wrong.found)
	for i, c := range r.columns {
		switch {
		case cells[i] == "":
		case c.name == idColumn && c.field == "":
			in.ID = strings.TrimSpace(textOfCell(cells[i]))
		case c.name == timeColumn && c.field == "":
			in.Entry.Timestamp = strings.TrimSpace(cells[i])
		default:
			r.value(c, cells[i], data)
		}
	}
	in.Entry.Data, in.OK = jsonbody.Encode(data), len(r.wrong.found) == before
	return in, nil
}

// Changed is what a line makes of the stored data of an entry: the fields whose columns
// the file has are as in the line, where an empty cell is a field that is not there; the
// others stay. It gives the stored data itself if nothing differs.
func (r *Reader) Changed(stored, line json.RawMessage) (json.RawMessage, error) {
	was, err := fieldsOf(stored)
	if err != nil {
		return nil, err
	}
	is, err := fieldsOf(line)
	if err != nil {
		return nil, err
	}
	for field, value := range was {
		inFile, named := r.fields[field]
		if !inFile && (named || !r.rest) {
			is[field] = value
		}
	}
	data := jsonbody.Encode(is)
	if bytes.Equal(data, jsonbody.Encode(was)) {
		return stored, nil
	}
	return data, nil
}

func fieldsOf(data json.RawMessage) (map[string]any, error) {
	value, err := jsonbody.Value(data)
	if err != nil {
		return nil, fmt.Errorf("read the data of an entry: %w", err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the data of an entry is no object")
	}
	return fields, nil
}

// value puts what a cell says into the data.
func (r *Reader) value(c column, cell string, data map[string]any) {
	value, problem := c.value(cell, r.lines.Comma)
	if problem != "" {
		r.wrong.add(r.line, c.name, "type", "%s", problem)
		return
	}
	if c.field != "" {
		data[c.field] = value
		return
	}
	object, _ := value.(map[string]any) // it is one: the column's kind says so
	for name, inner := range object {
		if slices.ContainsFunc(r.table.columns, func(k column) bool { return k.field == name }) {
			r.wrong.add(r.line, c.name, "type", "The field %s has a column of its own.", jsonbody.Quote(name))
			return
		}
		data[name] = inner
	}
}

var decimalComma = regexp.MustCompile(`^-?[0-9]+,[0-9]+$`)

// value reads a cell as the schema's type says; problem is what is wrong with it.
func (c *column) value(cell string, separator rune) (value any, problem string) {
	bare := strings.TrimSpace(cell)
	switch c.kind {
	case "string":
		return c.text(cell)
	case "number", "integer":
		if separator == ';' && decimalComma.MatchString(bare) {
			bare = strings.Replace(bare, ",", ".", 1) // as spreadsheets write where ; separates
		}
	case "boolean":
		bare = strings.ToLower(bare)
	case "object", "array":
	default:
		if !json.Valid([]byte(cell)) {
			return c.text(cell)
		}
	}
	value, err := jsonbody.Value([]byte(bare))
	if err != nil && c.kind == "" {
		return nil, fmt.Sprintf("This cannot be used: %v.", err)
	}
	if err != nil || !fitsKind(value, c.kind) {
		return nil, fmt.Sprintf("This must be %s.", schema.TypeName(c.kind))
	}
	if lost(cell, jsonbody.Encode(value)) {
		return nil, "Text may not hold NUL or half of a surrogate pair."
	}
	return value, ""
}

func (c *column) text(cell string) (any, string) {
	text := textOfCell(cell)
	if lost(cell, []byte(text)) || strings.IndexByte(text, 0) >= 0 {
		return nil, "Text may not hold NUL or half of a surrogate pair."
	}
	return text, ""
}

// lost says that reading JSON has replaced what is no text.
func lost(cell string, read []byte) bool {
	const replaced = "\uFFFD"
	return bytes.Count(read, []byte(replaced)) > strings.Count(cell, replaced)+strings.Count(strings.ToLower(cell), `\ufffd`)
}

func fitsKind(value any, kind string) bool {
	switch value.(type) {
	case nil:
		return kind == "null" || kind == ""
	case json.Number:
		return kind == "number" || kind == "integer" || kind == ""
	case bool:
		return kind == "boolean" || kind == ""
	case map[string]any:
		return kind == "object" || kind == ""
	case []any:
		return kind == "array" || kind == ""
	}
	return kind == ""
}
