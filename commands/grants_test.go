package commands

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// granted says which grant each action has.
func granted(actions []*domain.Execution) string {
	var all []string
	for _, e := range actions {
		all = append(all, strings.TrimSuffix(e.GrantID+":"+string(e.Status), ":PLANNED"))
	}
	return strings.Join(all, " ")
}

func runOf(w *world, grants ...domain.Grant) *world {
	w.in(domain.Run)
	w.env.SessionRequiresValidation = true
	for i, g := range grants {
		g.ID = string(rune('a' + i))
		w.env.Grants = append(w.env.Grants, &g)
	}
	return w
}

const weigh = `{"tool_id":"tol_w","entries":[{"data":{"value":70}}]}`

// A grant stands for a person's yes to what it names, and to nothing else.
func TestWhatAGrantCovers(t *testing.T) {
	create := []string{"CREATE_DATA"}
	past, coming := noon.Add(-time.Second), noon.Add(time.Second)
	small := json.RawMessage(`{"properties":{"entries":{"maxItems":1,"items":{"properties":{"data":{"properties":{"value":{"maximum":100}}}}}}}}`)
	for _, tt := range []struct {
		about   string
		grant   domain.Grant
		command string
		params  string
		covered bool
	}{
		{"its command", domain.Grant{Commands: create}, "CREATE_DATA", weigh, true},
		{"another command", domain.Grant{Commands: create}, "DELETE_DATA", `{"entry_ids":["ent_1"]}`, false},
		{"its tool", domain.Grant{Commands: create, ToolIDs: []string{"tol_w"}}, "CREATE_DATA", weigh, true},
		{"another tool", domain.Grant{Commands: create, ToolIDs: []string{"tol_j"}}, "CREATE_DATA", weigh, false},
		{"its zone", domain.Grant{Commands: create, ZoneIDs: []string{"zon_h"}}, "CREATE_DATA", weigh, true},
		{"another zone", domain.Grant{Commands: create, ZoneIDs: []string{"zon_g"}}, "CREATE_DATA", weigh, false},
		{"its zone, another tool", domain.Grant{Commands: create, ZoneIDs: []string{"zon_h"}, ToolIDs: []string{"tol_j"}}, "CREATE_DATA", weigh, false},
		{"an entry, by its tool", domain.Grant{Commands: []string{"UPDATE_DATA"}, ToolIDs: []string{"tol_w"}}, "UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":70}}`, true},
		{"an entry of another tool", domain.Grant{Commands: []string{"DELETE_DATA"}, ToolIDs: []string{"tol_j"}}, "DELETE_DATA", `{"entry_ids":["ent_1"]}`, false},
		{"a zone, bound to a tool", domain.Grant{Commands: []string{"UPDATE_ZONE"}, ToolIDs: []string{"tol_w"}}, "UPDATE_ZONE", `{"zone_id":"zon_h","name":"a"}`, false},
		{"a new zone, bound to a zone", domain.Grant{Commands: []string{"CREATE_ZONE"}, ZoneIDs: []string{"zon_h"}}, "CREATE_ZONE", `{"name":"a"}`, false},
		{"a tool moved out of its zone", domain.Grant{Commands: []string{"UPDATE_TOOL"}, ZoneIDs: []string{"zon_h"}}, "UPDATE_TOOL", `{"tool_id":"tol_j","zone_id":"zon_g"}`, false},
		{"a zone with tools it does not name", domain.Grant{Commands: []string{"DELETE_ZONE"}, ToolIDs: []string{"tol_w"}}, "DELETE_ZONE", `{"zone_id":"zon_h","force":true}`, false},
		{"a forced deletion", domain.Grant{Commands: []string{"DELETE_TOOL"}}, "DELETE_TOOL", `{"tool_id":"tol_w","force":true}`, true},
		{"a document", domain.Grant{Commands: []string{"CONTEXT_PUBLISH"}}, "CONTEXT_PUBLISH", `{"key":"about"}`, true},
		{"within its bounds", domain.Grant{Commands: create, Bounds: small}, "CREATE_DATA", weigh, true},
		{"beyond its bounds", domain.Grant{Commands: create, Bounds: small}, "CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":101}}]}`, false},
		{"bounds that are no schema", domain.Grant{Commands: create, Bounds: json.RawMessage(`{"type":5}`)}, "CREATE_DATA", weigh, false},
		{"until it expires", domain.Grant{Commands: create, ExpiresAt: &coming}, "CREATE_DATA", weigh, true},
		{"once it has expired", domain.Grant{Commands: create, ExpiresAt: &past}, "CREATE_DATA", weigh, false},
		{"once it is withdrawn", domain.Grant{Commands: create, RevokedAt: &past}, "CREATE_DATA", weigh, false},
		{"with uses left", domain.Grant{Commands: create, MaxPerRun: 3, UsesInRun: 2}, "CREATE_DATA", weigh, true},
		{"used up", domain.Grant{Commands: create, MaxPerRun: 3, UsesInRun: 3}, "CREATE_DATA", weigh, false},
	} {
		t.Run(tt.about, func(t *testing.T) {
			w := runOf(newWorld(t), tt.grant)
			plan := w.plan(w.command(tt.command, tt.params))
			if plan.Problem != "" {
				t.Fatal(plan.Problem)
			}
			if covered := granted(plan.Commands.Actions) == "a"; covered != tt.covered || covered != (len(plan.Commands.Reasons) == 0) {
				t.Errorf("covered %t, want %t; reasons %q", covered, tt.covered, levels(plan.Commands.Reasons))
			}
		})
	}
}

