package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// Extra are the fields of an answer that the protocols do not have.
type Extra struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id"`
	// NewSession is the reason for a new session; DepartedFrom is the id of the session whose record
	// the client's history departs from.
	NewSession   string `json:"new_session,omitempty"`
	DepartedFrom string `json:"departed_from,omitempty"`
	// Unoffered are the tools of the request that the model was not offered.
	Unoffered []UnofferedTool `json:"tools_not_offered,omitempty"`
	*OpenApproval
}

// UnofferedTool is a tool of a request that the model is not offered: this server does not run
// hosted tools such as web_search, and a call of a custom tool has no JSON arguments.
type UnofferedTool struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

// NewExtra returns the fields about where a request was found.
func NewExtra(found *rounds.Found) Extra {
	return Extra{
		SessionID: found.Session, MessageID: found.Message, NewSession: found.NewSession, DepartedFrom: found.DepartedFrom,
	}
}

// OpenApproval is an open approval or question, as clients see it.
type OpenApproval struct {
	ApprovalID string              `json:"approval_id"`
	Kind       domain.ApprovalKind `json:"kind"`
	Actions    []openAction        `json:"actions"`
	// Question and Schema are set for a question: its text, and the schema of its answer.
	Question string          `json:"question,omitempty"`
	Schema   json.RawMessage `json:"response_schema,omitempty"`
	Link     string          `json:"link"`
	// Text is what a person reads instead of the approval card.
	Text string `json:"-"`
}

type openAction struct {
	ID      string          `json:"id"`
	Command string          `json:"command"`
	Params  json.RawMessage `json:"params"`
	Text    string          `json:"text"`
}

// OpenApproval returns what the round waits for; nil for nothing, or for calls of the client's tools.
func (c *Config) OpenApproval(ctx context.Context, r *http.Request, x *rounds.Round) (*OpenApproval, error) {
	a := x.Outcome.Approval
	if a == nil || a.Kind == domain.ApprovalClientCalls {
		return nil, nil //nolint:nilnil // a person has nothing to answer
	}
	out := &OpenApproval{
		ApprovalID: a.ID, Kind: a.Kind, Actions: []openAction{}, Schema: a.ResponseSchema,
		Question: rounds.Question(a), Link: c.base(r) + "/#/chat/" + a.SessionID,
	}
	for _, action := range a.Actions {
		out.Actions = append(out.Actions, openAction{ID: action.ID, Command: action.Command, Params: action.Params, Text: action.Text})
	}
	var err error
	out.Text, err = x.ApprovalText(ctx, a, out.Link)
	return out, err
}

// FollowEvents follows the round until it is over or waits for a person, and returns what the person has to answer.
func (c *Config) FollowEvents(r *http.Request, x *rounds.Round, out rounds.Output) (*OpenApproval, error) {
	err := x.FollowEvents(r.Context(), out)
	if err != nil {
		return nil, StreamError(err)
	}
	return c.OpenApproval(r.Context(), r, x)
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

// ClientCalls returns the approval with the calls that the client is to run; nil for none.
func ClientCalls(x *rounds.Round) *domain.Approval {
	if a := x.Outcome.Approval; a != nil && a.Kind == domain.ApprovalClientCalls {
		return a
	}
	return nil
}
