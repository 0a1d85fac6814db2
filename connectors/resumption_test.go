package connectors

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// openApprovals are pages of open approvals, and the decisions about them.
type openApprovals struct {
	pages   map[string][]*domain.Approval
	settled []string
}

func (o *openApprovals) Approvals(_ context.Context, _ string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	if f.Status != domain.ApprovalStatusOpen || f.Kind != domain.ApprovalReconnect {
		return nil, "", errors.New("others were asked for")
	}
	next := map[string]string{"": "second"}
	return o.pages[f.Cursor], next[f.Cursor], nil
}

func (o *openApprovals) AnswerApproval(_ context.Context, _, id string, d domain.Decision) (*domain.Receipt, error) {
	if !d.Approved || d.By.ID != "ada" {
		return nil, errors.New("another decision")
	}
	o.settled = append(o.settled, id)
	if id == "apr_1" {
		return nil, errors.New("it cannot be settled now")
	}
	return &domain.Receipt{}, nil
}

// A sign-in settles the approvals that asked for it, on every page; one that fails keeps none of the others waiting.
func TestASignInResumesWhatWaitedForIt(t *testing.T) {
	of := func(id, connector string) *domain.Approval {
		return &domain.Approval{ID: id, Reasons: []domain.ApprovalReason{{ID: connector}}}
	}
	open := &openApprovals{pages: map[string][]*domain.Approval{
		"":       {of("apr_1", "con_1"), of("apr_2", "con_2"), {ID: "apr_3"}, of("apr_4", "con_1")},
		"second": {of("apr_5", "con_1")},
	}}
	resumption := Resumption{Open: open, Answers: open, Log: zerolog.Nop()}
	resumption.resume(t.Context(), &outside.Connector{ID: "con_1"}, domain.Author{ID: "ada"})
	if want := []string{"apr_1", "apr_4", "apr_5"}; !slices.Equal(open.settled, want) {
		t.Errorf("settled %v, want %v", open.settled, want)
	}
}
