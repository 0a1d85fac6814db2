package commands

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// withShop offers three commands of another server.
func withShop(w *world, change ...func(*domain.CommandSpec)) {
	offer := func(name string, kind domain.CommandKind, effect domain.CommandEffect) domain.CommandSpec {
		spec := domain.CommandSpec{
			Name: name, Kind: kind, Effect: effect, Source: domain.SourceHTTP, Connector: "con_1", Description: "Ask the shop.",
			Params: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
		}
		for _, do := range change {
			do(&spec)
		}
		return spec
	}
	w.env.Outside = []domain.CommandSpec{
		offer("SHOP.FIND", domain.KindQuery, domain.EffectRead),
		offer("SHOP.SET", domain.KindAction, domain.EffectIdempotent),
		offer("SHOP.PAY", domain.KindAction, domain.EffectNonIdempotent),
	}
}

func TestWhatIsNotOfferedDoesNotExist(t *testing.T) {
	w := newWorld(t)
	if plan := w.plan(w.command("SHOP.PAY", `{"n":1}`)); !strings.Contains(plan.Problem, "no command") {
		t.Errorf("%q", plan.Problem)
	}
	withShop(w)
	plan := w.plan(w.command("SHOP.SELL", `{}`))
	if !strings.Contains(plan.Problem, "SHOP.FIND, SHOP.SET, SHOP.PAY") {
		t.Errorf("the names do not hold the shop's: %q", plan.Problem)
	}
	gone := &domain.Execution{Command: "BANK.PAY", Kind: domain.KindAction, Effect: domain.EffectNonIdempotent, Status: domain.ExecStarted}
	if w.c.Send(t.Context(), nil, w.env, gone); gone.Status != domain.ExecFailed {
		t.Errorf("what is not offered any more became %s", gone.Status)
	}
}

// Its own schema is what a call is held against, and the flags of every action are no params
// of it, unless it has params of these names.
func TestParamsOfCommandsFromOutside(t *testing.T) {
	w := newWorld(t)
	withShop(w)
	if plan := w.plan(w.command("SHOP.PAY", `{"n":"one"}`)); !strings.Contains(plan.Problem, "/n") && !strings.Contains(plan.Problem, "integer") {
		t.Errorf("%q", plan.Problem)
	}
	plan := w.plan(w.command("SHOP.PAY", `{"n":1,"repeat":true}`))
	if x := plan.Commands.Actions[0]; !x.Repeat || string(x.Params) != `{"n":1}` || x.Foreign == nil {
		t.Errorf("%+v", x)
	}
	own := json.RawMessage(`{"type":"object","properties":{"repeat":{"type":"string"}}}`)
	withShop(w, func(s *domain.CommandSpec) { s.Params = own })
	if x := w.plan(w.command("SHOP.PAY", `{"repeat":"daily"}`)).Commands.Actions[0]; x.Repeat || string(x.Params) != `{"repeat":"daily"}` {
		t.Errorf("%+v", x)
	}
	for _, spec := range w.c.SpecsFor(domain.Chat, w.env.Outside) {
		if spec.Name == "SHOP.PAY" && (!strings.Contains(string(spec.Params), `"validation_request"`) || !strings.Contains(string(spec.Params), `"type":"string"`)) {
			t.Errorf("offered with %s", spec.Params)
		}
	}
}

