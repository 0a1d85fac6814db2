package servertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// Call is one that is answered with a status.
type Call = struct {
	Status             int
	Method, Path, Body string
}

// All makes the calls in their order.
func All(c *Client, calls []Call) {
	c.T.Helper()
	for _, call := range calls {
		got := c.Want(call.Status, call.Method, call.Path, call.Body)
		located := got.Header.Get("Location") != "" || strings.HasSuffix(call.Path, "/batch") || call.Path == "/v1/stream-tickets"
		if call.Status == 201 && !located {
			c.T.Errorf("%s %s made something and does not say where", call.Method, call.Path)
		}
	}
}

// families are the tags of the contract whose operations are called by the tests of their own package. The tests of
// package handlers call all others.
var families = map[string]string{
	"Data": "userdata", "Files": "userdata", "Automations": "automations",
	"Agents": "outside", "Connectors": "outside", "Providers": "outside", "Tasks": "outside",
}

// Story makes calls of the API as they are meant.
type Story func(*testing.T, *World, *Client)

// EveryCall runs stories, each on a server of its own. Together they call every operation of a family as it is meant;
// the family "" has the operations of no other family.
func EveryCall(t *testing.T, family string, stories map[string]Story) {
	t.Helper()
	good := map[string]int{}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			c := w.Serve(t)
			story(t, w, c)
			for operation, statuses := range c.Contract.Calls() {
				for status, n := range statuses {
					if status < 400 {
						good[operation] += n
					}
				}
			}
		})
	}
	checked := 0
	for _, item := range testkit.LoadContract(t).Paths.Map() {
		for _, op := range item.Operations() {
			if !slices.ContainsFunc(op.Tags, func(tag string) bool { return families[tag] == family }) {
				continue
			}
			if checked++; good[op.OperationID] == 0 {
				t.Errorf("%s is never called as it is meant", op.OperationID)
			}
		}
	}
	if checked == 0 {
		t.Errorf("the family %q has no operations", family)
	}
}
