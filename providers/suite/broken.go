package suite

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/fermata-dev/fermata/providers"
)

// brokenCalls: what models do to tool calls ends in calls that can be distinguished, or
// in an error; never in a call that was half read.
func brokenCalls(t *testing.T, wire Wire) {
	if wire.NoCalls {
		t.Skip("this wire has no calls")
	}
	many := make([]Call, 500)
	for i := range many {
		many[i] = Call{"id_" + strconv.Itoa(i), "ZONES", `{"n":` + strconv.Itoa(i) + `}`}
	}
	half := []Call{{"id_a", "ZONES", `{}`}, {"id_b", "CREATE_ZONE", `{"name":"Hea`}}
	for name, row := range map[string]struct {
		reply Reply
		calls int // at most; 0: it must fail
	}{
		"without ids":                   {Reply{Calls: []Call{{"", "ZONES", `{"a":1}`}, {"", "ZONES", `{"a":2}`}}, StopReason: "calls"}, 2},
		"the same id twice":             {Reply{Calls: []Call{{"id_a", "ZONES", `{"a":1}`}, {"id_a", "TOOLS", `{"a":2}`}}, StopReason: "calls"}, 2},
		"five hundred":                  {Reply{Calls: many, StopReason: "calls"}, 500},
		"cut in their arguments":        {Reply{Calls: half, Ending: Cut}, 0},
		"broken off in their arguments": {Reply{Calls: half, Ending: Reset}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, wire, row.reply)
			answer, err := f.query(t.Context(), true)
			if err != nil {
				var e *providers.Error
				if !errors.As(err, &e) || e.Class == "" {
					t.Errorf("not classified: %v", err)
				}
				return
			}
			if len(answer.Raw.Calls) != row.calls {
				t.Fatalf("%d calls came, want %d", len(answer.Raw.Calls), row.calls)
			}
			var ids, theirs []string
			for i, call := range answer.Raw.Calls {
				if call.Arguments != row.reply.Calls[i].Arguments {
					t.Errorf("call %d has the arguments %s", i, call.Arguments)
				}
				ids = append(ids, call.ID)
				if call.ProviderID != "" {
					theirs = append(theirs, call.ProviderID)
				}
			}
			for _, list := range [][]string{ids, theirs} {
				slices.Sort(list)
				if len(slices.Compact(slices.Clone(list))) != len(list) || slices.Contains(list, "") {
					t.Errorf("calls share an id, or have none: %v", list)
				}
			}
		})
	}
}
