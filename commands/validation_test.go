package commands

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func levels(reasons []domain.ApprovalReason) string {
	var all []string
	for _, r := range reasons {
		all = append(all, strings.TrimSuffix(string(r.Level)+" "+r.ID, " "))
	}
	return strings.Join(all, ", ")
}

// TestWhoAsksForValidation verifies that an approval is requested if any level requires it, with every reason.
func TestWhoAsksForValidation(t *testing.T) {
	for _, tt := range []struct {
		about  string
		set    func(w *world)
		calls  [][2]string
		levels string
	}{
		{"no level", nil, [][2]string{{"UPDATE_ZONE", `{"zone_id":"zon_h","name":"a"}`}}, ""},
		{"the workspace", func(w *world) { w.env.Settings.RequireValidation = true }, [][2]string{{"CREATE_ZONE", `{"name":"a"}`}}, "workspace"},
		{"the session", func(w *world) { w.env.SessionRequiresValidation = true }, [][2]string{{"CREATE_ZONE", `{"name":"a"}`}}, "session ses_1"},
		{"the zone itself", nil, [][2]string{{"UPDATE_ZONE", `{"zone_id":"zon_g","name":"a"}`}}, "zone zon_g"},
		{"the zone of a tool", nil, [][2]string{{"UPDATE_TOOL", `{"tool_id":"tol_g","name":"a"}`}}, "zone zon_g"},
		{"the zone of a new tool", nil, [][2]string{{"CREATE_TOOL", `{"zone_id":"zon_g","tool_type":"notes","name":"a"}`}}, "zone zon_g"},
		{"the zone of data", nil, [][2]string{{"CREATE_DATA", `{"tool_id":"tol_g","entries":[{"data":{"text":"a","done":false}}]}`}}, "zone zon_g"},
		{"the zone that a tool moves to", nil, [][2]string{{"UPDATE_TOOL", `{"tool_id":"tol_j","zone_id":"zon_g"}`}}, "zone zon_g"},
		{"the tool", guardWeight, [][2]string{{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":80}}`}}, "tool tol_w"},
		{"the tool of deleted data", guardWeight, [][2]string{{"DELETE_DATA", `{"entry_ids":["ent_1"]}`}}, "tool tol_w"},
		{"a tool in a deleted zone", guardWeight, [][2]string{{"DELETE_ZONE", `{"zone_id":"zon_h","force":true}`}}, "tool tol_w, command"},
		{"the AI", nil, [][2]string{{"CREATE_ZONE", `{"name":"a","validation_request":true}`}}, "ai"},
		{"not the AI, in an automation", func(w *world) { w.in(domain.Run) }, [][2]string{{"CREATE_ZONE", `{"name":"a","validation_request":true}`}}, ""},
		{"a deletion with force", nil, [][2]string{{"DELETE_TOOL", `{"tool_id":"tol_w","force":true}`}}, "command"},
		{"a document", nil, [][2]string{{"CONTEXT_UPDATE", `{"key":"about","body":"a"}`}, {"CONTEXT_PUBLISH", `{"key":"about"}`}}, "command"},
		{"several, for all the actions of an answer", func(w *world) { w.env.Settings.RequireValidation = true; guardWeight(w) },
			[][2]string{{"CREATE_ZONE", `{"name":"a"}`}, {"DELETE_TOOL", `{"tool_id":"tol_w","force":true}`}, {"UPDATE_TOOL", `{"tool_id":"tol_g","name":"a"}`}},
			"workspace, zone zon_g, tool tol_w, command"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			w := newWorld(t)
			if tt.set != nil {
				tt.set(w)
			}
			var calls []domain.Command
			for _, c := range tt.calls {
				calls = append(calls, w.command(c[0], c[1]))
			}
			plan := w.plan(calls...)
			if plan.Problem != "" || levels(plan.Commands.Reasons) != tt.levels {
				t.Fatalf("%q, %q; want %q", plan.Problem, levels(plan.Commands.Reasons), tt.levels)
			}
			if tt.levels != "" && len(plan.Commands.Cards) != len(calls) {
				t.Errorf("%d cards for %d actions", len(plan.Commands.Cards), len(calls))
			}
			for i, card := range plan.Commands.Cards {
				e := plan.Commands.Actions[i]
				if card.ID != e.ID || card.Digest == "" || card.Digest != e.Digest || string(card.Params) != string(e.Params) {
					t.Errorf("card %+v of %+v", card, e)
				}
			}
		})
	}
}

func guardWeight(w *world) {
	tool := w.tools()["tol_w"]
	tool.RequireValidation = true
	w.put(&tool)
}

// A card says the action in words with the values before and after, and warns.
func TestCards(t *testing.T) {
	for _, tt := range []struct{ name, params, english, french, before, after, warning string }{
		{"CREATE_ZONE", `{"name":"a"}`, "Add the zone “a”", "Ajouter la zone « a »", ``, `{"name":"a"}`, ""},
		{"UPDATE_ZONE", `{"zone_id":"zon_g","require_validation":false}`, "Change the zone “Guarded”", "Modifier la zone « Guarded »",
			`{"require_validation":true}`, `{"require_validation":false}`, "no longer ask"},
		{"DELETE_ZONE", `{"zone_id":"zon_h","force":true}`, "Delete the zone “Health” with its 2 tools", "Supprimer la zone « Health » avec ses 2 outils",
			`{"id":"zon_h","name":"Health","description":"","colour":"","position":0,"require_validation":false}`, ``, "deletion"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"notes","name":"a"}`, "Add the tool “a” (notes) to “Health”", "Ajouter l’outil « a » (notes) à « Health »",
			``, `{"zone_id":"zon_h","tool_type":"notes","name":"a"}`, ""},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","config":{"max":150}}`, "Change the tool “Weight”", "Modifier l’outil « Weight »",
			`{"config":{"max":200,"min":30,"unit":"kg"}}`, `{"config":{"max":150,"min":30,"unit":"kg"}}`, "config"},
		{"DELETE_TOOL", `{"tool_id":"tol_w","force":true}`, "Delete the tool “Weight” with its 2 entries", "Supprimer l’outil « Weight » avec ses 2 entrées", `*`, ``, "30 days"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}}]}`, "Add 1 entry to “Weight”", "Ajouter 1 entrée à « Weight »", ``, `[{"data":{"value":70}}]`, ""},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":70}}`, "Change an entry of “Weight”", "Modifier une entrée de « Weight »", `{"data":{"value":72.5}}`, `{"data":{"value":70}}`, ""},
		{"DELETE_DATA", `{"entry_ids":["ent_1"]}`, "Delete 1 entry of “Weight”", "Supprimer 1 entrée de « Weight »",
			`[{"id":"ent_1","timestamp":"2026-11-16T12:00:00Z","data":{"value":72.5}}]`, ``, "deletion"},
		{"CREATE_TOOL_TYPE", `{"id":"b","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, "Add the tool type “Book”", "Ajouter le type d’outil « Book »", ``, `*`, ""},
		{"CONTEXT_UPDATE", `{"key":"about","body":"I swim."}`, "Change the draft of the document “About me”", "Modifier le brouillon du document « About me »", `{"body":"I run."}`, `{"body":"I swim."}`, ""},
		{"CONTEXT_UPDATE", `{"key":"diet","title":"Diet","body":"No sugar."}`, "Add the document “Diet”", "Ajouter le document « Diet »", ``, `{"title":"Diet","body":"No sugar."}`, ""},
		{"CONTEXT_PUBLISH", `{"key":"about"}`, "Publish the document “About me”", "Publier le document « About me »", `{}`, `{}`, "Every session"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.env.Settings.RequireValidation = true
			card := w.plan(w.command(tt.name, tt.params)).Commands.Cards[0]
			if card.Text != tt.english {
				t.Errorf("text %q", card.Text)
			}
			if tt.before != "*" && string(card.Before) != tt.before || tt.after != "*" && string(card.After) != tt.after {
				t.Errorf("before %s\nafter %s", card.Before, card.After)
			}
			if warnings := strings.Join(card.Warnings, " "); !strings.Contains(warnings, tt.warning) || tt.warning == "" && warnings != "" {
				t.Errorf("warnings %q", warnings)
			}
			w.env.Settings.Language = "fr"
			plan := w.plan(w.command(tt.name, tt.params))
			if card := plan.Commands.Cards[0]; card.Text != tt.french || strings.Contains(strings.Join(card.Warnings, " ")+plan.Commands.Reasons[0].Text, "the ") {
				t.Errorf("in French %q, %q, %q", card.Text, card.Warnings, plan.Commands.Reasons[0].Text)
			}
		})
	}
}

// TestMissingTargetsAreNotShown verifies that no approval is requested for a series that cannot run.
func TestMissingTargetsAreNotShown(t *testing.T) {
	w := newWorld(t)
	w.env.Settings.RequireValidation = true
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"a"}`), w.command("UPDATE_TOOL", `{"tool_id":"Weight","name":"b"}`))
	if outline(plan.Commands.Actions) != "call_1:CANCELLED call_2:FAILED" || len(plan.Commands.Reasons)+len(plan.Commands.Cards) != 0 {
		t.Fatalf("%s, %+v", outline(plan.Commands.Actions), plan.Commands)
	}
	if outcome := w.act(plan.Commands.Actions); !outcome.Failed || len(w.zones()) != 2 || !strings.Contains(plan.Commands.Actions[1].Error.Message, "tol_w (Weight)") {
		t.Errorf("%+v", outcome)
	}
}

