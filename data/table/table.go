package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// The columns that are no fields of the data. restColumn holds, as one JSON object,
// the fields that the schema does not name. A field whose name is one of these, or
// begins like the escape, is written with the escape before it.
const (
	idColumn    = "id"
	timeColumn  = "timestamp"
	restColumn  = "*"
	fieldEscape = "data."
)

// column is a column of a CSV file of entries. field is "" for those that are no
// fields of the data; kind is the schema's type of the field, "" if it allows several.
type column struct {
	name, field, kind string
	required          bool
}

// Table maps the entries of a tool type to lines of a CSV file.
type Table struct {
	columns []column
	rest    bool
}

// Of makes the columns of a type: id, timestamp, the fields of the entry schema by
// name, and the rest if the schema allows any.
func Of(t *userdata.ToolType) (*Table, error) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional json.RawMessage            `json:"additionalProperties"`
		Patterns   json.RawMessage            `json:"patternProperties"`
	}
	if err := json.Unmarshal(t.EntrySchema, &schema); err != nil {
		return nil, fmt.Errorf("read the entry schema of %s: %w", t.ID, err)
	}
	all := &Table{columns: []column{{name: idColumn}, {name: timeColumn}}}
	for _, field := range slices.Sorted(maps.Keys(schema.Properties)) {
		c := column{name: field, field: field, required: slices.Contains(schema.Required, field)}
		if field == idColumn || field == timeColumn || field == restColumn || strings.HasPrefix(field, fieldEscape) {
			c.name = fieldEscape + field
		}
		var of struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(schema.Properties[field], &of) == nil { // a list of types, or true: any
			c.kind = of.Type
		}
		all.columns = append(all.columns, c)
	}
	if string(schema.Additional) != "false" || len(schema.Patterns) > 0 {
		all.rest = true
		all.columns = append(all.columns, column{name: restColumn, kind: "object"})
	}
	return all, nil
}

func (t *Table) header() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = cellOfText(c.name)
	}
	return names
}

// row is an entry's line of the file.
func (t *Table) row(e *userdata.Entry) ([]string, error) {
	var data map[string]json.RawMessage
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, fmt.Errorf("read the entry %s: %w", e.ID, err)
	}
	cells := make([]string, len(t.columns))
	for i, c := range t.columns {
		switch {
		case c.field != "":
			if value, there := data[c.field]; there {
				cells[i] = c.cell(value)
				delete(data, c.field)
			}
		case c.name == idColumn:
			cells[i] = e.ID
		case c.name == timeColumn:
			cells[i] = e.Timestamp.UTC().Format(time.RFC3339Nano)
		case len(data) > 0:
			cells[i] = unsplit(jsonbody.Encode(data)) // what the fields before have left
		}
	}
	return cells, nil
}

// cell writes a value. Texts are written as they are, everything else as JSON; where a field has no fixed
// type, a text that could be read as JSON is written as JSON too.
func (c *column) cell(value json.RawMessage) string {
	var text string
	if bytes.HasPrefix(value, []byte(`"`)) && json.Unmarshal(value, &text) == nil {
		if c.kind == "string" || text != "" && !json.Valid([]byte(text)) {
			return cellOfText(text)
		}
	}
	return unsplit(value)
}

// unsplit is JSON that no spreadsheet divides at any separator: it contains no white space, and semicolons
// only in texts, where their escape means the same.
func unsplit(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return strings.ReplaceAll(b.String(), ";", `\u003b`)
}

// running are the characters by which a spreadsheet takes a cell for a formula, or
// that it drops.
const running = "=+-@\t\r\n＝＋－＠"

// splits finds what a spreadsheet runs that divides lines at semicolons or tabs: there the
// quotes around a cell are none, and a formula may begin behind any of these, or on a new
// line. A list with dashes is none, as long as nothing in its line could be run.
var splits = regexp.MustCompile(`[;\t][\s"']*[=+\-@＝＋－＠]|\n[\s"']*(?:[=@＝＠]|[+\-＋－][^\n]*[|(=!])`)

// cellOfText writes a text so that no spreadsheet runs it: an apostrophe goes before
// what would. It also goes before nothing, because an empty cell is a field that is not
// there; and before the JSON of a text with carriage returns, which CSV does not keep, or of one
// that runs when it is divided.
func cellOfText(text string) string {
	if _, taken := quotedText(text); taken || strings.Contains(text, "\r") || splits.MatchString(text) {
		return "'" + unsplit(jsonbody.Encode(text))
	}
	if text == "" || strings.IndexAny(text, running) == 0 || escaped(text) {
		return "'" + text
	}
	return text
}

// textOfCell reads what cellOfText wrote, and any other text unchanged.
func textOfCell(cell string) string {
	if text, ok := quotedText(cell); ok {
		return text
	}
	if escaped(cell) {
		return cell[1:]
	}
	return cell
}

// escaped reports that an apostrophe precedes a value that needs one.
func escaped(cell string) bool {
	rest, ok := strings.CutPrefix(cell, "'")
	return ok && (rest == "" || strings.IndexAny(rest, running+"'") == 0)
}

// quotedText reads an apostrophe with a JSON text after it.
func quotedText(cell string) (text string, ok bool) {
	rest, ok := strings.CutPrefix(cell, "'")
	if !ok || !strings.HasPrefix(rest, `"`) {
		return "", false
	}
	return text, json.Unmarshal([]byte(rest), &text) == nil
}

// Write writes entries as lines, after the names of the columns if these are asked for.
func (t *Table) Write(lines *csv.Writer, page []userdata.Entry, header bool) error {
	if header {
		if err := lines.Write(t.header()); err != nil {
			return fmt.Errorf("write the header: %w", err)
		}
	}
	for i := range page {
		cells, err := t.row(&page[i])
		if err != nil {
			return err
		}
		if err := lines.Write(cells); err != nil {
			return fmt.Errorf("write the entries: %w", err)
		}
	}
	lines.Flush()
	if err := lines.Error(); err != nil {
		return fmt.Errorf("write the entries: %w", err)
	}
	return nil
}
