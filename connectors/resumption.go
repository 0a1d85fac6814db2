package connectors

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Resumption completes sign-ins to connectors and resumes what waited for them.
type Resumption struct {
	*Service

	Open interface {
		Approvals(ctx context.Context, workspace string, filter domain.ApprovalFilter) (list []*domain.Approval, next string, err error)
	}
	Answers interface {
		AnswerApproval(ctx context.Context, workspace, id string, decision domain.Decision) (*domain.Receipt, error)
	}
	Log zerolog.Logger
}

// FinishSignIn completes a sign-in.
func (s Resumption) FinishSignIn(ctx context.Context, answer outside.SignInAnswer) (*outside.Connector, error) {
	c, by, err := s.Service.FinishSignIn(ctx, answer)
	if err == nil {
		s.resume(context.WithoutCancel(ctx), c, by)
	}
	return c, err
}

// resume settles the approvals that asked for this sign-in. Those that cannot be settled now stay open, and can be retried
// from the approval.
func (s Resumption) resume(ctx context.Context, c *outside.Connector, by domain.Author) {
	filter := domain.ApprovalFilter{Status: domain.ApprovalStatusOpen, Kind: domain.ApprovalReconnect, Limit: 200}
	for {
		list, next, err := s.Open.Approvals(ctx, c.WorkspaceID, filter)
		for _, a := range list {
			if len(a.Reasons) > 0 && a.Reasons[0].ID == c.ID {
				_, answerErr := s.Answers.AnswerApproval(ctx, c.WorkspaceID, a.ID, domain.Decision{Approved: true, By: by})
				err = errors.Join(err, answerErr)
			}
		}
		if err != nil {
			s.Log.Warn().Err(err).Str("connector", c.ID).Msg("some sessions that waited for a sign-in could not be resumed")
		}
		if filter.Cursor = next; next == "" {
			return
		}
	}
}
