package acp

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/card"
)

// askOpenApprovals requests the answers to the open approvals of the session and of its agents,
// unless they were requested already.
func (s *session) askOpenApprovals(ctx context.Context, found *api.Session) error {
	if found.Status != "requires_action" {
		return nil
	}
	sessions := []string{found.ID}
	if w := found.WaitingContext; w != nil && w.Agents != nil {
		sessions = append(sessions, *w.Agents...)
	}
	for _, id := range sessions {
		var page api.ApprovalList
		path := "/v1/approvals?status=open&session_id=" + url.QueryEscape(id)
		if err := s.Server.Insist(ctx, http.MethodGet, path, nil, &page); err != nil {
			return err
		}
		for i := range page.Data {
			s.askPerson(ctx, &page.Data[i])
		}
	}
	return nil
}

// askPerson requests the answer to an approval in the background.
func (s *session) askPerson(ctx context.Context, a *api.Approval) {
	if s.openRequests[a.ID] != nil || s.question == a.ID || a.Status != "open" {
		return
	}
	choices, form := answerOptions(a), any(nil)
	if len(choices) == 0 && s.editorCapabilities().Capabilities.Elicitation.Form != nil {
		form = formOf(a)
	}
	kind, m := moduleOf(a)
	if kind == "Plan" {
		s.updates.plan(m.Steps)
	}
	if len(choices) == 0 && form == nil {
		s.askAsText(a, kind)
		return
	}
	call := s.toolCallOf(a)
	requestCtx, cancel := context.WithCancel(ctx)
	s.openRequests[a.ID] = cancel
	s.work.Go(func() {
		defer cancel()
		s.requestAnswer(requestCtx, ctx, &personRequest{approval: a, call: call, choices: choices, form: form})
	})
}

// askAsText sends a question that the editor has no form for as text. A text question is answered by
// the next prompt, any other one in the web app.
func (s *session) askAsText(a *api.Approval, kind string) {
	text := strings.Join(card.Body(a), "\n")
	if kind != "Text" {
		s.updates.writeText(a.ID, text+"\n\nAnswer here: "+s.URL+"/#/chat/"+a.SessionID, false)
		return
	}
	s.updates.writeText(a.ID, text, false)
	if a.SessionID != s.id { // a question of an agent cannot be answered by a prompt
		return
	}
	s.question = a.ID
	for _, p := range s.pendingPrompts() {
		if p.placed {
			s.finish(p, s.outcome(p))
		}
	}
}

// personRequest is an approval that a person is asked about.
type personRequest struct {
	approval *api.Approval
	call     fields // the tool call that represents it
	choices  []option
	form     any
}

// toolCallOf returns the tool call that represents an approval: the action to approve, or a call of
// its own.
func (s *session) toolCallOf(a *api.Approval) fields {
	id, name, title := a.ID, api.AskUser, api.ApprovalTitle(a)
	if a.Kind == api.ApprovalActions && len(a.Actions) == 1 {
		id, name, title = a.Actions[0].ID, a.Actions[0].Command, api.Visible(a.Actions[0].Text)
	}
	call := fields{"title": title, "status": "pending", "content": textContent(strings.Join(card.Body(a), "\n"))}
	s.updates.call(id, name, "", nil, call)
	return fields{"toolCallId": id, "title": title, "status": "pending", "content": call["content"]}
}

// requestAnswer asks until the server accepts an answer. requestCtx ends when the approval is
// settled otherwise.
func (s *session) requestAnswer(requestCtx, ctx context.Context, q *personRequest) {
	for {
		answer, err := s.answerOf(requestCtx, q)
		if requestCtx.Err() != nil || (answer == nil && err == nil) {
			return // settled elsewhere, or not answered
		}
		if err == nil {
			err = s.Server.Insist(ctx, http.MethodPost, "/v1/approvals/"+q.approval.ID, answer, nil)
		}
		if err == nil || requestCtx.Err() != nil {
			return
		}
		s.mu.Lock()
		s.updates.call(q.call["toolCallId"].(string), "", "", nil, fields{"content": textContent(
			"The answer was rejected: " + err.Error() + "\n\nAnswer here: " + s.URL + "/#/chat/" + q.approval.SessionID)})
		s.mu.Unlock()
		if codeOf(err) != "invalid" {
			return
		}
	}
}

// answerOf returns the answer of the person; nil for none.
func (s *session) answerOf(ctx context.Context, q *personRequest) (fields, error) {
	if q.form != nil {
		return s.formAnswerOf(ctx, q)
	}
	options := []fields{}
	for i, o := range q.choices {
		options = append(options, fields{"optionId": strconv.Itoa(i), "name": o.name, "kind": o.kind})
	}
	var result permissionResult
	params := fields{"sessionId": s.id, "toolCall": q.call, "options": options}
	if err := s.conn.request(ctx, methodPermission, params, &result); err != nil {
		return nil, err
	}
	if result.Outcome.Outcome != "selected" {
		return nil, nil //nolint:nilnil // no answer
	}
	for i, o := range q.choices {
		if result.Outcome.Option == strconv.Itoa(i) {
			return o.answer, nil
		}
	}
	return nil, newFailure(codeParams, "invalid", "there is no option %q", result.Outcome.Option)
}

func (s *session) formAnswerOf(ctx context.Context, q *personRequest) (fields, error) {
	var result elicitationResult
	err := s.conn.request(ctx, methodElicitation, fields{
		"sessionId": s.id, "toolCallId": q.call["toolCallId"], "mode": "form", "requestedSchema": q.form,
		"message": strings.Join(card.Body(q.approval), "\n"),
	}, &result)
	switch {
	case err != nil:
		return nil, err
	case result.Action == "accept":
		return valueOf(q.approval, result.Content), nil
	case result.Action == "decline":
		return fields{"cancelled": true}, nil
	}
	return nil, nil //nolint:nilnil // no answer
}

// approvalSettled cancels the request for an approval that has an answer, from this editor or
// elsewhere.
func (s *session) approvalSettled(a *api.Approval) {
	if taken := s.openRequests[a.ID]; taken != nil {
		taken()
		delete(s.openRequests, a.ID)
	}
	if s.question == a.ID {
		s.question = ""
	}
	if s.updates.calls[a.ID] { // it is represented by a call of its own
		status := "failed"
		if a.Status == "approved" {
			status = "completed"
		}
		s.updates.call(a.ID, "", "", nil, fields{"status": status})
	}
}
