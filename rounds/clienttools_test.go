package rounds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// approvals are those that a test has, and count the looks at them.
type approvals struct {
	known map[string]*domain.Approval
	reads int
}

func (a *approvals) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	a.reads++
	if found := a.known[id]; found != nil {
		return found, nil
	}
	return nil, domain.NotFound("approval")
}

func (a *approvals) add(session, id string, status domain.ApprovalStatus) string {
	a.known[id] = &domain.Approval{ID: id, SessionID: session, Kind: domain.ApprovalClientCalls, Status: status}
	return domain.ClientCallID(id, 0)
}

// The number of reads does not grow with the results of earlier waits that a client repeats.
func TestEarlierResultsCostNoLooks(t *testing.T) {
	for _, n := range []int{1, maxEarlierWaits, 50 * maxEarlierWaits} {
		record, sent := &approvals{known: map[string]*domain.Approval{}}, &Results{}
		for i := range n {
			id := record.add("ses_1", fmt.Sprintf("apr_%032x", i+1), domain.ApprovalStatusApproved)
			sent.Add(id, "done", "/input")
			sent.Add(id, "done", "/input") // each twice
		}
		now := record.add("ses_1", fmt.Sprintf("apr_%032x", n+1), domain.ApprovalStatusOpen)
		sent.Add(now, "20 degrees", "/input")
		newest, err := sent.Latest(t.Context(), record, "ws")
		if err != nil || len(newest.IDs) != 1 || newest.IDs[0] != now {
			t.Errorf("behind %d waits: %+v, %v", n, newest, err)
		}
		if record.reads > maxEarlierWaits+1 {
			t.Errorf("behind %d waits: %d looks", n, record.reads)
		}
	}
}

// Results for two waits at once are rejected, with the same error each time.
func TestResultsOfTwoWaits(t *testing.T) {
	for name, wait := range map[string]func(a *approvals, id string) string{
		"open, too":          func(a *approvals, id string) string { return a.add("ses_1", id, domain.ApprovalStatusOpen) },
		"of another session": func(a *approvals, id string) string { return a.add("ses_2", id, domain.ApprovalStatusApproved) },
		"unknown":            func(_ *approvals, id string) string { return domain.ClientCallID(id, 0) },
	} {
		record, sent := &approvals{known: map[string]*domain.Approval{}}, &Results{}
		for i := range 3 {
			sent.Add(wait(record, fmt.Sprintf("apr_%032x", i+1)), "done", fmt.Sprintf("/input/%d", i))
		}
		sent.Add(record.add("ses_1", fmt.Sprintf("apr_%032x", 9), domain.ApprovalStatusOpen), "done", "/input/3")
		for range 5 {
			_, err := sent.Latest(t.Context(), record, "ws")
			if received, ok := errors.AsType[*domain.Error](err); !ok || len(received.Fields) != 1 || received.Fields[0].Pointer != "/input/0" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Tools have bounds, a schema, a name of their own that no command has.
func TestCheckTools(t *testing.T) {
	tool := func(name string) domain.ClientTool {
		return domain.ClientTool{Name: name, Params: json.RawMessage(`{}`)}
	}
	long := tool("long")
	long.Description = strings.Repeat("d", maxToolsBytes-len("long")-2)
	longer := long
	longer.Description += "d"
	many := make([]domain.ClientTool, domain.MaxClientTools)
	for i := range many {
		many[i] = tool(fmt.Sprint("f", i))
	}
	for name, c := range map[string]struct {
		tools []domain.ClientTool
		code  string
	}{
		"none": {nil, ""}, "one": {[]domain.ClientTool{tool("get-it_2")}, ""}, "many": {many, ""}, "long": {[]domain.ClientTool{long}, ""},
		"too many":      {append(slices.Clone(many), tool("g")), "too_many"},
		"too long":      {[]domain.ClientTool{longer}, "too_long"},
		"twice":         {[]domain.ClientTool{tool("f"), tool("f")}, "not_unique"},
		"a command":     {[]domain.ClientTool{tool("ZONES")}, "name_taken"},
		"no name":       {[]domain.ClientTool{tool("")}, "not_a_name"},
		"a dot":         {[]domain.ClientTool{tool("a.b")}, "not_a_name"},
		"a long name":   {[]domain.ClientTool{tool(strings.Repeat("n", 65))}, "not_a_name"},
		"no parameters": {[]domain.ClientTool{{Name: "f"}}, "wrong_type"},
		"a list":        {[]domain.ClientTool{{Name: "f", Params: json.RawMessage(`[]`)}}, "wrong_type"},
	} {
		err := checkTools(c.tools, func(int) string { return "/tools" }, func(n string) bool { return n == "ZONES" })
		code := ""
		if e, ok := errors.AsType[*domain.Error](err); ok {
			code = e.Fields[0].Code
		}
		if code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}
