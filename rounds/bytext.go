package rounds

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// settledByText is the prefix of settled_by of an approval that was answered by a message.
const settledByText = "text:"

// sendOrAnswer sends the message to an existing session, or answers the approval with it that shown
// reports as known to the client.
func (f *finder) sendOrAnswer(
	ctx context.Context, session string, pieces []Piece, key domain.HistoryKey, shown func(*domain.Approval) bool,
) (*Found, error) {
	if at, err := f.answerByText(ctx, session, pieces, key, shown); at != nil || err != nil {
		return at, err
	}
	if err := f.switchProvider(ctx, session); err != nil {
		return nil, err
	}
	return f.sendTo(ctx, session, pieces, key)
}

// answerByText takes the message as the answer to an approval, if the workspace allows that, the message
// is yes or no and nothing else, and there is exactly one open approval, which the client was shown.
// It returns nil for any other message.
func (f *finder) answerByText(
	ctx context.Context, session string, pieces []Piece, key domain.HistoryKey, shown func(*domain.Approval) bool,
) (*Found, error) {
	text := TextOf(pieces)
	yes, ok := parseYesNo(text)
	if !ok || len(Attachments(pieces)) > 0 {
		return nil, nil //nolint:nilnil // an ordinary message
	}
	w, err := f.Record.Workspace(ctx, f.Caller.Workspace)
	if err != nil || !w.Settings.ApproveByText {
		return nil, err
	}
	open, _, err := f.Approvals.Approvals(ctx, f.Caller.Workspace, domain.ApprovalFilter{
		SessionID: session, Status: domain.ApprovalStatusOpen, Limit: 2,
	})
	if err != nil || len(open) != 1 || !shown(open[0]) {
		return nil, err
	}
	decision, ok := decisionFromText(open[0], text, yes)
	if !ok {
		return nil, nil //nolint:nilnil // an ordinary message
	}
	said, err := f.message(ctx, pieces, key)
	if err != nil {
		return nil, err
	}
	decision.By = f.Caller.Author()
	decision.By.ID = settledByText + decision.By.ID
	receipt, err := f.Commands.AnswerByText(ctx, f.Caller.Workspace, open[0].ID, decision, said)
	if err != nil {
		return nil, err
	}
	m := receipt.Message
	return &Found{Session: session, Message: m.ID, Placed: m, after: m.Seq - 1}, nil
}

// switchProvider sets the provider that the request names.
func (r *Round) switchProvider(ctx context.Context, session string) error {
	if r.Provider == "" {
		return nil
	}
	s, err := r.Record.Session(ctx, r.Caller.Workspace, session)
	if err != nil || s.ProviderID == r.Provider {
		return err
	}
	_, err = r.Commands.UpdateSession(ctx, r.Caller.Workspace, session, domain.SessionPatch{ProviderID: &r.Provider})
	return err
}
