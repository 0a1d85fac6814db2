package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// freeType has a field of a few kinds, and room for others.
func freeType() *userdata.ToolType {
	return &userdata.ToolType{
		ID: "free",
		ToolTypeFields: userdata.ToolTypeFields{Name: "Free", ConfigSchema: json.RawMessage(`{"type":"object"}`), EntrySchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"maybe":{"type":["string","null"]},
			"yes":{"type":"boolean"},"object":{"type":"object"},"list":{"type":"array"}}}`)},
		CreatedAt: noon,
		UpdatedAt: noon,
	}
}

// freeWorld has a tool tol_f of the free type.
func freeWorld(t *testing.T) *world {
	w := newWorld(t)
	w.ok(w.data.InsertToolType(t.Context(), freeType()))
	w.ok(w.data.InsertTool(t.Context(), &userdata.Tool{
		ID:         "tol_f",
		ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "free", Name: "Free", Config: json.RawMessage(`{}`)},
		CreatedAt:  noon,
		UpdatedAt:  noon,
	}))
	return w
}

// TestAnExportComesBack: what the rules export changes nothing when it is read, and makes
// the same entries without its ids.
func TestAnExportComesBack(t *testing.T) {
	w := freeWorld(t)
	var entries []userdata.Entry
	for i := range 600 { // more than a page
		entries = append(entries, userdata.Entry{
			ID: fmt.Sprintf("ent_f%03d", i), ToolID: "tol_f", Timestamp: noon.Add(time.Duration(i) * (time.Hour + time.Microsecond)),
			Data: json.RawMessage(fmt.Sprintf(`{"other":[%d],"text":"=%d"}`, i, i)), Version: 1, CreatedAt: noon, UpdatedAt: noon,
		})
	}
	w.ok(w.data.InsertEntries(t.Context(), entries))
	var out bytes.Buffer
	w.ok(w.rules.ExportEntries(t.Context(), w.data, userdata.EntryQuery{EntryFilter: userdata.EntryFilter{ToolID: "tol_f"}}, &out))
	same, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_f", strings.NewReader(out.String()))
	if err != nil || same.Unchanged != len(entries) || len(same.Changed)+len(same.Entries) > 0 {
		t.Fatalf("%+v, %v", same, err)
	}
	file := regexp.MustCompile(`(?m)^(id|ent_f\d+),`).ReplaceAllString(out.String(), "")
	back, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_f", strings.NewReader(file))
	if err != nil || len(back.Entries) != len(entries) {
		t.Fatalf("%+v came back, %v", back, err)
	}
	for i, e := range back.Entries {
		if want := entries[i]; string(e.Data) != string(want.Data) || !e.Timestamp.Equal(want.Timestamp) {
			t.Fatalf("%s at %s\ncame back as\n%s at %s", want.Data, want.Timestamp, e.Data, e.Timestamp)
		}
	}
}

// TestFilesOfPeople: what spreadsheets write in their countries.
func TestFilesOfPeople(t *testing.T) {
	for about, file := range map[string]string{
		"commas":       "timestamp,value\n2026-11-01,71.5\n2026-11-02T08:00,72\n",
		"semicolons":   "value;timestamp\r\n71,5;2026-11-01\r\n72;2026-11-02T08:00\r\n",
		"tabs":         "value\ttimestamp\n71.5\t2026-11-01\n72\t2026-11-02 08:00",
		"a BOM":        "\uFEFF\"timestamp\",\"value\"\n\"2026-11-01\",\"71.5\"\n2026-11-02T08:00:00Z, 72 \n",
		"an id":        "id,timestamp,value\n ,2026-11-01,71.5\n,2026-11-02 08:00:00,72\n",
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

// TestMistakesInFiles verifies that each error is reported with its line and column.
func TestMistakesInFiles(t *testing.T) {
	for about, tt := range map[string]struct{ file, want string }{
		"empty":           {"", "/lines/1 header"},
		"half of a pair":  {"\xff\xfev\x00\x00\xd8a\x00", "/lines/1 encoding"},
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
	if !ok || len(e.Fields) != 100 || !strings.HasPrefix(e.Message,
		"100 mistakes and maybe more were found in the file. Nothing was stored. Line 2, column") {
		t.Errorf("%v", err)
	}
}
