package openai

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// settledByText begins what an approval has for settled_by where a message answered it.
const settledByText = "text:"

// byText takes the message for the answer to what the session asks, where the workspace has
// switched that on, the message says yes or no and nothing else, and one thing alone is asked,
// of which the client was told. nil: it is a message like any other.
func (a *requestState) byText(ctx context.Context, session string, key *domain.HistoryKey) (*location, error) {
	yes, ok := rounds.ParseYesNo(a.history.last)
	if !ok || len(rounds.Attachments(a.history.pieces)) > 0 {
		return nil, nil //nolint:nilnil // a message
	}
	w, err := a.Record.Workspace(ctx, a.identity.Workspace)
	if err != nil || !w.Settings.ApproveByText {
		return nil, err
	}
	open, _, err := a.Record.Approvals(ctx, a.identity.Workspace, domain.ApprovalFilter{
		SessionID: session, Status: domain.ApprovalStatusOpen, Limit: 2,
	})
	if err != nil || len(open) != 1 || !a.wasTold(open[0]) {
		return nil, err
	}
	decision, ok := rounds.DecisionFromText(open[0], a.history.last, yes)
	if !ok {
		return nil, nil //nolint:nilnil // a message
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

// wasTold says whether the client was told of this very question: what it holds of the answer
// before its message says so, unless it holds nothing.
func (a *requestState) wasTold(asked *domain.Approval) bool {
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
	told := held[at:]
	if isRejectionNotice(told) {
		return false
	}
	for _, action := range asked.Actions {
		if !strings.Contains(told, domain.Visible(action.Text)) {
			return false
		}
	}
	return strings.Contains(told, domain.Visible(questionOf(asked)))
}
