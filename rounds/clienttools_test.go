package rounds

import (
	"context"
	"errors"
	"fmt"
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
