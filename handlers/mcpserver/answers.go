package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/rounds"
)

// requestState is what a client keeps between a question and its answer. It is sealed, so that it is
// bound to the caller and the question, and cannot be changed.
type requestState struct {
	Session   string    `json:"session"`
	Message   string    `json:"message"`
	Approval  string    `json:"approval"`
	Digest    string    `json:"digest"`
	ExpiresAt time.Time `json:"expires_at"`
}

// stateTTL is how long an answer with a state is accepted.
const stateTTL = time.Hour

func (c *call) statePlace() seal.Place {
	return seal.Place{"mcp request state", c.identity.Workspace, c.identity.Name}
}

// digestOf returns a digest of what was shown, to which the answer is bound.
func digestOf(a *domain.Approval) string {
	parts := []string{a.ID, string(a.Kind), a.Text}
	for _, action := range a.Actions {
		parts = append(parts, action.ID, action.Digest)
	}
	if a.Module != nil {
		parts = append(parts, a.Module.Type, string(a.Module.Data))
	}
	return rounds.Hash(parts...)
}

// elicitation asks a client that can show forms for what a session waits for; nil if it cannot, or
// the workspace does not allow clients to answer.
func (c *call) elicitation(req *mcp.CallToolRequest, s *rounds.Progress, at *rounds.Found) (*mcp.CallToolResult, error) {
	able := req.ClientCapabilities()
	if len(s.Open) == 0 || !c.mayAnswer || !c.Keys.Any() || req.ProtocolVersion() < revision2026 || able == nil || able.Elicitation == nil {
		return nil, nil
	}
	expires := c.Clock().Add(stateTTL)
	asked := s.Open[0] // the first one; the others follow after its answer
	if asked.Sensitive(approveAll) {
		return nil, nil // it is signed in the web app
	}
	if at := asked.ExpiresAt; at != nil && at.Before(expires) {
		expires = *at
	}
	state := requestState{at.Session, at.Message, asked.ID, digestOf(asked), expires}
	sealed, err := c.Keys.Seal(string(jsonbody.Encode(state)), c.statePlace())
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{asked.ID: c.elicit(asked)}, RequestState: sealed,
	}, nil
}

// approveAll is the decision that approves everything.
var approveAll = domain.Decision{Approved: true}

// elicit returns an approval as an elicitation: a form where clients may answer, otherwise the link
// to the web app.
func (c *call) elicit(a *domain.Approval) *mcp.ElicitParams {
	message := rounds.QuestionText(a)
	if !c.mayAnswer || a.Sensitive(approveAll) {
		return &mcp.ElicitParams{Mode: "url", Message: message, URL: c.link(a.SessionID), ElicitationID: a.ID}
	}
	if a.Kind == domain.ApprovalActions { // one line for each action, which does not show its details
		message += "\n\nAll that would be done, before you answer: " + c.link(a.SessionID)
	}
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: formOf(a)}
}

// forms are the forms of the kinds of approvals.
var forms = map[domain.ApprovalKind]json.RawMessage{
	domain.ApprovalActions: json.RawMessage(`{"type":"object","required":["approved"],"properties":{` +
		`"approved":{"type":"boolean","title":"Approve"},"comment":{"type":"string","title":"Comment","maxLength":10000}}}`),
	domain.ApprovalBudget: json.RawMessage(`{"type":"object","required":["approved"],"properties":{` +
		`"approved":{"type":"boolean","title":"Go on"},"limit":{"type":"number","title":"New limit"}}}`),
	domain.ApprovalCompletion: json.RawMessage(`{"type":"object","required":["confirmed"],"properties":{` +
		`"confirmed":{"type":"boolean","title":"It is done"},"comment":{"type":"string","title":"Comment","maxLength":10000}}}`),
	domain.ApprovalOutcome: json.RawMessage(`{"type":"object","required":["outcome"],"properties":{` +
		`"outcome":{"type":"string","title":"Outcome","enum":["happened","did_not","run_again"]}}}`),
	domain.ApprovalPoisoned: json.RawMessage(`{"type":"object","required":["approved"],"properties":{` +
		`"approved":{"type":"boolean","title":"Try again"}}}`),
}