// The actions of one answer count together; the one too many makes all wait, and the
// card shows which of them a grant covers.
func TestGrantsAreCountedWithinAnAnswer(t *testing.T) {
	three := domain.Grant{Commands: []string{"CREATE_ZONE"}, MaxPerRun: 3, UsesInRun: 1}
	one := domain.Grant{Commands: []string{"CREATE_ZONE"}, MaxPerRun: 1}
	calls := func(w *world) []domain.Command {
		var all []domain.Command
		for _, name := range []string{"k", "l", "m", "n"} {
			all = append(all, w.command("CREATE_ZONE", `{"name":"`+name+`"}`))
		}
		return all
	}
	w := runOf(newWorld(t), three, one)
	plan := w.plan(calls(w)...)
	if got := granted(plan.Commands.Actions); got != "a a b " || levels(plan.Commands.Reasons) != "session ses_1" {
		t.Errorf("%q, %q", got, levels(plan.Commands.Reasons))
	}
	for i, card := range plan.Commands.Cards {
		if card.GrantID != plan.Commands.Actions[i].GrantID {
			t.Errorf("the card shows the grant %q of %q", card.GrantID, plan.Commands.Actions[i].GrantID)
		}
	}
	w = runOf(newWorld(t), three, one, one)
	plan = w.plan(calls(w)...)
	if got := granted(plan.Commands.Actions); got != "a a b c" || len(plan.Commands.Reasons)+len(plan.Commands.Cards) != 0 {
		t.Errorf("all covered: %q, %+v", got, plan.Commands)
	}
	again, err := w.c.Replan(t.Context(), w.data, w.env, plan.Commands.Actions, false)
	if err != nil || granted(again.Actions) != "a a b c" || len(again.Reasons) != 0 {
		t.Errorf("planned again: %q, %v", granted(again.Actions), err)
	}
	// What needs no yes uses nothing up.
	w = runOf(newWorld(t), one)
	w.env.SessionRequiresValidation = false
	if plan = w.plan(calls(w)...); granted(plan.Commands.Actions) != "   " || len(plan.Commands.Reasons) != 0 {
		t.Errorf("unasked: %q", granted(plan.Commands.Actions))
	}
	// Nor does what the policy lets pass, but for what it never does.
	w = runOf(newWorld(t), domain.Grant{Commands: []string{"CREATE_ZONE", "CONTEXT_PUBLISH"}, MaxPerRun: 1})
	w.env.Approving.Policy = domain.PolicyAllow
	plan = w.plan(w.command("CREATE_ZONE", `{"name":"k"}`), w.command("CONTEXT_PUBLISH", `{"key":"about"}`))
	if got := granted(plan.Commands.Actions); got != " a" {
		t.Errorf("allowed: %q", got)
	}
}

// TestAGrantMustCountWhenTheActionRuns verifies that a grant must still apply when the action runs. If it does not,
// no command of the answer runs and an approval is requested, unless none is required any more.
func TestAGrantMustCountWhenTheActionRuns(t *testing.T) {
	grant := domain.Grant{Commands: []string{"CREATE_ZONE"}}
	planned := func(t *testing.T) (*world, []*domain.Execution) {
		w := runOf(newWorld(t), grant)
		return w, w.plan(w.command("CREATE_ZONE", `{"name":"k"}`), w.command("CREATE_ZONE", `{"name":"l"}`)).Commands.Actions
	}
	t.Run("it counts", func(t *testing.T) {
		w, actions := planned(t)
		if outcome := w.act(actions); outcome.Stale != nil || granted(actions) != "a:SUCCESS a:SUCCESS" {
			t.Errorf("%q, %+v", granted(actions), outcome)
		}
	})
	t.Run("withdrawn", func(t *testing.T) {
		w, actions := planned(t)
		w.env.Grants = nil
		outcome := w.act(actions)
		if outcome.Stale == nil || len(w.zones()) != 2 || levels(outcome.Stale.Reasons) != "session ses_1, command" {
			t.Fatalf("%+v", outcome)
		}
		if got := granted(outcome.Stale.Actions); got != " " || len(outcome.Stale.Cards) != 2 {
			t.Errorf("asked: %q, %d cards", got, len(outcome.Stale.Cards))
		}
		approve(outcome.Stale.Actions)
		if outcome := w.act(outcome.Stale.Actions); outcome.Stale != nil || outcome.Failed || len(w.zones()) != 4 {
			t.Errorf("approved: %+v", outcome)
		}
	})
	t.Run("expired", func(t *testing.T) {
		w, actions := planned(t)
		w.env.Grants[0].ExpiresAt = &noon
		if outcome := w.act(actions); outcome.Stale == nil || len(w.zones()) != 2 {
			t.Errorf("%+v", outcome)
		}
	})
	t.Run("withdrawn, with another one in its place", func(t *testing.T) {
		w, actions := planned(t)
		w.env.Grants[0].ID = "z"
		if outcome := w.act(actions); outcome.Stale != nil || granted(actions) != "z:SUCCESS z:SUCCESS" {
			t.Errorf("%q, %+v", granted(actions), outcome)
		}
	})
	t.Run("withdrawn, and needed no more", func(t *testing.T) {
		w, actions := planned(t)
		w.env.Grants, w.env.SessionRequiresValidation = nil, false
		if outcome := w.act(actions); outcome.Stale != nil || granted(actions) != ":SUCCESS :SUCCESS" {
			t.Errorf("%q, %+v", granted(actions), outcome)
		}
	})
	t.Run("withdrawn under a person's own yes", func(t *testing.T) {
		w, actions := planned(t)
		approve(actions)
		w.env.Grants = nil
		if outcome := w.act(actions); outcome.Stale != nil || outcome.Failed {
			t.Errorf("%+v", outcome)
		}
	})
}
