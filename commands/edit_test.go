package commands

import (
	"context"
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/commands/trial"
	"github.com/fermata-dev/fermata/domain"
)

// edit lets a person write other params for the first of these actions.
func (w *world) edit(params string, series ...*domain.Execution) (*domain.Execution, error) {
	w.t.Helper()
	edited, err := w.c.Edit(w.t.Context(), w.data, w.env, series, nil, map[string]json.RawMessage{series[0].ID: json.RawMessage(params)})
	if err != nil {
		return nil, err
	}
	return edited[0], nil
}

func TestEdit(t *testing.T) {
	w := newWorld(t)
	w.env.Settings.RequireValidation = true
	plan := w.plan(w.command("CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}}]}`))
	e := plan.Commands.Actions[0]
	edited, err := w.edit(`{"tool_id":"tol_w", "entries":[{"data":{"value":71}}], "repeat":true}`, e)
	if err != nil {
		t.Fatal(err)
	}
	if edited.ID != e.ID || edited.Digest == e.Digest || edited.CommandID == e.CommandID || string(edited.Params) != `{"entries":[{"data":{"value":71}}],"tool_id":"tol_w"}` {
		t.Errorf("%+v", edited)
	}
	if string(e.Params) != `{"entries":[{"data":{"value":70}}],"tool_id":"tol_w"}` {
		t.Errorf("the original changed: %s", e.Params)
	}
	if len(w.entries()) != 2 {
		t.Errorf("the check kept something: %d entries", len(w.entries()))
	}
	approve([]*domain.Execution{edited})
	if outcome := w.act([]*domain.Execution{edited}); outcome.Failed || outcome.Stale != nil {
		t.Errorf("%+v", outcome)
	}
}

// TestAnEditIsCheckedAsTheActionWouldBe verifies that all problems (schema, types, ids, ranges, dates, rules of the
// data) are reported before the answer is accepted, each at the value that is wrong, and that the same parameters
// fail when they are run.
func TestAnEditIsCheckedAsTheActionWouldBe(t *testing.T) {
	entry, diary := `{"tool_id":"tol_w","entries":[{"data":{"value":70}}]}`, `{"tool_id":"tol_j","entries":[{"data":{"text":"x"}}]}`
	for _, c := range []struct{ command, params, edited, pointer string }{
		{"CREATE_DATA", entry, `[]`, ""},
		{"CREATE_DATA", entry, `{"tool_id":"tol_w","entries":[]}`, "/entries"},
		{"CREATE_DATA", entry, `{"tool_id":"tol_w","entries":[{"data":{}}],"a":1}`, "/a"},
		{"CREATE_DATA", entry, `{"tool_id":"tol_x","entries":[{"data":{}}]}`, "/tool_id"},
		{"CREATE_DATA", entry, `{"tool_id":"tol_w","entries":[{"data":{"value":70}},{"data":{"value":500}}]}`, "/entries/1/data/value"},
		{"CREATE_DATA", entry, `{"tool_id":"tol_w","entries":[{"timestamp":"2026-13-01","data":{"value":70}}]}`, "/entries/0/timestamp"},
		{"CREATE_DATA", diary, `{"tool_id":"tol_j","entries":[{"data":{"text":7}}]}`, "/entries/0/data/text"},
		{"CREATE_DATA", diary, `{"tool_id":"tol_j","entries":[{"data":{}}]}`, "/entries/0/data/text"},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":71}}`, `{"entry_id":"ent_1","data":{"value":"heavy"}}`, "/data/value"},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":71}}`, `{"entry_id":"ent_9","data":{"value":71}}`, "/entry_id"},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":71}}`, `{"entry_id":"ent_1"}`, ""},
		{"DELETE_DATA", `{"entry_ids":["ent_1"]}`, `{"entry_ids":["ent_1","ent_8"]}`, "/entry_ids/1"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"journal","name":"a"}`, `{"zone_id":"zon_h","tool_type":"novel","name":"a"}`, "/tool_type"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"journal","name":"a"}`, `{"zone_id":"zon_h","tool_type":"tracking","name":"a","config":{"min":5,"max":1}}`, "/config/max"},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","name":"a"}`, `{"tool_id":"tol_w","zone_id":"zon_x"}`, "/zone_id"},
		{"DELETE_TOOL", `{"tool_id":"tol_w","force":true}`, `{"tool_id":"tol_w"}`, ""},
		{"CREATE_ZONE", `{"name":"a"}`, `{"name":"a","colour":"#12345"}`, "/colour"},
		{"UPDATE_ZONE", `{"zone_id":"zon_h","name":"a"}`, `{"zone_id":"zon_h","name":" "}`, "/name"},
		{"DELETE_ZONE", `{"zone_id":"zon_h","force":true}`, `{"zone_id":"zon_h"}`, ""},
		{"CREATE_TOOL_TYPE", `{"id":"own","name":"Own","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, `{"id":"journal","name":"Own","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, ""},
		{"CREATE_TOOL_TYPE", `{"id":"own","name":"Own","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, `{"id":"own","name":"Own","config_schema":{"type":"object"},"entry_schema":{"type":7}}`, "/entry_schema"},
		{"CONTEXT_UPDATE", `{"key":"about","body":"b"}`, `{"key":"About Me","body":"b"}`, "/key"},
		{"CONTEXT_PUBLISH", `{"key":"about"}`, `{"key":"none"}`, "/key"},
	} {
		t.Run(c.command+" "+c.edited, func(t *testing.T) {
			w := newWorld(t)
			w.env.Settings.RequireValidation = true
			e := w.plan(w.command(c.command, c.params)).Commands.Actions[0]
			if e.Status.Final() {
				t.Fatalf("the action itself is refused: %+v", e.Error)
			}
			_, err := w.edit(c.edited, e)
			if domain.ErrorCode(err) != domain.CodeInvalid || pointerOf(err) != "/edits/"+e.ID+c.pointer {
				t.Errorf("%v at %q, want it below /edits/%s%s", err, pointerOf(err), e.ID, c.pointer)
			}
			run := *e
			run.Params, run.Digest, run.ApprovalID = json.RawMessage(c.edited), "", ""
			if outcome := w.act([]*domain.Execution{&run}); !outcome.Failed {
				t.Error("the same params run")
			}
		})
	}
}

// TestAnEditIsCheckedInItsSeries verifies that the effects of preceding actions are taken into account, and that
// all problems are reported at once.
func TestAnEditIsCheckedInItsSeries(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("CONTEXT_UPDATE", `{"key":"new","body":"b"}`), w.command("CONTEXT_PUBLISH", `{"key":"new"}`),
		w.command("CREATE_ZONE", `{"name":"a"}`))
	series := plan.Commands.Actions
	if len(plan.Commands.Cards) != 3 {
		t.Fatalf("the series is not asked about: %+v", plan.Commands)
	}
	edits := map[string]json.RawMessage{series[0].ID: json.RawMessage(`{"key":"other","body":"c"}`), series[1].ID: json.RawMessage(`{"key":"other"}`)}
	edited, err := w.c.Edit(t.Context(), w.data, w.env, series, nil, edits)
	if err != nil || len(edited) != 2 {
		t.Fatalf("%v, %d edited", err, len(edited))
	}
	// The first is not approved: there is nothing to publish then.
	_, err = w.c.Edit(t.Context(), w.data, w.env, series, []string{series[1].ID, series[2].ID}, map[string]json.RawMessage{series[1].ID: edits[series[1].ID]})
	if pointerOf(err) != "/edits/"+series[1].ID+"/key" {
		t.Errorf("publishing what is not approved: %v", err)
	}
	edits[series[1].ID], edits[series[2].ID] = json.RawMessage(`{"key":7}`), json.RawMessage(`{"name":""}`)
	_, err = w.c.Edit(t.Context(), w.data, w.env, series, nil, edits)
	var pointers []string
	if e, ok := err.(*domain.Error); ok {
		for _, f := range e.Fields {
			pointers = append(pointers, f.Pointer)
		}
	}
	if want := []string{"/edits/" + series[1].ID + "/key", "/edits/" + series[2].ID + "/name"}; !slices.Equal(pointers, want) {
		t.Errorf("pointers are %v, want %v", pointers, want)
	}
}

// TestNoApprovalForWhatCannotRun verifies that an action that would fail is failed before a person sees it,
// together with the other actions of its answer.
func TestNoApprovalForWhatCannotRun(t *testing.T) {
	w := newWorld(t)
	w.env.Settings.RequireValidation = true
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"a"}`), w.command("CREATE_DATA", `{"tool_id":"tol_j","entries":[{"data":{"text":7}}]}`))
	actions := plan.Commands.Actions
	if len(plan.Commands.Reasons)+len(plan.Commands.Cards) != 0 || actions[0].Status != domain.ExecCancelled ||
		actions[1].Status != domain.ExecFailed || actions[1].Error.Fields[0].Pointer != "/entries/0/data/text" {
		t.Errorf("%+v, %+v", actions[0], actions[1])
	}
	// A series whose actions need each other can run.
	plan = w.plan(w.command("DELETE_DATA", `{"entry_ids":["ent_1","ent_2"]}`), w.command("DELETE_TOOL", `{"tool_id":"tol_w"}`),
		w.command("DELETE_TOOL", `{"tool_id":"tol_j"}`), w.command("DELETE_ZONE", `{"zone_id":"zon_h"}`))
	if len(plan.Commands.Cards) != 4 {
		t.Errorf("%+v", plan.Commands.Actions[0].Error)
	}
}

