package data

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// odd are texts that CSV files and spreadsheets are known to spoil.
var odd = []string{
	"", "'", "''", "'=", "=1+1", "+33 1", "-", "-5", "@SUM(A1)", "\tx", "\r", "a\r\nb", "a\nb", "\n", "'\"", "'\"x\"", "'\"x", "\"", "\"\"", "a,b", "a;b",
	" ", " x ", "5", "true", "null", "[1]", `{"a":1}`, "1e999", "é", "\uFEFF", "\uFFFD", "＝1", "'twas", "#", "`", "🎼", "x\ty", "''=1", `\`, "\u2028", "id",
	"a;=1", ";", "a; \"=1\"", "x;\t-1", "a\n=1", "a\n- b", "a\n- b(1)", "\t=1", "a;b",
}

// freeType has a field of every kind, names that are taken, and room for others.
func freeType() *domain.ToolType {
	return &domain.ToolType{ID: "free", Name: "Free", CreatedAt: noon, UpdatedAt: noon, ConfigSchema: json.RawMessage(`{"type":"object"}`), EntrySchema: json.RawMessage(`{"type":"object","properties":{
		"text":{"type":"string"},"number":{"type":"number"},"whole":{"type":"integer"},"yes":{"type":"boolean"},"object":{"type":"object"},"list":{"type":"array"},
		"maybe":{"type":["string","null"]},"any":true,"id":{"type":"string"},"timestamp":{},"*":{"type":"string"},"data.id":{"type":"integer"},"=1+1":{"type":"string"}}}`)}
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

// freeWorld has a tool tol_f of the free type.
func freeWorld(t *testing.T) *world {
	w := newWorld(t)
	w.ok(w.data.InsertToolType(t.Context(), freeType()))
	w.ok(w.data.InsertTool(t.Context(), &domain.Tool{
		ID: "tol_f", ZoneID: "zon_h", ToolType: "free", Name: "Free", Config: json.RawMessage(`{}`), CreatedAt: noon, UpdatedAt: noon,
	}))
	return w
}

func (w *world) export(tool string) string {
	w.t.Helper()
	var out bytes.Buffer
	if err := w.rules.ExportEntries(w.t.Context(), w.data, domain.EntryFilter{ToolID: tool}, &out); err != nil {
		w.t.Fatal(err)
	}
	return out.String()
}

// TestAnExportComesBack: what is exported is imported as the same data, whatever it
// holds, and no cell of the file is one that a spreadsheet would run.
func TestAnExportComesBack(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 30 {
		w := freeWorld(t)
		var entries []domain.Entry
		for i := range 60 {
			id := fmt.Sprintf("ent_f%03d", i)
			at := noon.Add(time.Duration(i) * (time.Hour + time.Microsecond))
			entries = append(entries, domain.Entry{
				ID: id, ToolID: "tol_f", Timestamp: at, Data: jsonbody.Encode(randomData(r)), Version: 1, CreatedAt: noon, UpdatedAt: noon,
			})
		}
		w.ok(w.data.InsertEntries(t.Context(), entries))
		file := w.export("tol_f")
		safe(t, file)
		back, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_f", strings.NewReader(file))
		if err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		if len(back.Entries) != 60 {
			t.Fatalf("%d entries came back", len(back.Entries))
		}
		for i, e := range back.Entries {
			want := entries[i]
			if string(e.Data) != string(want.Data) || !e.Timestamp.Equal(want.Timestamp) {
				t.Fatalf("%s at %s\ncame back as\n%s at %s", want.Data, want.Timestamp, e.Data, e.Timestamp)
			}
		}
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

// TestFilesOfPeople: what spreadsheets write in their countries.
func TestFilesOfPeople(t *testing.T) {
	for about, file := range map[string]string{
		"commas":       "timestamp,value\n2026-11-01,71.5\n2026-11-02T08:00,72\n",
		"semicolons":   "value;timestamp\r\n71,5;2026-11-01\r\n72;2026-11-02T08:00\r\n",
		"tabs":         "value\ttimestamp\n71.5\t2026-11-01\n72\t2026-11-02 08:00",
		"a BOM":        "\uFEFF\"timestamp\",\"value\"\n\"2026-11-01\",\"71.5\"\n2026-11-02T08:00:00Z, 72 \n",
		"an id":        "id,timestamp,value\nent_1,2026-11-01,71.5\n,2026-11-02 08:00:00,72\n",
		"empty lines":  "timestamp,value\n\n2026-11-01,71.5\n\n2026-11-02T08:00,72\n\n",
		"another zone": "timestamp,value\n2026-11-01T02:00:00+02:00,71.5\n2026-11-02T08:00:00Z,7.2e1\n",
	} {
		w := newWorld(t)
		back, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_w", strings.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", about, err)
			continue
		}
		var got []string
		for _, e := range back.Entries {
			var of struct{ Value float64 }
			if err := json.Unmarshal(e.Data, &of); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(e.Timestamp.Format(time.RFC3339), " ", of.Value))
		}
		if text := strings.Join(got, ", "); text != "2026-11-01T00:00:00Z 71.5, 2026-11-02T08:00:00Z 72" {
			t.Errorf("%s: %s", about, text)
		}
	}
}

// TestMistakesInFiles: each is told with its line and column.
func TestMistakesInFiles(t *testing.T) {
	for about, tt := range map[string]struct{ file, want string }{
		"empty":           {"", "/lines/1 header"},
		"UTF-16":          {"\xff\xfev\x00a\x00", "/lines/1 encoding"},
		"Latin 1":         {"value,timestamp\n1,2026\n\"\xe9\",2\n", "/lines/2/timestamp time; /lines/3/value encoding"},
		"NUL":             {"value\n1\x00\n", "/lines/2/value nul"},
		"unknown column":  {"value,weight\n", "/lines/1/weight unknown_column"},
		"twice":           {"value,value\n", "/lines/1/value duplicate_column"},
		"missing":         {"timestamp\n2026-01-01\n", "/lines/1/value missing_column"},
		"no header":       {"70\n", "/lines/1/70 unknown_column; /lines/1/value missing_column"},
		"ragged":          {"timestamp,value\n2026-01-01\n2026-01-01,70,1\n2026-01-01,70\n", "/lines/2 ragged; /lines/3 ragged"},
		"an open quote":   {"timestamp,value\n2026-01-01,\"70\n", "/lines/2 csv"},
		"a bare quote":    {"value\n70\n7\"0\n", "/lines/3 csv"},
		"no number":       {"value\nmuch\n70\n\"7,5\"\n", "/lines/2/value type; /lines/4/value type"},
		"out of range":    {"value\n70\n\n7000\n", "/lines/4/value range"},
		"no value":        {"timestamp,value\n2026-01-01,\n", "/lines/2/value required"},
		"no time":         {"timestamp,value\nsoon,70\n", "/lines/2/timestamp time"},
		"across lines":    {"timestamp,value\n2026-01-01,\"\n\n70\"\nsoon,70\n", "/lines/5/timestamp time"},
		"half surrogates": {"text,maybe\nx,\"\"\"\\ud800\"\"\"\n", "/lines/2/maybe type"},
		"no JSON":         {"object,list,yes\n[],{},1\n", "/lines/2/object type; /lines/2/list type; /lines/2/yes type"},
		"hidden in rest":  {"*\n\"{\"\"text\"\":1}\"\n", "/lines/2/* type"},
	} {
		w, tool := freeWorld(t), "tol_w"
		if strings.HasPrefix(tt.file, "text,") || strings.HasPrefix(tt.file, "object,") || strings.HasPrefix(tt.file, "*") {
			tool = "tol_f"
		}
		_, err := w.rules.ReadEntries(t.Context(), w.data, w.env, tool, strings.NewReader(tt.file))
		var got []string
		if e, ok := err.(*domain.Error); ok && e.Code == domain.CodeInvalid {
			for _, f := range e.Fields {
				got = append(got, f.Pointer+" "+f.Code)
			}
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: %q, %v", about, text, err)
		}
	}
}

// endless is a file that never ends; it counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	n := 0
	if e.read == 0 {
		n = copy(b, "value\n")
	}
	for ; n+3 <= len(b); n += 3 {
		copy(b[n:], "70\n")
	}
	e.read += n
	return n, nil
}

// TestAFileHasAnEnd: too many lines and too many mistakes end the reading.
func TestAFileHasAnEnd(t *testing.T) {
	w, file := newWorld(t), &endless{}
	_, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_w", file)
	if domain.ErrorCode(err) != domain.CodeTooLarge || file.read > 3*maxImport+128<<10 {
		t.Errorf("%v after %d bytes", err, file.read)
	}
	_, err = w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_w", strings.NewReader("value\n"+strings.Repeat("much\n", 5000)))
	e, ok := err.(*domain.Error)
	if !ok || len(e.Fields) != maxMistakes || !strings.HasPrefix(e.Message, "100 mistakes and maybe more were found in the file. Nothing was stored. Line 2, column") {
		t.Errorf("%v", err)
	}
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
func TestNoSeparatorMakesAFormula(t *testing.T) {
	const formula = "=HYPERLINK(1)"
	var entries []domain.Entry
	for _, between := range []string{";", "\t", ";\"", "; ", ";'", "\n", "\n\"", "\r\n", ",", "\";\"", "\n\n", ";;"} {
		for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
			text := "a" + between + sign + formula[1:]
			for _, value := range []any{text, []any{text}, map[string]any{"x": text}} {
				for _, field := range []string{"text", "any", "unnamed", "list", "object"} {
					data := map[string]any{field: value}
					entries = append(entries, domain.Entry{ID: "ent_1", Timestamp: noon, Data: jsonbody.Encode(data)})
				}
			}
		}
	}
	columns, err := tableOf(freeType())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := columns.write(csv.NewWriter(&file), entries, true); err != nil {
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
