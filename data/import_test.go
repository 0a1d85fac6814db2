package data

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// TestLinesChangeEntries: what a line says of an entry that is there.
func TestLinesChangeEntries(t *testing.T) {
	const stored = `{"list":[1],"other":{"b":1},"text":"old","third":3}`
	for about, tt := range map[string]struct{ file, at, data string }{
		"all as it was":       {"id,timestamp,list,text,*\ne,2026-11-18T12:00:00Z,[1],old,\"{\"\"other\"\":{\"\"b\"\":1},\"\"third\"\":3}\"\n", "", ""},
		"as it was, spaced":   {"id,list\ne, [ 1 ] \n", "", ""},
		"an id alone":         {"id\n e \n", "", ""},
		"no time":             {"id,timestamp,text\ne,,old\n", "", ""},
		"a field":             {"id,text\ne,new\n", "12:00", `{"list":[1],"other":{"b":1},"text":"new","third":3}`},
		"a field taken away":  {"text,id\n,e\n", "12:00", `{"list":[1],"other":{"b":1},"third":3}`},
		"a field added":       {"id,yes\ne,true\n", "12:00", `{"list":[1],"other":{"b":1},"text":"old","third":3,"yes":true}`},
		"the rest taken away": {"id,*\ne,\n", "12:00", `{"list":[1],"text":"old"}`},
		"another rest":        {"id,*\ne,\"{\"\"z\"\":{}}\"\n", "12:00", `{"list":[1],"text":"old","z":{}}`},
		"another time":        {"id,timestamp\ne,2026-11-18T13:00\n", "13:00", stored},
	} {
		w := freeWorld(t)
		was := userdata.Entry{ID: "e", ToolID: "tol_f", Timestamp: noon, Data: json.RawMessage(stored), SessionID: "ses_0", CreatedAt: noon, UpdatedAt: noon}
		w.ok(w.data.InsertEntries(t.Context(), []userdata.Entry{was}))
		found, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_f", strings.NewReader(tt.file))
		if err != nil || len(found.Entries) > 0 || found.Unchanged+len(found.Changed) != 1 {
			t.Errorf("%s: %+v, %v", about, found, err)
			continue
		}
		if tt.data == "" {
			if found.Unchanged != 1 {
				t.Errorf("%s: changed to %s", about, found.Changed[0].Data)
			}
			continue
		}
		if found.Unchanged == 1 {
			t.Errorf("%s: unchanged", about)
			continue
		}
		got := found.Changed[0]
		if string(got.Data) != tt.data || got.Timestamp.Format("15:04") != tt.at || got.Version != 1 || !got.CreatedAt.Equal(noon) {
			t.Errorf("%s: %s at %s, version %d", about, got.Data, got.Timestamp, got.Version)
		}
	}
}

