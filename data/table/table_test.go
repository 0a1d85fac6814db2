package table

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// odd are texts that CSV files and spreadsheets are known to spoil.
var odd = []string{
	"", "'", "''", "'=", "=1+1", "+33 1", "-", "-5", "@SUM(A1)", "\tx", "\r", "a\r\nb", "a\nb", "\n", "'\"", "'\"x\"", "'\"x", "\"", "\"\"", "a,b", "a;b",
	" ", " x ", "5", "true", "null", "[1]", `{"a":1}`, "1e999", "é", "\uFEFF", "\uFFFD", "＝1", "'twas", "#", "`", "🎼", "x\ty", "''=1", `\`, "\u2028", "id",
	"a;=1", ";", "a; \"=1\"", "x;\t-1", "a\n=1", "a\n- b", "a\n- b(1)", "\t=1", "a;b",
}

// freeType has a field of every kind, names that are taken, and room for others.
func freeType() *userdata.ToolType {
	return &userdata.ToolType{
		ID: "free",
		ToolTypeFields: userdata.ToolTypeFields{Name: "Free", ConfigSchema: json.RawMessage(`{"type":"object"}`), EntrySchema: json.RawMessage(`{"type":"object","properties":{
		"text":{"type":"string"},"number":{"type":"number"},"whole":{"type":"integer"},"yes":{"type":"boolean"},"object":{"type":"object"},"list":{"type":"array"},
		"maybe":{"type":["string","null"]},"any":true,"id":{"type":"string"},"timestamp":{},"*":{"type":"string"},"data.id":{"type":"integer"},"=1+1":{"type":"string"}}}`)},
	}
}

func randomValue(r *rand.Rand, depth int) any {
	switch r.IntN(7 - 2*depth) {
	case 0:
		return odd[r.IntN(len(odd))] + odd[r.IntN(len(odd))]
	case 1:
		return json.Number(fmt.Sprintf("%d.%02d", r.IntN(2000)-1000, r.IntN(100)))
	case 2:
		return r.IntN(2) == 0
	case 3:
		return nil
	case 4:
		return odd[r.IntN(len(odd))]
	case 5:
		return map[string]any{odd[r.IntN(len(odd))]: randomValue(r, depth+1), "b": randomValue(r, depth+1)}
	}
	return []any{randomValue(r, depth+1), randomValue(r, depth+1)}
}

func randomData(r *rand.Rand) map[string]any {
	data := map[string]any{}
	for field, value := range map[string]func() any{
		"text": func() any { return odd[r.IntN(len(odd))] }, "number": func() any { return json.Number(fmt.Sprintf("%g", r.NormFloat64()*1e6)) },
		"whole": func() any { return r.IntN(100) - 50 }, "yes": func() any { return r.IntN(2) == 0 },
		"object": func() any { return map[string]any{"a": randomValue(r, 1)} }, "list": func() any { return []any{randomValue(r, 1)} },
		"maybe": func() any { return []any{nil, odd[r.IntN(len(odd))]}[r.IntN(2)] }, "any": func() any { return randomValue(r, 0) },
		"id": func() any { return odd[r.IntN(len(odd))] }, "timestamp": func() any { return randomValue(r, 0) }, "*": func() any { return odd[r.IntN(len(odd))] },
		"data.id": func() any { return r.IntN(9) }, "=1+1": func() any { return odd[r.IntN(len(odd))] }, "unnamed": func() any { return randomValue(r, 0) },
	} {
		if r.IntN(3) > 0 {
			data[field] = value()
		}
	}
	return data
}

// TestAFileIsReadAsItWasWritten: what is written is read as the same data, whatever it
// holds, and no cell of the file is one that a spreadsheet would run.
func TestAFileIsReadAsItWasWritten(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	columns, err := Of(freeType())
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		var entries []userdata.Entry
		for i := range 60 {
			at := noon.Add(time.Duration(i) * (time.Hour + time.Microsecond))
			entries = append(entries, userdata.Entry{ID: fmt.Sprintf("ent_%03d", i), Timestamp: at, Data: jsonbody.Encode(randomData(r))})
		}
		var file bytes.Buffer
		if err := columns.Write(csv.NewWriter(&file), entries, true); err != nil {
			t.Fatal(err)
		}
		safe(t, file.String())
		back := readAll(t, columns, file.String())
		if len(back) != 60 {
			t.Fatalf("%d entries came back", len(back))
		}
		for i, e := range back {
			at, err := time.Parse(time.RFC3339Nano, e.Timestamp)
			if want := entries[i]; string(e.Data) != string(want.Data) || err != nil || !at.Equal(want.Timestamp) {
				t.Fatalf("%s at %s\ncame back as\n%s at %s", want.Data, want.Timestamp, e.Data, e.Timestamp)
			}
		}
	}
}

func readAll(t *testing.T, columns *Table, file string) []userdata.EntryFields {
	t.Helper()
	lines, err := Open(columns, strings.NewReader(file))
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	var entries []userdata.EntryFields
	for {
		in, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil || !in.OK {
			t.Fatalf("%v, %v\n%s", err, lines.Err(), file)
		}
		entries = append(entries, in.Entry)
	}
}

// safe demands that no cell begins like a formula, but for numbers.
func safe(t *testing.T, file string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		for _, cell := range line {
			if strings.IndexAny(cell, running) == 0 && !json.Valid([]byte(cell)) {
				t.Errorf("a spreadsheet would run %q", cell)
			}
		}
	}
}

// FuzzCellOfText: every text comes back from its cell, and none is run.
func FuzzCellOfText(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ToValidUTF8(text, "") != text {
			return // not stored
		}
		cell := cellOfText(text)
		if back := textOfCell(cell); back != text || cell == "" || strings.IndexAny(cell, running) == 0 || strings.Contains(cell, "\r") {
			t.Errorf("%q is written as %q and read as %q", text, cell, back)
		}
	})
}

// dividedCells are the cells of a file in a spreadsheet that divides at sep: a quote counts
// only where a cell begins with it.
func dividedCells(file string, sep byte) []string {
	var cells []string
	cell, quoted := "", false
	for i := 0; i < len(file); i++ {
		switch c := file[i]; {
		case quoted && c == '"' && i+1 < len(file) && file[i+1] == '"':
			cell += `"`
			i++
		case quoted && c == '"':
			quoted = false
		case !quoted && c == '"' && cell == "":
			quoted = true
		case !quoted && (c == sep || c == '\n'):
			cells, cell = append(cells, cell), ""
		default:
			cell += string(c)
		}
	}
	return append(cells, cell)
}

