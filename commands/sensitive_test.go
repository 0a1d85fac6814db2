package commands

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// A sensitive action asks a person each time: neither a policy nor a grant stands for their yes.
func TestSensitiveActions(t *testing.T) {
	for name, list := range map[string][]string{"by its name": {"CREATE_DATA"}, "with all": {"*"}} {
		w := runOf(newWorld(t), domain.Grant{Commands: []string{"CREATE_DATA"}})
		w.env.Approving.Policy, w.env.SessionRequiresValidation = domain.PolicyAllow, false
		plain := w.plan(w.command("CREATE_DATA", weigh))
		if len(plain.Commands.Reasons) != 0 {
			t.Fatalf("%s: it asks before: %q", name, levels(plain.Commands.Reasons))
		}
		w.env.Settings.SensitiveCommands = list
		plan := w.plan(w.command("CREATE_DATA", weigh))
		reasons, cards := plan.Commands.Reasons, plan.Commands.Cards
		if levels(reasons) != "command" || !reasons[0].Always || len(cards) != 1 || !cards[0].Sensitive || granted(plan.Commands.Actions) != "" && plan.Commands.Actions[0].GrantID != "" {
			t.Errorf("%s: %+v, %+v, %s", name, reasons, cards, granted(plan.Commands.Actions))
		}
	}
}

// What became sensitive, or no longer is, since it was shown is shown again.
func TestTheDigestOfASensitiveAction(t *testing.T) {
	e := &domain.Execution{Command: "CREATE_ZONE", Params: []byte(`{"name":"a"}`)}
	if digest(e, card{}) == digest(e, card{sensitive: true}) {
		t.Error("both have the same digest")
	}
	w := newWorld(t)
	w.env.Settings.RequireValidation = true
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"a"}`))
	planned := plan.Commands.Actions
	planned[0].ApprovalID = "apr_1"
	w.env.Settings.SensitiveCommands = []string{"CREATE_ZONE"}
	again, err := w.c.Stale(t.Context(), w.data, w.env, planned, nil)
	if err != nil || again == nil || len(again.Cards) != 1 || !again.Cards[0].Sensitive {
		t.Errorf("shown again: %+v, %v", again, err)
	}
}