// approve applies an approval as the machine does.
func approve(actions []*domain.Execution, ids ...string) {
	for _, e := range actions {
		e.ApprovalID = "apr_1"
		if e.Status = domain.ExecApproved; len(ids) > 0 && !slices.Contains(ids, e.ID) {
			e.Status = domain.ExecCancelled
		}
	}
}

func TestWhatRunsIsWhatWasShown(t *testing.T) {
	calls := func(w *world) []*domain.Execution {
		w.env.Settings.RequireValidation = true
		plan := w.plan(w.command("UPDATE_TOOL", `{"tool_id":"tol_w","name":"Kilos"}`), w.command("UPDATE_TOOL", `{"tool_id":"tol_w","description":"mine"}`))
		approve(plan.Commands.Actions)
		return plan.Commands.Actions
	}
	t.Run("unchanged: both run, although the first changes the version", func(t *testing.T) {
		w := newWorld(t)
		actions := calls(w)
		if outcome := w.act(actions); outcome.Failed || outcome.Stale != nil || w.tools()["tol_w"].Name != "Kilos" || w.tools()["tol_w"].Description != "mine" {
			t.Errorf("%+v, %+v", outcome, w.tools()["tol_w"])
		}
	})
	t.Run("changed meanwhile: nothing runs, and the present values are shown", func(t *testing.T) {
		w := newWorld(t)
		actions := calls(w)
		tool := w.tools()["tol_w"]
		tool.Name = "Mass"
		w.put(&tool)
		outcome := w.act(actions)
		if outcome.Stale == nil || outcome.Failed || w.tools()["tol_w"].Name != "Mass" {
			t.Fatalf("%+v", outcome)
		}
		stale := outcome.Stale
		if string(stale.Cards[0].Before) != `{"name":"Mass"}` || levels(stale.Reasons) != "workspace, command" || stale.Actions[0].Digest == actions[0].Digest {
			t.Errorf("%+v, %s", stale.Cards[0], levels(stale.Reasons))
		}
		if actions[0].Status != domain.ExecApproved {
			t.Errorf("the executions were touched: %s", actions[0].Status)
		}
		approve(stale.Actions)
		if outcome := w.act(stale.Actions); outcome.Stale != nil || outcome.Failed || w.tools()["tol_w"].Name != "Kilos" {
			t.Errorf("approved again: %+v", outcome)
		}
	})
	t.Run("gone meanwhile: it fails, and nothing runs", func(t *testing.T) {
		w := newWorld(t)
		actions := calls(w)
		w.drop("tol_w")
		if outcome := w.act(actions); !outcome.Failed || outcome.Stale != nil || len(outcome.Changes) != 0 {
			t.Errorf("%+v", outcome)
		}
	})
	t.Run("the second is gone: the first does not run either", func(t *testing.T) {
		w := newWorld(t)
		w.env.Settings.RequireValidation = true
		actions := w.plan(w.command("UPDATE_TOOL", `{"tool_id":"tol_j","name":"Log"}`), w.command("UPDATE_TOOL", `{"tool_id":"tol_w","name":"Kilos"}`)).Commands.Actions
		approve(actions)
		w.drop("tol_w")
		if outcome := w.act(actions); !outcome.Failed || outline(actions) != "call_1:CANCELLED call_2:FAILED" || w.tools()["tol_j"].Name != "Diary" {
			t.Errorf("%s, %+v", outline(actions), outcome)
		}
	})
	t.Run("approved in part: the rest is no failure", func(t *testing.T) {
		w := newWorld(t)
		actions := calls(w)
		approve(actions, actions[1].ID)
		if outcome := w.act(actions); outcome.Failed || w.tools()["tol_w"].Name != "Weight" || w.tools()["tol_w"].Description != "mine" {
			t.Errorf("%+v", outcome)
		}
	})
	t.Run("other params under the same approval do not run", func(t *testing.T) {
		w := newWorld(t)
		actions := calls(w)
		actions[0].Params = json.RawMessage(`{"name":"Hacked","tool_id":"tol_w"}`)
		if outcome := w.act(actions); outcome.Stale == nil || w.tools()["tol_w"].Name != "Weight" {
			t.Errorf("%+v", outcome)
		}
	})
}

