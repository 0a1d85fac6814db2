package rounds

import (
	"context"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// approvalMark begins the text of this server about an approval or a question in an answer. What
// follows it is in no message of the record.
const approvalMark = "𝄐 "

// withoutApprovalText returns an answer of a client without the text of this server about an approval.
func withoutApprovalText(held string) string {
	text, _, _ := strings.Cut(held, approvalMark)
	return text
}

// ApprovalText returns the text that a person reads instead of the approval card. link is the address
// where it is answered.
func (r *Round) ApprovalText(ctx context.Context, a *domain.Approval, link string) (string, error) {
	workspace, err := r.Record.Workspace(ctx, r.Caller.Workspace)
	if err != nil {
		return "", err
	}
	s := &workspace.Settings
	var b strings.Builder
	b.WriteString(approvalMark)
	if a.Kind == domain.ApprovalQuestion {
		b.WriteString(s.Say("Waiting for your answer", "En attente de votre réponse"))
	} else {
		b.WriteString(s.Say("Waiting for your approval", "En attente de votre approbation"))
	}
	b.WriteString(s.Say(":", " :"))
	writeActions(&b, a.Actions)
	if question := Question(a); question != "" {
		b.WriteString("\n" + visible.Text(question))
	}
	b.WriteString("\n\n" + s.Say("Answer here: ", "Répondez ici : ") + link)
	return b.String(), nil
}

func writeActions(b *strings.Builder, actions []domain.ApprovalAction) {
	for _, action := range actions {
		b.WriteString("\n- " + visible.Text(action.Text))
	}
}

// approvalShown reports whether the answer that a client has contains the text about an approval.
func approvalShown(held string, a *domain.Approval) bool {
	at := strings.LastIndex(held, approvalMark)
	if at < 0 {
		return false
	}
	shown := held[at:]
	if isRejectionText(shown) {
		return false
	}
	for _, action := range a.Actions {
		if !strings.Contains(shown, visible.Text(action.Text)) {
			return false
		}
	}
	return strings.Contains(shown, visible.Text(Question(a)))
}

// Texts about actions that were not approved.
const (
	refusedEnglish = "Refused, nothing was changed:"
	refusedFrench  = "Refusé, rien n’a été modifié :"
	lateEnglish    = "Not answered in time, nothing was changed:"
	lateFrench     = "Sans réponse à temps, rien n’a été modifié :"
)

// rejectionText returns the text about actions that were not approved: the AI is not called again, so
// that the answer could be empty without it.
func (r *Round) rejectionText(ctx context.Context, a *api.Approval) (string, error) {
	workspace, err := r.Record.Workspace(ctx, r.Caller.Workspace)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(approvalMark)
	if a.Status == domain.ApprovalStatusExpired {
		b.WriteString(workspace.Settings.Say(lateEnglish, lateFrench))
	} else {
		b.WriteString(workspace.Settings.Say(refusedEnglish, refusedFrench))
	}
	writeActions(&b, a.Actions)
	return b.String(), nil
}

// isRejectionText reports whether a text is about actions that were not approved.
func isRejectionText(text string) bool {
	return slices.ContainsFunc([]string{refusedEnglish, refusedFrench, lateEnglish, lateFrench}, func(notice string) bool {
		return strings.HasPrefix(text, approvalMark+notice)
	})
}
