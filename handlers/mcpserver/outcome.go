package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// outcome is the progress of a message's round, or of a run, as a tool result.
type outcome struct {
	SessionID string          `json:"session_id"`
	MessageID string          `json:"message_id,omitempty"`
	State     rounds.State    `json:"state"`
	Text      string          `json:"text"`
	Failure   string          `json:"failure,omitempty"`
	Attached  bool            `json:"attached,omitempty"` // it was started by the same request before
	Pending   []*approvalCard `json:"pending,omitempty"`
	Link      string          `json:"link"`
}

// approvalCard is an open approval or question, as clients see it.
type approvalCard struct {
	ApprovalID string              `json:"approval_id"`
	SessionID  string              `json:"session_id"`
	Kind       domain.ApprovalKind `json:"kind"`
	Text       string              `json:"text"`
	Actions    []cardAction        `json:"actions"`
	Schema     json.RawMessage     `json:"response_schema,omitempty"`
	ExpiresAt  *api.Time           `json:"expires_at,omitempty"`
	Link       string              `json:"link"`
}

type cardAction struct {
	ID      string          `json:"id"`
	Command string          `json:"command"`
	Params  json.RawMessage `json:"params"`
	Text    string          `json:"text"`
	Digest  string          `json:"digest"`
}

func (c *call) outcome(s *rounds.Progress) *outcome {
	out := &outcome{SessionID: s.Session.ID, State: s.State, Text: s.Text, Failure: s.Failure, Link: c.link(s.Session.ID)}
	if s.Message != nil {
		out.MessageID = s.Message.ID
	}
	for _, a := range s.Open {
		out.Pending = append(out.Pending, c.cardOf(a))
	}
	return out
}

// describe returns the result as text for a person or a model.
func (o *outcome) describe() string {
	parts := []string{}
	if o.Text != "" {
		parts = append(parts, o.Text)
	}
	switch {
	case len(o.Pending) > 0:
		for _, p := range o.Pending {
			parts = append(parts, "Waiting for a person:\n"+p.Text)
		}
		parts = append(parts, "Answer here: "+o.Link)
	case o.State == rounds.Working:
		parts = append(parts, "The session "+o.SessionID+" is still working. Ask again with get_session.")
	case o.State == rounds.Cancelled:
		parts = append(parts, "The round was cancelled.")
	case o.Failure != "":
		parts = append(parts, o.Failure)
	}
	return strings.Join(parts, "\n\n")
}

func (c *call) cardOf(a *domain.Approval) *approvalCard {
	out := &approvalCard{
		ApprovalID: a.ID, SessionID: a.SessionID, Kind: a.Kind, Text: rounds.QuestionText(a),
		Actions: []cardAction{}, Schema: a.ResponseSchema,
		ExpiresAt: (*api.Time)(a.ExpiresAt), Link: c.link(a.SessionID),
	}
	for _, action := range a.Actions {
		out.Actions = append(out.Actions, cardAction{action.ID, action.Command, action.Params, action.Text, action.Digest})
	}
	return out
}