// Publishing shows the text that the edit before it writes. If only the publishing is
// approved, the text that would be published is another one, and the person is asked.
func TestPublishingShowsWhatIsPublished(t *testing.T) {
	w := newWorld(t)
	plan := func() []*domain.Execution {
		p := w.plan(w.command("CONTEXT_UPDATE", `{"key":"about","body":"I swim."}`), w.command("CONTEXT_PUBLISH", `{"key":"about"}`))
		if got := string(p.Commands.Cards[1].After); got != `{"published_body":"I swim."}` {
			t.Fatalf("it shows %s", got)
		}
		return p.Commands.Actions
	}
	part := plan()
	approve(part, part[1].ID)
	if outcome := w.act(part); outcome.Stale == nil || w.docs()["about"].Version != 2 {
		t.Errorf("in part: %+v", outcome)
	}
	whole := plan()
	approve(whole)
	if outcome := w.act(whole); outcome.Stale != nil || outcome.Failed || w.docs()["about"].Published != "I swim." {
		t.Errorf("whole: %+v", outcome)
	}
}

func TestReplan(t *testing.T) {
	w := newWorld(t)
	actions := w.plan(w.command("UPDATE_ZONE", `{"zone_id":"zon_h","name":"Body"}`)).Commands.Actions
	zone := w.zones()["zon_h"]
	zone.RequireValidation = true
	w.put(&zone)
	planned, err := w.c.Replan(t.Context(), w.data, w.env, actions, true)
	if err != nil || levels(planned.Reasons) != "zone zon_h, ai" || len(planned.Cards) != 1 || actions[0].Digest == "" {
		t.Errorf("%+v, %v", planned, err)
	}
}

