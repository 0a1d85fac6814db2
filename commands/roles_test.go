package commands

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// sameOverHTTP is for each command the request with which a client does the same.
var sameOverHTTP = map[string]string{
	"ZONES": "GET /v1/zones", "ZONE_CONFIG": "GET /v1/zones/{zone_id}",
	"TOOL_INSTANCES": "GET /v1/tools", "TOOL_CONFIG": "GET /v1/tools/{tool_id}",
	"TOOL_DATA": "GET /v1/tools/{tool_id}/entries", "TOOL_STATS": "GET /v1/tools/{tool_id}/entries/stats",
	"SCHEMA": "GET /v1/tool-types/{tool_type_id}", "APP_STATE": "GET /v1/tools", "SEARCH": "GET /v1/search", "CONTEXT": "GET /v1/documents",
	"CREATE_ZONE": "POST /v1/zones", "UPDATE_ZONE": "PATCH /v1/zones/{zone_id}", "DELETE_ZONE": "DELETE /v1/zones/{zone_id}",
	"CREATE_TOOL": "POST /v1/tools", "UPDATE_TOOL": "PATCH /v1/tools/{tool_id}", "DELETE_TOOL": "DELETE /v1/tools/{tool_id}",
	"CREATE_DATA": "POST /v1/tools/{tool_id}/entries/batch", "UPDATE_DATA": "PATCH /v1/entries/{entry_id}", "DELETE_DATA": "DELETE /v1/entries/{entry_id}",
	"CREATE_AUTOMATION": "POST /v1/automations",
	"CREATE_TOOL_TYPE":  "POST /v1/tool-types", "CONTEXT_EDIT": "PATCH /v1/documents/{document_id}", "TASKS": "GET /v1/tasks", "CANCEL_TASK": "POST /v1/tasks/{task_id}/cancel",
	"CONTEXT_UPDATE": "PATCH /v1/documents/{document_id}", "CONTEXT_PUBLISH": "POST /v1/documents/{document_id}/publish",
	// The control commands steer the session of who speaks.
	domain.AskUser: "POST /v1/sessions/{session_id}/messages", domain.Complete: "POST /v1/sessions/{session_id}/completion",
	domain.AskPrincipal: "POST /v1/sessions/{session_id}/messages", domain.AddCommands: "GET /v1/commands",
}

// TestACommandNeedsTheRoleThatHTTPNeeds verifies that people cannot do through the AI what they may not do
// themselves. Each command requires the role that the contract states for the corresponding route.
func TestACommandNeedsTheRoleThatHTTPNeeds(t *testing.T) {
	roles := map[string]domain.Role{}
	for path, item := range testkit.LoadContract(t).Paths.Map() {
		for method, op := range item.Operations() {
			role, _ := op.Extensions["x-fermata-role"].(string)
			roles[method+" "+path] = domain.Role(role)
		}
	}
	for _, spec := range New(data.NewRules(), automations.Drafts{}).Specs() {
		route, named := sameOverHTTP[spec.Name]
		switch needed, known := roles[route], roles[route] != ""; {
		case !named:
			t.Errorf("%s names no request that does the same: which role does it need?", spec.Name)
		case !known:
			t.Errorf("%s: the contract has no %s with a role", spec.Name, route)
		case spec.Role != needed:
			t.Errorf("%s needs the role %q, and %s needs %q", spec.Name, spec.Role, route, needed)
		}
	}
}

// TestEveryCommandIsHeldAgainstTheRole walks the catalogue with every role, where it is
// planned and where it runs.
func TestEveryCommandIsHeldAgainstTheRole(t *testing.T) {
	for _, role := range []domain.Role{"", domain.RoleViewer, domain.RoleMember, domain.RoleAdmin, domain.RoleRoot} {
		for _, spec := range New(data.NewRules(), automations.Drafts{}).Specs() {
			if spec.Kind == domain.KindControl {
				continue
			}
			w := newWorld(t)
			entry := w.c.commands[spec.Name]
			entry.own = []byte(`{}`)                                      // its params do not matter here
			w.env.Role, w.env.Tasks = role, []*domain.Task{{ID: "tsk_1"}} // what looks after tasks is offered
			plan := w.plan(w.command(spec.Name, `{}`))
			e := append(plan.Commands.Queries, plan.Commands.Actions...)[0]
			if refused := e.Error != nil && e.Error.Code == string(domain.CodeForbidden); refused == role.Allows(spec.Role) {
				t.Errorf("%s planned for the role %q: refused is %v", spec.Name, role, refused)
			}
			late := &domain.Execution{Command: spec.Name, Kind: spec.Kind, Params: []byte(`{}`), Status: domain.ExecApproved}
			if spec.Kind == domain.KindQuery {
				w.c.RunQueries(t.Context(), w.data, nil, w.env, []*domain.Execution{late})
			} else if outcome := w.act([]*domain.Execution{late}); !outcome.Failed && !role.Allows(spec.Role) {
				t.Errorf("%s of the role %q ran", spec.Name, role)
			}
			if refused := late.Error != nil && late.Error.Code == string(domain.CodeForbidden); refused == role.Allows(spec.Role) {
				t.Errorf("%s run for the role %q: refused is %v", spec.Name, role, refused)
			}
		}
	}
}

const newType = `{"id":"mood","name":"Mood","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`

// TestAForbiddenActionStopsItsSeries verifies that no approval is requested, nothing is done, and the AI receives
// an explanation for the person.
func TestAForbiddenActionStopsItsSeries(t *testing.T) {
	w := newWorld(t)
	w.env.Role, w.env.Settings.RequireValidation = domain.RoleMember, true
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"Work"}`), w.command("CREATE_TOOL_TYPE", newType), w.command("ZONES", `{}`))
	actions := plan.Commands.Actions
	if len(plan.Commands.Reasons)+len(plan.Commands.Cards) > 0 || actions[0].Status != domain.ExecCancelled || actions[1].Status != domain.ExecFailed {
		t.Fatalf("planned %s, asked for %v", outline(actions), plan.Commands.Reasons)
	}
	for _, words := range []string{"role admin", "role member", "Nothing was done", "tell the person"} {
		if !strings.Contains(actions[1].Error.Message, words) {
			t.Errorf("the AI does not receive %q: %s", words, actions[1].Error.Message)
		}
	}
	if want := "Not allowed (role member): "; !strings.HasPrefix(actions[1].Summary.EN, want) {
		t.Errorf("the person reads %q", actions[1].Summary)
	}
	if plan.Commands.Queries[0].Status != domain.ExecPlanned {
		t.Errorf("the query beside them is %s", plan.Commands.Queries[0].Status)
	}
	if w.act(actions); len(w.zones()) != 2 || len(w.types()) != 0 {
		t.Error("something was done")
	}
	w.env.Role = domain.RoleAdmin
	if cards := w.plan(w.command("CREATE_TOOL_TYPE", newType)).Commands.Cards; len(cards) != 1 || cards[0].Role != domain.RoleAdmin {
		t.Errorf("the card does not say who may approve: %+v", cards)
	}
}
