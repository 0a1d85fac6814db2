package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// askMark begins what the door itself tells of an approval or a question: the sign over a
// note that says hold here. What comes behind it in an answer is in no message.
const approvalMark = "𝄐 "

// ask is an open approval or question, as a client is told of it.
type openApproval struct {
	ApprovalID string              `json:"approval_id"`
	Kind       domain.ApprovalKind `json:"kind"`
	Actions    []openAction        `json:"actions"`
	// Question and Schema are of a question: what is asked, and what an answer must be.
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

// askOf reads what a person is asked, or the client; nil when it has been answered, and the round
// is told further.
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
		Question: questionOf(approval), Link: a.base(r) + "/#/chat/" + approval.SessionID,
	}
	for _, action := range approval.Actions {
		out.Actions = append(out.Actions, openAction{ID: action.ID, Command: action.Command, Params: action.Params, Text: action.Text})
	}
	out.text = out.describe(&workspace.Settings)
	return out, nil
}

// putInWords makes words of actions that a round ends with and that nobody approved: the AI was
// not asked again, so that without them the answer could be empty.
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

// What is said of actions that were not approved.
const (
	refusedEnglish = "Refused, nothing was changed:"
	refusedFrench  = "Refusé, rien n’a été modifié :"
	lateEnglish    = "Not answered in time, nothing was changed:"
	lateFrench     = "Sans réponse à temps, rien n’a été modifié :"
)

// isRefusal says whether these words are of actions that are asked no more.
func isRejectionNotice(told string) bool {
	return slices.ContainsFunc([]string{refusedEnglish, refusedFrench, lateEnglish, lateFrench}, func(said string) bool {
		return strings.HasPrefix(told, approvalMark+said)
	})
}

// base is the address under which a person reaches the page.
func (c *Config) base(r *http.Request) string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// questionOf is what is asked, in words; "" where the actions say it.
func questionOf(a *domain.Approval) string {
	if a.Module == nil {
		return a.Text
	}
	var m struct {
		Question string   `json:"question"`
		Message  string   `json:"message"`
		Title    string   `json:"title"`
		Options  []string `json:"options"`
		Steps    []string `json:"steps"`
	}
	_ = json.Unmarshal(a.Module.Data, &m) // a module was checked when it came; what is told of it is what can be read
	lines := []string{}
	for _, line := range []string{m.Title, m.Question, m.Message} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for _, item := range append(m.Options, m.Steps...) {
		lines = append(lines, "- "+item)
	}
	return strings.Join(lines, "\n")
}

// words are what a person reads in place of the card.
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