// The digest binds command, version and every byte of the params.
func TestDigest(t *testing.T) {
	e := func(name, params string) *domain.Execution {
		return &domain.Execution{Command: name, Params: json.RawMessage(params)}
	}
	same := digest(e("A", `{}`), card{version: "1"})
	if same != digest(e("A", `{}`), card{version: "1", text: domain.Same("other words")}) {
		t.Error("it depends on words")
	}
	for _, other := range []string{digest(e("B", `{}`), card{version: "1"}), digest(e("A", `{"a":1}`), card{version: "1"}), digest(e("A", `{}`), card{version: "2"}), digest(e("A1", `{}`), card{})} {
		if other == same {
			t.Error("two actions have one digest")
		}
	}
}

// A savepoint that loses the action's work must not lose the record of it.
func TestSavepointRollsBackOneAction(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"a"}`))
	late := func(ctx context.Context, run func() error) error {
		return w.data.Savepoint(ctx, func() error {
			if err := run(); err != nil {
				return err
			}
			return domain.Errorf(domain.CodeConflict, "The constraint does not hold.")
		})
	}
	outcome, err := w.c.RunActions(t.Context(), w.data, w.env, plan.Commands.Actions, late)
	if err != nil || !outcome.Failed || len(outcome.Changes) != 0 || len(w.zones()) != 2 || plan.Commands.Actions[0].Error.Code != "conflict" {
		t.Errorf("%+v, %v, %d zones", outcome, err, len(w.zones()))
	}
}