// No cell is run, at whatever a spreadsheet divides the lines; and the file comes back.
func TestFilesAsSpreadsheetsWriteThem(t *testing.T) {
	const file = "timestamp\tvalue\r\n2026-03-02T07:30:00Z\t70\r\n"
	wide := func(order binary.AppendByteOrder, mark string) string {
		b := []byte(mark)
		for _, unit := range utf16.Encode([]rune(file)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"UTF-8":                       file,
		"byte order mark":             "\uFEFF" + file,
		"UTF-16, little end first":    wide(binary.LittleEndian, "\xff\xfe"),
		"UTF-16, big end first":       wide(binary.BigEndian, "\xfe\xff"),
		"empty columns":               "timestamp,value,,\n2026-03-02T07:30:00Z,70,,\n",
		"empty columns of the header": "timestamp,value,,\n2026-03-02T07:30:00Z,70\n",
		"semicolons, empty columns":   "\uFEFFtimestamp;value; ;\r\n2026-03-02T07:30:00Z;70;;\r\n",
	} {
		values, err := Of(&userdata.ToolType{ToolTypeFields: userdata.ToolTypeFields{EntrySchema: json.RawMessage(`{"type":"object","properties":{"value":{"type":"number"}}}`)}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(values, strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		line, err := r.Next()
		if err != nil || !line.OK || line.Entry.Timestamp != "2026-03-02T07:30:00Z" || string(line.Entry.Data) != `{"value":70}` {
			t.Errorf("%s: %+v, %v", name, line, err)
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: then %v", name, err)
		}
	}
}

func TestNoSeparatorMakesAFormula(t *testing.T) {
	const formula = "=HYPERLINK(1)"
	var entries []userdata.Entry
	for _, between := range []string{";", "\t", ";\"", "; ", ";'", "\n", "\n\"", "\r\n", ",", "\";\"", "\n\n", ";;"} {
		for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
			text := "a" + between + sign + formula[1:]
			for _, value := range []any{text, []any{text}, map[string]any{"x": text}} {
				for _, field := range []string{"text", "any", "unnamed", "list", "object"} {
					data := map[string]any{field: value}
					entries = append(entries, userdata.Entry{ID: "ent_1", Timestamp: noon, Data: jsonbody.Encode(data)})
				}
			}
		}
	}
	columns, err := Of(freeType())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := columns.Write(csv.NewWriter(&file), entries, true); err != nil {
		t.Fatal(err)
	}
	for _, sep := range []byte(",;\t") {
		for _, cell := range dividedCells(file.String(), sep) {
			bare := strings.TrimLeft(cell, " \"")
			if strings.IndexAny(bare, running) == 0 && strings.Contains(bare, formula[1:]) {
				t.Fatalf("divided at %q, a cell is run: %q", sep, cell)
			}
		}
	}
}

// What a table of the page has above its columns is understood too, in both languages.
func TestHeadingsOfThePage(t *testing.T) {
	kind := &userdata.ToolType{ToolTypeFields: userdata.ToolTypeFields{EntrySchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["value"],"properties":{"value":{"type":"number"},"note":{"type":"string"}}}`)}}
	for header, want := range map[string]string{
		"When,Value (kg)":          "",
		"quand;Valeur;NOTE":        "",
		"timestamp,Value,note":     "",
		"When,value,Value (kg)":    "duplicate_column",
		"When,Weight":              "unknown_column",
		"When,value,quand,unknown": "duplicate_column",
	} {
		all, err := Of(kind)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(all, strings.NewReader(header+"\n"))
		if got := err == nil; got != (want == "") {
			t.Errorf("%s: %v", header, err)
			continue
		}
		if failure, ok := errors.AsType[*domain.Error](err); ok && !strings.Contains(fmt.Sprint(failure.Fields), want) {
			t.Errorf("%s: %v", header, failure.Fields)
		}
	}
}