// Who is asked before it runs, and what stands for that yes.
func TestYesToActionsOutside(t *testing.T) {
	validated := func(s *domain.CommandSpec) { s.RequireValidation = true }
	grant := &domain.Grant{ID: "gra_1", Commands: []string{"SHOP.PAY"}}
	for name, c := range map[string]struct {
		spec      func(*domain.CommandSpec)
		unsettled bool
		allows    bool
		grants    []*domain.Grant
		asks      bool
		always    bool
	}{
		"none":                                     {},
		"the command asks":                         {spec: validated, asks: true},
		"a grant covers it":                        {spec: validated, grants: []*domain.Grant{grant}},
		"sent before, outcome unknown":             {unsettled: true, asks: true, always: true},
		"that, and a grant":                        {unsettled: true, grants: []*domain.Grant{grant}, asks: true, always: true},
		"that, and a policy that lets pass":        {unsettled: true, allows: true, asks: true, always: true},
		"the command asks, a policy stands for it": {spec: validated, allows: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			withShop(w)
			if c.spec != nil {
				withShop(w, c.spec)
			}
			w.in(domain.Run)
			w.env.Grants = c.grants
			if c.allows {
				w.env.Approving.Policy = domain.PolicyAllow
			}
			if c.unsettled {
				w.env.Unsettled = map[string]bool{commandID("SHOP.PAY", json.RawMessage(`{"n":1}`)): true}
			}
			planned := w.plan(w.command("SHOP.PAY", `{"n":1}`)).Commands
			always := slices.ContainsFunc(planned.Reasons, func(r domain.ApprovalReason) bool { return r.Always })
			if (len(planned.Reasons) > 0) != c.asks || always != c.always {
				t.Fatalf("reasons %+v", planned.Reasons)
			}
			if !c.asks {
				return
			}
			card := planned.Cards[0]
			if !strings.Contains(card.Text, "Pay on SHOP") || string(card.After) != `{"n":1}` || len(card.Warnings) == 0 || card.Digest == "" ||
				strings.Contains(card.Text, "Ask the shop") {
				t.Errorf("the card %+v", card)
			}
		})
	}
}

// TestAYesHoldsForTheDefinition verifies that an approval applies to the command as it was shown: a command whose
// name now belongs to another connector or definition is shown again.
func TestAYesHoldsForTheDefinition(t *testing.T) {
	w := newWorld(t)
	withShop(w, func(s *domain.CommandSpec) { s.RequireValidation = true })
	actions := w.plan(w.command("SHOP.PAY", `{"n":1}`)).Commands.Actions
	actions[0].ApprovalID, actions[0].Status = "apr_1", domain.ExecApproved
	again := copied(actions)
	if outcome := w.act(again); outcome.Next != again[0] || outcome.Stale != nil || again[0].Status != domain.ExecApproved || again[0].Attempt != 0 {
		t.Errorf("%+v", outcome)
	}
	withShop(w, func(s *domain.CommandSpec) { s.RequireValidation, s.Connector = true, "con_2" })
	if outcome := w.act(copied(actions)); outcome.Stale == nil || outcome.Next != nil {
		t.Errorf("another connector: %+v", outcome)
	}
}

func copied(actions []*domain.Execution) []*domain.Execution {
	all := make([]*domain.Execution, len(actions))
	for i, e := range actions {
		own := *e
		all[i] = &own
	}
	return all
}

// TestASeriesStopsBeforeTheOutside verifies that a series stops before a command that another server carries out,
// and continues with its outcome. Changes by the series itself since the approval are no reason to ask again.
func TestASeriesStopsBeforeTheOutside(t *testing.T) {
	w := newWorld(t)
	withShop(w)
	planned := w.plan(
		w.command("UPDATE_ZONE", `{"zone_id":"zon_g","name":"A"}`), w.command("SHOP.PAY", `{"n":1}`),
		w.command("UPDATE_ZONE", `{"zone_id":"zon_g","description":"B"}`),
	).Commands
	for _, x := range planned.Actions {
		x.ApprovalID, x.Status = "apr_1", domain.ExecApproved
	}
	first := w.act(planned.Actions)
	if first.Next != planned.Actions[1] || len(first.Changes) != 1 || planned.Actions[1].Status != domain.ExecApproved ||
		planned.Actions[2].Status != domain.ExecApproved {
		t.Fatalf("%+v", first)
	}
	Begin(first.Next, noon)
	if x := first.Next; x.Status != domain.ExecStarted || x.Attempt != 1 || !x.StartedAt.Equal(noon) {
		t.Errorf("begun as %s, attempt %d, at %v", x.Status, x.Attempt, x.StartedAt)
	}
	call := func(_ context.Context, call outside.Call) (outside.Result, error) {
		if call.ExecutionID != planned.Actions[1].ID || call.Attempt != 1 || string(call.Params) != `{"n":1}` {
			t.Errorf("called with %+v", call)
		}
		return outside.Result{JSON: json.RawMessage(`{"paid":true}`)}, nil
	}
	w.c.Send(t.Context(), call, w.env, planned.Actions[1])
	rest := w.act(planned.Actions)
	if rest.Stale != nil || rest.Failed || rest.Next != nil || planned.Actions[2].Status != domain.ExecSuccess ||
		string(planned.Actions[1].Result) != `{"paid":true}` {
		t.Errorf("%+v, %+v", rest, planned.Actions[1])
	}
}

