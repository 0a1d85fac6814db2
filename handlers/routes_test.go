package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestTableIsTheContract: every operation of openapi.yaml has a route, with the role that it
// names, and the other way round.
func TestTableIsTheContract(t *testing.T) {
	s := handlers.NewServer(handlers.Config{Edge: edge.Config{Clock: clock.System}, Sessions: sessions.Ports{Steering: edgetest.NoSteering{}}})
	roles := map[string]string{}
	for _, r := range s.Table() {
		key := r.Method + " " + r.Pattern
		if _, twice := roles[key]; twice {
			t.Errorf("%s stands in the table twice", key)
		}
		if r.Role != handlers.ByAnyone && !domain.RoleRoot.Allows(r.Role) {
			t.Errorf("%s names no role, but %q", key, r.Role)
		}
		if r.Handler == nil {
			t.Errorf("%s has no handler", key)
		}
		roles[key] = string(r.Role)
	}
	names := map[string]string{}
	for path, item := range testkit.LoadContract(t).Paths.Map() {
		for method, op := range item.Operations() {
			key := method + " " + path
			role, routed := roles[key]
			if !routed {
				t.Errorf("the contract has %s, but no route", key)
			}
			if want, _ := op.Extensions["x-fermata-role"].(string); routed && want != role {
				t.Errorf("%s: the contract says %q, the table %q", key, want, role)
			}
			if twice := names[op.OperationID]; twice != "" || op.OperationID == "" {
				t.Errorf("%s and %s have the same operationId %q", key, twice, op.OperationID)
			}
			names[op.OperationID] = key
			delete(roles, key)
		}
	}
	for key := range roles {
		t.Errorf("the table has %s, but not the contract", key)
	}
}

// TestARouteWithoutARoleDoesNotStart: forgetting to say who may call is found before
// anybody can.
func TestARouteWithoutARoleDoesNotStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a route without a role was taken")
		}
	}()
	s := handlers.NewServer(handlers.Config{Edge: edge.Config{Clock: clock.System}})
	s.Guarded(handlers.Route{http.MethodGet, "/v1/secret", "", http.NotFound, nil})
}

// TestTheContractNamesTheDoors: what clients of other protocols call stands in its introduction.
func TestTheContractNamesTheDoors(t *testing.T) {
	said := testkit.LoadContract(t).Info.Description
	for _, door := range handlers.ProtocolTable(servertest.NewWorld(t).Config.Protocols) {
		named := false
		for line := range strings.SplitSeq(said, "\n- ") {
			named = named || strings.Contains(line, "`"+door.Method+"`") && strings.Contains(line, door.Pattern+"`") ||
				strings.Contains(line, "`"+door.Method+" "+door.Pattern+"`")
		}
		if !named {
			t.Errorf("it does not name %s %s", door.Method, door.Pattern)
		}
	}
}

// TestContractDescribesItself: a contract to learn from has a summary on every operation, a
// description on every parameter and answer, and an example on every request.
func TestContractDescribesItself(t *testing.T) {
	for path, item := range testkit.LoadContract(t).Paths.Map() {
		for method, op := range item.Operations() {
			where := method + " " + path
			if op.Summary == "" || strings.HasSuffix(op.Summary, ".") || len(op.Tags) != 1 {
				t.Errorf("%s: summary %q, tags %v", where, op.Summary, op.Tags)
			}
			for _, p := range append(item.Parameters, op.Parameters...) {
				if p.Value.Description == "" {
					t.Errorf("%s: parameter %s has no description", where, p.Value.Name)
				}
			}
			for status, res := range op.Responses.Map() {
				if res.Value.Description == nil || *res.Value.Description == "" {
					t.Errorf("%s: answer %s has no description", where, status)
				}
			}
			if op.RequestBody == nil {
				continue
			}
			kind := "application/json"
			if op.OperationID == "importEntries" {
				kind = "text/csv"
			}
			if op.OperationID == "uploadFile" {
				kind = "text/plain"
			}
			if op.OperationID == "answerApprovalLink" || op.OperationID == "confirmConnectorSignIn" {
				kind = "application/x-www-form-urlencoded"
			}
			if body := op.RequestBody.Value.Content[kind]; body.Example == nil && len(body.Examples) == 0 {
				t.Errorf("%s: the request has no example", where)
			}
		}
	}
}
