package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// approvalMark begins the text of this server about an approval or a question in an answer. What
// follows it is in no message of the record.
const approvalMark = "𝄐 "

// openApproval is an open approval or question, as clients see it.
type openApproval struct {
	ApprovalID string              `json:"approval_id"`
	Kind       domain.ApprovalKind `json:"kind"`
	Actions    []openAction        `json:"actions"`
	// Question and Schema are set for a question: its text, and the schema of its answer.
	Question string          `json:"question,omitempty"`
	Schema   json.RawMessage `json:"response_schema,omitempty"`
	Link     string          `json:"link"`
	text     string
}

type openAction struct {
	ID      string          `json:"id"`
	Command string          `json:"command"`
	Params  json.RawMessage `json:"params"`
	Text    string          `json:"text"`
}

// openApproval reads the approval that the round waits for; nil if it has been answered, and the
// round continues.
func (a *requestState) openApproval(ctx context.Context, r *http.Request, rd *round) (*openApproval, error) {
	approval, err := a.Record.Approval(ctx, a.identity.Workspace, rd.approvalID)
	if err != nil || approval.Status != domain.ApprovalStatusOpen && !rd.atCalls {
		return nil, err
	}
	workspace, err := a.Record.Workspace(ctx, a.identity.Workspace)
	if err != nil {
		return nil, err
	}
	out := &openApproval{
		ApprovalID: approval.ID, Kind: approval.Kind, Actions: []openAction{}, Schema: approval.ResponseSchema,
		Question: rounds.Question(approval), Link: a.base(r) + "/#/chat/" + approval.SessionID,
	}
	for _, action := range approval.Actions {
		out.Actions = append(out.Actions, openAction{ID: action.ID, Command: action.Command, Params: action.Params, Text: action.Text})
	}
	out.text = out.describe(&workspace.Settings)
	return out, nil
}

// describeRejected sets the notice of a round that ends with actions which were not approved: the AI
// is not called again, so that the answer could be empty without it.
func (c *Config) describeRejected(ctx context.Context, ws string, rd *round) error {
	if rd.rejected == nil {
		return nil
	}
	workspace, err := c.Record.Workspace(ctx, ws)
	if err != nil {
		return err
	}
	var b strings.Builder
	if rd.rejected.Status == domain.ApprovalStatusExpired {
		b.WriteString(workspace.Settings.Say(approvalMark+lateEnglish, approvalMark+lateFrench))
	} else {
		b.WriteString(workspace.Settings.Say(approvalMark+refusedEnglish, approvalMark+refusedFrench))
	}
	for _, action := range rd.rejected.Actions {
		b.WriteString("\n- " + domain.Visible(action.Text))
	}
	rd.notice = b.String()
	return nil
}

// Texts about actions that were not approved.
const (
	refusedEnglish = "Refused, nothing was changed:"
	refusedFrench  = "Refusé, rien n’a été modifié :"
	lateEnglish    = "Not answered in time, nothing was changed:"
	lateFrench     = "Sans réponse à temps, rien n’a été modifié :"
)

// isRejectionNotice reports whether a text is about actions that were not approved.
func isRejectionNotice(text string) bool {
	return slices.ContainsFunc([]string{refusedEnglish, refusedFrench, lateEnglish, lateFrench}, func(notice string) bool {
		return strings.HasPrefix(text, approvalMark+notice)
	})
}

// base returns the base URL of the web app.
func (c *Config) base(r *http.Request) string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// describe returns the text that a person reads instead of the approval card.
func (a *openApproval) describe(s *domain.Settings) string {
	var b strings.Builder
	b.WriteString(approvalMark)
	if a.Kind == domain.ApprovalQuestion {
		b.WriteString(s.Say("Waiting for your answer", "En attente de votre réponse"))
	} else {
		b.WriteString(s.Say("Waiting for your approval", "En attente de votre approbation"))
	}
	b.WriteString(s.Say(":", " :"))
	for _, action := range a.Actions {
		b.WriteString("\n- " + domain.Visible(action.Text))
	}
	if a.Question != "" {
		b.WriteString("\n" + domain.Visible(a.Question))
	}
	b.WriteString("\n\n" + s.Say("Answer here: ", "Répondez ici : ") + a.Link)
	return b.String()
}