// formOf returns the form of an approval. A question with a single value has one field, value.
func formOf(a *domain.Approval) json.RawMessage {
	if form, known := forms[a.Kind]; known {
		return form
	}
	if isObject(a.ResponseSchema) {
		return a.ResponseSchema
	}
	one := a.ResponseSchema
	if len(one) == 0 {
		one = json.RawMessage(`{"type":"string"}`)
	}
	return json.RawMessage(`{"type":"object","required":["value"],"properties":{"value":` + string(one) + `}}`)
}

func isObject(schema json.RawMessage) bool {
	var s struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// What a person did with a form.
const (
	formAccepted = "accept"
	formDeclined = "decline"
)

// answer submits a form. A form that was closed is no answer.
func (c *call) answer(ctx context.Context, a *domain.Approval, filled *mcp.ElicitResult) error {
	fields := filled.Content
	switch {
	case filled.Action == formDeclined:
		fields = rejectionOf(a.Kind)
	case filled.Action != formAccepted:
		return nil
	case a.Kind == domain.ApprovalQuestion && isObject(a.ResponseSchema):
		fields = map[string]any{"value": fields}
	}
	if fields == nil {
		return domain.Invalid("/inputResponses", "required", "The form is empty.")
	}
	return c.decide(ctx, a, jsonbody.Encode(fields))
}

// rejectionOf returns the answer that rejects an approval of a kind; nil if it cannot be rejected.
func rejectionOf(kind domain.ApprovalKind) map[string]any {
	switch kind {
	case domain.ApprovalQuestion:
		return map[string]any{"cancelled": true}
	case domain.ApprovalCompletion:
		return map[string]any{"confirmed": false}
	case domain.ApprovalOutcome:
		return nil
	}
	return map[string]any{"approved": false}
}

// decide submits a decision in the form of the API.
func (c *call) decide(ctx context.Context, a *domain.Approval, fields json.RawMessage) error {
	switch {
	case !c.mayAnswer:
		return domain.Errorf(domain.CodeForbidden, "This workspace does not allow MCP clients to answer for a person (setting mcp_answers). Answer here: %s",
			c.link(a.SessionID))
	case !c.identity.Role.Allows(domain.RoleMember):
		return domain.Errorf(domain.CodeForbidden, "This needs the role member, and the key has the role %s.", c.identity.Role)
	}
	decision, err := c.Decision(fields, a.Kind)
	if err != nil {
		return err
	}
	return c.newRound().Answer(ctx, a.ID, decision)
}

// resume returns the round of a call that is repeated with the answer to an elicitation, once that is
// submitted.
func (c *call) resume(ctx context.Context, params *mcp.CallToolParamsRaw) (*rounds.Round, error) {
	var state requestState
	text, err := c.Keys.Open(params.RequestState, c.statePlace())
	if err == nil {
		err = json.Unmarshal([]byte(text), &state)
	}
	if err != nil {
		return nil, invalidState(err)
	}
	x := c.roundOf(state.Session, state.Message)
	filled, given := params.InputResponses[state.Approval].(*mcp.ElicitResult)
	if !given {
		return x, nil // the question is sent again if it is still open
	}
	if c.Clock().After(state.ExpiresAt) {
		return nil, domain.Errorf(domain.CodeApprovalExpired, "The answer is too late. Send the message without requestState to get the question again.")
	}
	asked, err := c.Approvals.Approval(ctx, c.identity.Workspace, state.Approval)
	if err != nil {
		return nil, err
	}
	if digestOf(asked) != state.Digest {
		return nil, domain.Errorf(domain.CodeValidationStale, "The approval has changed since it was shown. Nothing was changed.")
	}
	return x, c.answer(ctx, asked, filled)
}

func invalidState(err error) error {
	return &domain.Error{
		Code: domain.CodeInvalid, Message: "The requestState was not issued by this server to this key. Nothing was changed.", Err: err,
		Fields: []domain.FieldError{{Pointer: "/requestState", Code: "not_ours", Message: "It was modified, or issued to another key."}},
	}
}