// What was begun by a process that is gone is never begun again, where that could do harm.
func TestNoWayBackToBeingSent(t *testing.T) {
	w := newWorld(t)
	withShop(w)
	for name, want := range map[string]domain.ExecutionStatus{"SHOP.PAY": domain.ExecUnknown, "SHOP.SET": domain.ExecStarted} {
		x := w.plan(w.command(name, `{"n":1}`)).Commands.Actions[0]
		x.Status, x.Attempt, x.StartedAt = domain.ExecStarted, 1, &noon
		outcome := w.act([]*domain.Execution{x})
		if x.Status != want || outcome.Failed != (want == domain.ExecUnknown) || (outcome.Next == x) != (want == domain.ExecStarted) {
			t.Errorf("%s is %s, attempt %d, %+v", name, x.Status, x.Attempt, outcome)
		}
	}
}

// TestWhatACallNeedsOfAPerson verifies what leaves in the result of a call whose server asks for a sign-in or asks a
// question: the request to a person, unless it was declined before or cannot be shown. With several queries it is that of
// the first.
func TestWhatACallNeedsOfAPerson(t *testing.T) {
	signIn := &outside.Error{Fault: outside.FaultSignIn, Message: "Sign in."}
	question := &domain.Module{Type: "Text", Data: json.RawMessage(`{"question":"Which one?"}`)}
	for name, c := range map[string]struct {
		result  outside.Result
		err     error
		refused bool
		why     string
		asks    bool
	}{
		"an answer":                  {result: outside.Result{Text: "Done."}},
		"a refusal":                  {err: &outside.Error{Fault: outside.FaultRefused, Message: "No."}},
		"a sign-in":                  {err: signIn, why: "Sign in.", asks: true},
		"a sign-in that was refused": {err: signIn, refused: true},
		"a question":                 {result: outside.Result{Question: question}, asks: true},
		"a question without a form":  {result: outside.Result{Question: &domain.Module{Type: "Text"}}},
	} {
		w := newWorld(t)
		withShop(w)
		call := func(context.Context, outside.Call) (outside.Result, error) { return c.result, c.err }
		plan := w.plan(w.command("SHOP.FIND", `{"n":1}`), w.command("SHOP.FIND", `{"n":2}`), w.command("SHOP.PAY", `{"n":1}`))
		queries, pay := plan.Commands.Queries, plan.Commands.Actions[0]
		if c.refused {
			w.env.Answers = map[string]domain.OutsideAnswer{}
			for _, x := range append(queries, pay) {
				w.env.Answers[x.ID] = domain.OutsideAnswer{Refused: true}
			}
		}
		for of, ask := range map[*domain.Execution]*domain.OutsideAsk{
			queries[0]: w.c.RunQueries(t.Context(), w.data, call, w.env, queries).Ask,
			pay:        w.c.Send(t.Context(), call, w.env, pay).Ask,
		} {
			if (ask != nil) != c.asks || ask != nil && (ask.ExecutionID != of.ID || ask.Connector != "con_1" || ask.Why != c.why) {
				t.Errorf("%s: %s asks %+v", name, of.Command, ask)
			}
		}
	}
}