// TestATrialKeepsNothing: every method that writes is the trial's own, and after actions
// of all kinds the data is as it was.
func TestATrialKeepsNothing(t *testing.T) {
	of := reflect.TypeFor[*trial.Store]()
	for m := range reflect.TypeFor[Data]().Methods() {
		own, _ := of.MethodByName(m.Name)
		file, _ := runtime.FuncForPC(own.Func.Pointer()).FileLine(own.Func.Pointer())
		writes := slices.ContainsFunc([]string{"Insert", "Update", "Delete", "Put", "Keep", "Restore"}, func(prefix string) bool { return strings.HasPrefix(m.Name, prefix) })
		if writes && strings.Contains(file, "autogenerated") {
			t.Errorf("%s writes to the data beneath", m.Name)
		}
	}
	w := newWorld(t)
	present := func() map[string]any {
		return map[string]any{"zones": w.zones(), "tools": w.tools(), "types": w.types(), "entries": w.entries(), "documents": w.docs()}
	}
	before := present()
	var series []*domain.Execution
	for _, c := range [][2]string{
		{"CREATE_ZONE", `{"name":"a"}`}, {"UPDATE_ZONE", `{"zone_id":"zon_h","name":"b"}`}, {"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"journal","name":"a"}`},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","name":"b"}`}, {"UPDATE_TOOL", `{"tool_id":"tol_w","zone_id":"zon_g"}`},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}}]}`}, {"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":71}}`},
		{"DELETE_DATA", `{"entry_ids":["ent_1"]}`}, {"CREATE_TOOL_TYPE", `{"id":"own","name":"Own","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"own","name":"a"}`}, {"CONTEXT_UPDATE", `{"key":"about","body":"b"}`}, {"CONTEXT_UPDATE", `{"key":"new","body":"b"}`},
		{"CONTEXT_PUBLISH", `{"key":"new"}`}, {"DELETE_TOOL", `{"tool_id":"tol_w","force":true}`}, {"DELETE_ZONE", `{"zone_id":"zon_h","force":true}`},
	} {
		series = append(series, &domain.Execution{ID: w.env.NewID("exe"), Command: c[0], Params: json.RawMessage(c[1]), Kind: domain.KindAction, Status: domain.ExecPlanned})
	}
	wrong, err := w.c.rehearse(context.Background(), w.data, w.env, series)
	if err != nil || len(wrong) != 0 {
		t.Fatalf("%v %v", wrong, err)
	}
	for name, after := range present() {
		if !reflect.DeepEqual(before[name], after) {
			t.Errorf("the %s changed", name)
		}
	}
}
