package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// askMark begins what the door itself tells of an approval or a question: the sign over a
// note that says hold here. What comes behind it in an answer is in no message.
const askMark = "𝄐 "

// ask is an open approval or question, as a client is told of it.
type ask struct {
	ApprovalID string              `json:"approval_id"`
	Kind       domain.ApprovalKind `json:"kind"`
	Actions    []askedAction       `json:"actions"`
	// Question and Schema are of a question: what is asked, and what an answer must be.
	Question string          `json:"question,omitempty"`
	Schema   json.RawMessage `json:"response_schema,omitempty"`
	Link     string          `json:"link"`
	text     string
}

type askedAction struct {
	ID      string          `json:"id"`
	Command string          `json:"command"`
	Params  json.RawMessage `json:"params"`
	Text    string          `json:"text"`
}

// askOf reads what a person is asked; nil when it has been answered.
func (a *asking) askOf(ctx context.Context, r *http.Request, approval string) (*ask, error) {
	stored, err := a.Record.Approval(ctx, a.who.Workspace, approval)
	if err != nil || stored.Status != domain.ApprovalStatusOpen {
		return nil, err
	}
	workspace, err := a.Record.Workspace(ctx, a.who.Workspace)
	if err != nil {
		return nil, err
	}
	out := &ask{
		ApprovalID: stored.ID, Kind: stored.Kind, Actions: []askedAction{}, Schema: stored.ResponseSchema,
		Question: questionOf(stored), Link: a.base(r) + "/#/chat/" + stored.SessionID,
	}
	for _, action := range stored.Actions {
		out.Actions = append(out.Actions, askedAction{ID: action.ID, Command: action.Command, Params: action.Params, Text: action.Text})
	}
	out.text = out.words(&workspace.Settings)
	return out, nil
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
func (a *ask) words(s *domain.Settings) string {
	var b strings.Builder
	b.WriteString(askMark)
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