// Names that look the same on the wire would be one tool to a model: the first counts.
func TestNamesOnTheWire(t *testing.T) {
	c := newWorld(t).c
	var specs []domain.CommandSpec
	for _, name := range []string{"A.B_C", "A_B.C", "CREATE.ZONE", "A.D", "A." + strings.Repeat("X", 70)} {
		specs = append(specs, domain.CommandSpec{Name: name, Source: domain.SourceHTTP})
	}
	var names []string
	for _, s := range c.Reachable(specs) {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "A.B_C A.D" {
		t.Errorf("reachable are %q", got)
	}
}

func TestRunAgainIsANewActionThatAsks(t *testing.T) {
	w := newWorld(t)
	sent := &domain.Execution{ID: "exe_old", Command: "SHOP.PAY", Params: json.RawMessage(`{"n":1}`), CommandID: "h", Status: domain.ExecUnknown}
	if _, err := Again(t.Context(), w.c, w.data, w.env, sent); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("what is not offered any more: %v", err)
	}
	withShop(w)
	planned, err := Again(t.Context(), w.c, w.data, w.env, sent)
	if err != nil {
		t.Fatal(err)
	}
	x := planned.Actions[0]
	if x.ID == sent.ID || x.Status != domain.ExecPlanned || x.Digest == "" || x.Digest != planned.Cards[0].Digest ||
		len(planned.Reasons) != 1 || !planned.Reasons[0].Always {
		t.Errorf("%+v, %+v", x, planned.Reasons)
	}
}

// TestWordsOfCommandsFromOutside: people read what is called and with what, not a name of a machine and JSON.
func TestWordsOfCommandsFromOutside(t *testing.T) {
	for _, c := range []struct{ name, params, english, french string }{
		{"FILM.RENDER_TRAILER", `{"title":"First","length":3,"loud":null}`,
			"Render trailer on FILM (title: “First”, length: 3, loud: null)",
			"Render trailer sur FILM (title : « First », length : 3, loud : null)"},
		{"SHOP.listItems", `{}`, "ListItems on SHOP", "ListItems sur SHOP"},
		{"SHOP.FIND", `{"in":{"zone":"b"},"n":[1,2]}`, `Find on SHOP (in: {"zone":"b"}, n: [1,2])`, `Find sur SHOP (in : {"zone":"b"}, n : [1,2])`},
		{"SHOP.PAY\u202e", ``, `PAY\u202e on SHOP`, `PAY\u202e sur SHOP`},
		{"ODD", `7`, "ODD (7)", "ODD (7)"},
		{"SHOP.", `nothing`, "SHOP. (nothing)", "SHOP. (nothing)"},
	} {
		for language, want := range map[string]string{"en": c.english, "fr": c.french} {
			if got := ExternalText(c.name, json.RawMessage(c.params)).In(language); got != want {
				t.Errorf("%s in %s: %q, want %q", c.name, language, got, want)
			}
		}
	}
	long := json.RawMessage(`{"a":"` + strings.Repeat("x", 5000) + `","` + strings.Repeat("b", 5000) + `":[` + strings.Repeat("1,", 5000) + `1]}`)
	if got := ExternalText("SHOP.PAY", long).EN; len(got) > 300 || !strings.HasSuffix(got, "…)") {
		t.Errorf("%d bytes of words: %s", len(got), got)
	}
	// The words end at the bound to the byte, and there is more.
	exact := json.RawMessage(`{"a":` + strings.Repeat("1", wordsBytes-len("a: ")) + `,"to":"all"}`)
	if got := ExternalText("SHOP.PAY", exact).FR; !strings.HasSuffix(got, "…)") {
		t.Errorf("a cut that is not reported: %s", got)
	}
}