// TestMistakesOfIDs verifies that each error is reported with its line, those of a batch in order, and that an id
// of another tool is treated like an unknown id.
func TestMistakesOfIDs(t *testing.T) {
	w := freeWorld(t)
	w.ok(w.data.InsertEntries(t.Context(), []userdata.Entry{{ID: "ent_f", ToolID: "tol_f", Timestamp: noon, Data: json.RawMessage(`{}`), CreatedAt: noon, UpdatedAt: noon}}))
	many := strings.Repeat(",70\n", 2*importBatch)
	for about, tt := range map[string]struct{ file, want string }{
		"unknown":           {"id,value\nent_a,70\nent_x,70\n", "/lines/3/id unknown"},
		"of another tool":   {"id,value\nent_f,70\n", "/lines/2/id unknown"},
		"twice":             {"id,value\nent_a,70\nent_b,70\n ent_a ,71\n", "/lines/4/id duplicate"},
		"twice, far apart":  {"id,value\nent_a,70\n" + many + "ent_a,70\n", fmt.Sprintf("/lines/%d/id duplicate", 3+2*importBatch)},
		"a required field":  {"id,value\nent_a,\n", "/lines/2/value required"},
		"no required field": {"id,timestamp\nent_a,2026-11-01\n,2026-11-02\n", "/lines/3/value required"},
		"out of range":      {"id,value\nent_a,7000\nent_b,7\n", "/lines/2/value range; /lines/3/value range"},
		"no time":           {"id,timestamp\nent_a,soon\n", "/lines/2/timestamp time"},
		"in their order":    {"id,value\nent_x,70\nent_a,much\nent_y,much\n,70,\n\"ent_b\"z,1\n", "/lines/2/id unknown; /lines/3/value type; /lines/4/value type; /lines/4/id unknown; /lines/5 ragged; /lines/6 csv"},
	} {
		_, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_w", strings.NewReader(tt.file))
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

// TestTheFirstErrorsAreReported verifies that the first hundred errors are reported, also if
// unreadable lines follow lines with wrong ids.
func TestTheFirstErrorsAreReported(t *testing.T) {
	w := newWorld(t)
	file := "id,value\n" + strings.Repeat(",much\n", 60) + strings.Repeat("ent_x,70\n", 30) + strings.Repeat(",much\n", 300)
	_, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_w", strings.NewReader(file))
	e, ok := err.(*domain.Error)
	if !ok || len(e.Fields) != 100 {
		t.Fatalf("%v", err)
	}
	for i, f := range e.Fields {
		if !strings.HasPrefix(f.Pointer, fmt.Sprintf("/lines/%d/", i+2)) {
			t.Errorf("mistake %d is %s", i, f.Pointer)
		}
	}
}

// TestWhatAFileNamesHasABound: a short file may name much data, and have it read, whether
// it changes any of it or not.
func TestWhatAFileNamesHasABound(t *testing.T) {
	w := freeWorld(t)
	var ids []string
	for i := range maxImportNamed/(400<<10) + 1 {
		id := fmt.Sprintf("ent_%03d", i)
		w.ok(w.data.InsertEntries(t.Context(), []userdata.Entry{{ID: id, ToolID: "tol_f", Timestamp: noon,
			Data: json.RawMessage(`{"list":["` + strings.Repeat("a", 400<<10) + `"]}`), CreatedAt: noon, UpdatedAt: noon}}))
		ids = append(ids, id)
	}
	for name, cell := range map[string]string{"changed": "true", "as they are": ""} {
		for extra, code := range map[int]domain.Code{0: domain.CodeTooLarge, 1: ""} {
			file := "id,yes\n" + strings.Join(ids[extra:], ","+cell+"\n") + "," + cell + "\n"
			_, err := w.rules.ReadEntries(t.Context(), w.data, w.env, "tol_f", strings.NewReader(file))
			if domain.ErrorCode(err) != code && (err != nil || code != "") {
				t.Errorf("%s, without the first %d: %v", name, extra, err)
			}
		}
	}
}

// TestAFileChangesWhatWasRead verifies that changed entries get a new version and then belong to the client; that a
// dry run and a file without changes write nothing; and that a concurrent change during the upload is not lost.
func TestAFileChangesWhatWasRead(t *testing.T) {
	s, store := newService(t)
	ctx := t.Context()
	const file = "id,value\nent_a,80\nent_b,71.9\n,81\n"
	for _, dryRun := range []bool{true, false} {
		result, _, err := s.ImportEntries(ctx, ws, "tol_w", strings.NewReader(file), dryRun)
		if err != nil || result.Count != 1 || result.Changed != 1 || result.Unchanged != 1 || !result.First.Equal(noon.AddDate(0, 0, -2)) {
			t.Errorf("dry %v: %+v, %v", dryRun, result, err)
		}
		a, err := s.Entry(ctx, ws, "ent_a")
		if want := map[bool]int64{true: 1, false: 2}[dryRun]; err != nil || a.Version != want || a.SessionID != "" || (string(a.Data) == `{"value":80}`) == dryRun {
			t.Errorf("dry %v: %+v, %v", dryRun, a, err)
		}
	}
	_, before, err := s.UpdateEntry(ctx, ws, "ent_a", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result, seq, err := s.ImportEntries(ctx, ws, "tol_w", strings.NewReader("id,value\nent_a,80\n"), false); err != nil || result.Unchanged != 1 || seq != before {
		t.Errorf("%+v at %d after %d, %v", result, seq, before, err)
	}
	for about, meanwhile := range map[string]func() error{
		"changed": func() error {
			_, _, err := s.UpdateEntry(ctx, ws, "ent_b", 0, userdata.EntryPatch(`{"data":{"value":50}}`))
			return err
		},
		"deleted": func() error { _, err := s.DeleteEntry(ctx, ws, "ent_b", 0); return err },
	} {
		w := meanwhileStore{stores: store, do: meanwhile}
		other := NewService(&w, s.rules, s.now, s.newID)
		_, _, err := other.ImportEntries(ctx, ws, "tol_w", strings.NewReader("id,value\n,99\nent_a,98\nent_b,97\n"), false)
		if domain.ErrorCode(err) != domain.CodeConflict {
			t.Errorf("%s meanwhile: %v", about, err)
		}
		if about == "deleted" {
			if _, _, err := s.RestoreEntry(ctx, ws, "ent_b"); err != nil {
				t.Fatal(err)
			}
		}
		if a, err := s.Entry(ctx, ws, "ent_a"); err != nil || string(a.Data) != `{"value":80}` {
			t.Errorf("%s meanwhile: %+v, %v", about, a, err)
		}
	}
}

// meanwhileStore is one in which something happens before a transaction begins.
type meanwhileStore struct {
	stores
	do func() error
}

func (m *meanwhileStore) Write(ctx context.Context, workspace string,
	change func(context.Context, Store) ([]domain.DataChange, error)) (int64, error) {
	if err := m.do(); err != nil {
		return 0, err
	}
	return m.stores.Write(ctx, workspace, change)
}
