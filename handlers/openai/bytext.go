package openai

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// settledByText is the prefix of settled_by of an approval that was answered by a message.
const settledByText = "text:"

// byText takes the message as the answer to an approval, if the workspace allows that, the message
// is yes or no and nothing else, and there is exactly one open approval, which the client was shown.
// It returns nil for any other message.
func (a *requestState) byText(ctx context.Context, session string, key *domain.HistoryKey) (*location, error) {
	yes, ok := rounds.ParseYesNo(a.history.last)
	if !ok || len(rounds.Attachments(a.history.pieces)) > 0 {
		return nil, nil //nolint:nilnil // an ordinary message
	}
	w, err := a.Record.Workspace(ctx, a.identity.Workspace)
	if err != nil || !w.Settings.ApproveByText {
		return nil, err
	}
	open, _, err := a.Record.Approvals(ctx, a.identity.Workspace, domain.ApprovalFilter{
		SessionID: session, Status: domain.ApprovalStatusOpen, Limit: 2,
	})
	if err != nil || len(open) != 1 || !a.wasShown(open[0]) {
		return nil, err
	}
	decision, ok := rounds.DecisionFromText(open[0], a.history.last, yes)
	if !ok {
		return nil, nil //nolint:nilnil // an ordinary message
	}
	said, err := a.newMessage(ctx, key, false)
	if err != nil {
		return nil, err
	}
	decision.By = a.identity.Author()
	decision.By.ID = settledByText + decision.By.ID
	receipt, err := a.Door.AnswerByText(ctx, a.identity.Workspace, open[0].ID, decision, said)
	if err != nil {
		return nil, err
	}
	return &location{session: session, message: receipt.Message, after: receipt.Message.Seq - 1}, nil
}

// wasShown reports whether the client was shown this approval: the answer that it has before its
// message contains it, unless it has no history.
func (a *requestState) wasShown(asked *domain.Approval) bool {
	if a.history.round != "" {
		return a.history.round == asked.RoundID
	}
	if len(a.history.before) == 0 {
		return true
	}
	held := a.history.before[len(a.history.before)-1].answer
	at := strings.LastIndex(held, approvalMark)
	if at < 0 {
		return false
	}
	shown := held[at:]
	if isRejectionNotice(shown) {
		return false
	}
	for _, action := range asked.Actions {
		if !strings.Contains(shown, domain.Visible(action.Text)) {
			return false
		}
	}
	return strings.Contains(shown, domain.Visible(rounds.Question(asked)))
}
