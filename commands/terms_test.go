package commands

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// faultyStore fails one kind of read after the other.
type faultyStore struct {
	*stored
	err error
}

func (s *faultyStore) Zone(context.Context, string) (*userdata.Zone, error)   { return nil, s.err }
func (s *faultyStore) Tool(context.Context, string) (*userdata.Tool, error)   { return nil, s.err }
func (s *faultyStore) Entry(context.Context, string) (*userdata.Entry, error) { return nil, s.err }
func (s *faultyStore) Document(context.Context, string) (*userdata.Document, error) {
	return nil, s.err
}

var _ data.Store = (*faultyStore)(nil)

// actionParams are parameters for each action of the catalogue, with what its own terms demand.
var actionParams = []struct {
	name, params    string
	approval, lasts bool
}{
	{"CREATE_ZONE", `{"name":"a"}`, false, false},
	{"UPDATE_ZONE", `{"zone_id":"zon_x","name":"a"}`, false, false},
	{"DELETE_ZONE", `{"zone_id":"zon_x"}`, false, false},
	{"DELETE_ZONE", `{"zone_id":"zon_x","force":true}`, true, false},
	{"CREATE_TOOL", `{"zone_id":"zon_x","tool_type":"notes","name":"a"}`, false, false},
	{"UPDATE_TOOL", `{"tool_id":"tol_x","name":"a"}`, false, false},
	{"DELETE_TOOL", `{"tool_id":"tol_x"}`, false, false},
	{"DELETE_TOOL", `{"tool_id":"tol_x","force":true}`, true, false},
	{"CREATE_DATA", `{"tool_id":"tol_x","entries":[{"data":{"value":70}}]}`, false, false},
	{"UPDATE_DATA", `{"entry_id":"ent_x","data":{"value":70}}`, false, false},
	{"DELETE_DATA", `{"entry_ids":["ent_x"]}`, false, false},
	{"CREATE_TOOL_TYPE", `{"id":"b","name":"a","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, false, true},
	{"CONTEXT_UPDATE", `{"key":"x","body":"a"}`, true, true},
	{"CONTEXT_EDIT", `{"key":"x","edits":[{"find":"a","replace":"b"}]}`, true, true},
	{"CONTEXT_PUBLISH", `{"key":"x"}`, true, true},
	{createAutomation, `{"name":"a","request":"b","schedule":{"type":"cron","expression":"nonsense"}}`, true, true},
}

// A failed read never takes an approval away: whichever error a card meets, the action still has the
// terms of its command, and a read that fails for another reason than a missing target fails the plan.
func TestAnErrorNeverLoosensApproval(t *testing.T) {
	broken := errors.New("the database is away")
	var none domain.Text
	seen := map[string]bool{}
	for _, c := range actionParams {
		seen[c.name] = true
		for what, err := range map[string]error{"missing": domain.NotFound("target"), "invalid": domain.Invalid("/x", "x", "No."), "broken": broken} {
			w := newWorld(t)
			store := &faultyStore{stored: w.data, err: err}
			e := &domain.Execution{ID: "cmd_1", Command: c.name, Params: []byte(c.params), Kind: domain.KindAction, Status: domain.ExecPlanned}
			all, failed := w.c.describeAll(t.Context(), store, w.env, []*domain.Execution{e})
			if what == "broken" && failed != nil && errors.Is(failed, broken) {
				continue
			}
			if failed != nil || len(all) != 1 {
				t.Fatalf("%s, %s: %d, %v", c.name, what, len(all), failed)
			}
			d := &all[0].card
			if (d.always != none || d.person != none) != c.approval || d.lasts != c.lasts {
				t.Errorf("%s %s, %s: always %q, person %q, lasts %v", c.name, c.params, what, d.always, d.person, d.lasts)
			}
		}
	}
	for name, entry := range New(data.NewRules(), nil).commands {
		if entry.describe != nil && !seen[name] {
			t.Errorf("%s has no row", name)
		}
	}
}

// An action whose target is missing when it is planned, and there when it runs, has been checked
// against no zone and no tool: a person is asked if one of them requires it.
func TestATargetThatAppearsIsApproved(t *testing.T) {
	for what, c := range map[string]struct {
		guarded, asks bool
		session       domain.SessionType
	}{
		"a guarded tool":          {true, true, domain.Chat},
		"one without a guard":     {false, false, domain.Chat},
		"a guarded one, in a run": {true, true, domain.Run},
	} {
		w := newWorld(t)
		w.in(c.session)
		plan := w.plan(w.command("UPDATE_TOOL", `{"tool_id":"tol_new","name":"b"}`))
		if len(plan.Commands.Reasons) != 0 {
			t.Fatalf("%s: %q", what, levels(plan.Commands.Reasons))
		}
		w.put(&userdata.Tool{ID: "tol_new", ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "notes", Name: "New", Config: []byte(`{}`), RequireValidation: c.guarded}})
		outcome := w.act(plan.Commands.Actions)
		if (outcome.Stale != nil) != c.asks || (w.tools()["tol_new"].Name == "b") == c.asks {
			t.Errorf("%s: stale %+v, name %s", what, outcome.Stale, w.tools()["tol_new"].Name)
		}
		if c.asks && !slices.ContainsFunc(outcome.Stale.Reasons, func(r domain.ApprovalReason) bool { return strings.Contains(r.Text, "was added") }) {
			t.Errorf("%s: %+v", what, outcome.Stale.Reasons)
		}
	}
}
