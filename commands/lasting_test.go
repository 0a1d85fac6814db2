package commands

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// What a session writes into every other one's prompt, or has done later on, it does not do because
// of words from outside unless a person approves: no policy and no grant stands for that. What stays where it is
// needs nothing more than before.
func TestWhatLastsAsksAfterWordsFromOutside(t *testing.T) {
	always := `"config_schema":{"type":"object"},"entry_schema":{"type":"object"}`
	for name, c := range map[string]struct {
		calls [][2]string
		lasts bool
	}{
		"a document's draft":       {[][2]string{{"CONTEXT_UPDATE", `{"key":"about","body":"a"}`}}, true},
		"a new document":           {[][2]string{{"CONTEXT_UPDATE", `{"key":"new","body":"a"}`}}, true},
		"a publication":            {[][2]string{{"CONTEXT_PUBLISH", `{"key":"about"}`}}, true},
		"a tool type":              {[][2]string{{"CREATE_TOOL_TYPE", `{"id":"x","name":"x",` + always + `}`}}, true},
		"a tool that is sent":      {[][2]string{{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"notes","name":"a","always_send":true}`}}, true},
		"a tool that is not":       {[][2]string{{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"notes","name":"a","always_send":false}`}}, false},
		"a tool, sent from now on": {[][2]string{{"UPDATE_TOOL", `{"tool_id":"tol_j","always_send":true}`}}, true},
		"the name of a sent one":   {[][2]string{{"UPDATE_TOOL", `{"tool_id":"tol_s","name":"a"}`}}, true},
		"no longer sent":           {[][2]string{{"UPDATE_TOOL", `{"tool_id":"tol_s","always_send":false}`}}, false},
		"the name of another tool": {[][2]string{{"UPDATE_TOOL", `{"tool_id":"tol_j","name":"a"}`}}, false},
		"an entry that is sent":    {[][2]string{{"CREATE_DATA", `{"tool_id":"tol_s","entries":[{"data":{"text":"a"}}]}`}}, true},
		"a change of one":          {[][2]string{{"UPDATE_DATA", `{"entry_id":"ent_s","data":{"text":"b"}}`}}, true},
		"a deletion of one":        {[][2]string{{"DELETE_DATA", `{"entry_ids":["ent_s"]}`}}, false},
		"an entry":                 {[][2]string{{"CREATE_DATA", `{"tool_id":"tol_j","entries":[{"data":{"text":"a"}}]}`}}, false},
		"a zone":                   {[][2]string{{"CREATE_ZONE", `{"name":"a"}`}}, false},
		"one among others": {[][2]string{
			{"CREATE_ZONE", `{"name":"a"}`}, {"CREATE_DATA", `{"tool_id":"tol_s","entries":[{"data":{"text":"a"}}]}`},
		}, true},
	} {
		for _, kind := range []domain.SessionType{domain.Chat, domain.Run, domain.Agent} {
			for _, tainted := range []bool{true, false} {
				w := newWorld(t)
				w.put(&userdata.Tool{ID: "tol_s", ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "journal", Name: "Sent", Config: []byte(`{}`), AlwaysSend: true}})
				w.put(&userdata.Entry{ID: "ent_s", ToolID: "tol_s", Timestamp: noon, Data: []byte(`{"text":"a"}`)})
				w.in(kind)
				w.env.Approving.Policy = domain.PolicyAllow
				var all []domain.Command
				grant := &domain.Grant{ID: "gra_1"}
				for _, call := range c.calls {
					grant.Commands = append(grant.Commands, call[0])
					all = append(all, w.command(call[0], call[1]))
				}
				if kind == domain.Run {
					w.env.Grants = []*domain.Grant{grant}
				}
				if tainted {
					w.env.Taint = (*domain.Taint)(nil).With(*domain.From(domain.OriginHTTP, "SHOP.FIND"))
				}
				plan := w.plan(all...)
				if plan.Problem != "" {
					t.Fatalf("%s: %s", name, plan.Problem)
				}
				reasons := plan.Commands.Reasons
				outside := slices.ContainsFunc(reasons, func(r domain.ApprovalReason) bool {
					return r.Level == domain.LevelOutside && strings.Contains(r.Text, "SHOP.FIND")
				})
				if outside != (tainted && c.lasts) {
					t.Errorf("%s in a session of type %s, tainted %v: %q", name, kind, tainted, levels(reasons))
				}
				if last := plan.Commands.Actions[len(all)-1]; outside && (last.GrantID != "" || len(plan.Commands.Cards) != len(all)) {
					t.Errorf("%s: a grant covers %+v, %d cards", name, last, len(plan.Commands.Cards))
				}
			}
		}
	}
}

// The card says that every session will read it.
func TestACardSaysWhatEverySessionReads(t *testing.T) {
	w := newWorld(t)
	w.env.Settings.RequireValidation = true
	warned := func(call, params string) bool {
		cards := w.plan(w.command(call, params)).Commands.Cards
		return len(cards) == 1 && slices.Contains(cards[0].Warnings, "Every session will read it.")
	}
	w.put(&userdata.Tool{ID: "tol_s", ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "journal", Name: "Sent", Config: []byte(`{}`), AlwaysSend: true}})
	const entry = `{"tool_id":"tol_s","entries":[{"data":{"text":"a"}}]}`
	for call, params := range map[string]string{
		"CREATE_TOOL":     `{"zone_id":"zon_h","tool_type":"notes","name":"a","always_send":true}`,
		"UPDATE_TOOL":     `{"tool_id":"tol_j","always_send":true}`,
		"CONTEXT_PUBLISH": `{"key":"about"}`,
	} {
		if !warned(call, params) {
			t.Errorf("%s does not warn", call)
		}
	}
	if warned("CREATE_DATA", entry) || warned("UPDATE_TOOL", `{"tool_id":"tol_s","name":"b"}`) {
		t.Error("what is nothing new warns")
	}
	w.env.Taint = (*domain.Taint)(nil).With(*domain.From(domain.OriginHTTP, "SHOP.FIND"))
	if !warned("CREATE_DATA", entry) {
		t.Error("an entry that words from outside may have led to does not warn")
	}
}
