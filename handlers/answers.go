package handlers

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type validationAnswer struct {
	Approved    *bool                      `json:"approved" validate:"required"`
	ApprovalID  string                     `json:"approval_id" validate:"max=64"`
	ApprovedIDs []string                   `json:"approved_ids" validate:"max=100,dive,max=64"`
	Edits       map[string]json.RawMessage `json:"edits" validate:"max=100,dive,object"`
	Comment     string                     `json:"comment" validate:"max=10000"`
}

func (s *server) resumeValidation(w http.ResponseWriter, r *http.Request) {
	var in validationAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ResumeValidation, sessionID(r), domain.Decision{
		ApprovalID: in.ApprovalID, Approved: *in.Approved, ApprovedIDs: in.ApprovedIDs, Edits: in.Edits, Comment: in.Comment,
	})
}

type responseAnswer struct {
	Value      json.RawMessage `json:"value"`
	Cancelled  *bool           `json:"cancelled"`
	ApprovalID string          `json:"approval_id" validate:"max=64"`
}

func (s *server) resumeResponse(w http.ResponseWriter, r *http.Request) {
	var in responseAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	cancelled := in.Cancelled != nil && *in.Cancelled
	if err := valueOrCancelled(in.Value, cancelled); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ResumeResponse, sessionID(r), domain.Decision{
		ApprovalID: in.ApprovalID, Approved: !cancelled, Value: in.Value, Cancelled: cancelled,
	})
}

func valueOrCancelled(value json.RawMessage, cancelled bool) error {
	switch {
	case cancelled && value != nil:
		return domain.Invalid("/value", "not_allowed", "Send either a value or cancelled.")
	case !cancelled && value == nil:
		return domain.Invalid("/value", "required", "This is needed, or cancelled: true.")
	}
	return nil
}

type completionAnswer struct {
	Confirmed  *bool  `json:"confirmed" validate:"required"`
	Comment    string `json:"comment" validate:"max=10000"`
	ApprovalID string `json:"approval_id" validate:"max=64"`
}

func (s *server) confirmCompletion(w http.ResponseWriter, r *http.Request) {
	var in completionAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ConfirmCompletion, sessionID(r), domain.Decision{
		ApprovalID: in.ApprovalID, Approved: *in.Confirmed, Comment: in.Comment,
	})
}

// answer gives a decision to the door and says what came of it. id is that of the
// session or of the approval.
func (s *server) answer(w http.ResponseWriter, r *http.Request,
	give func(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error), id string, d domain.Decision) {
	who := caller(r)
	d.By = who.Author()
	receipt, err := give(r.Context(), who.Workspace, id, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.AnswerResult{
		Session: *api.SessionFrom(receipt.Session), Approval: api.ApprovalFrom(receipt.Approval), EventSeq: receipt.Seq,
	})
}

func (s *server) listApprovals(w http.ResponseWriter, r *http.Request) {
	status, err := oneOf(r, "status", domain.ApprovalStatusOpen, domain.ApprovalStatusApproved, domain.ApprovalStatusRefused, domain.ApprovalStatusExpired,
		domain.ApprovalStatusSuperseded, domain.ApprovalStatusEvicted, domain.ApprovalStatusStale, domain.ApprovalStatusStopped, domain.ApprovalStatusInterrupted)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	kind, err := oneOf(r, "kind", domain.ApprovalActions, domain.ApprovalQuestion, domain.ApprovalBudget,
		domain.ApprovalCompletion, domain.ApprovalOutcome, domain.ApprovalPoisoned)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ApprovalFrom, func(limit int) ([]*domain.Approval, string, error) {
		return s.WorkspaceReader.Approvals(r.Context(), caller(r).Workspace, domain.ApprovalFilter{
			Status: status, SessionID: r.URL.Query().Get("session_id"), Kind: kind, Cursor: after, Limit: limit,
		})
	})
}

func (s *server) getApproval(w http.ResponseWriter, r *http.Request) {
	approval, err := s.WorkspaceReader.Approval(r.Context(), caller(r).Workspace, chi.URLParam(r, "approval_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.ApprovalFrom(approval))
}

// approvalAnswer holds the answers to every kind of approval; decisionFor keeps what
// the kind takes.
type approvalAnswer struct {
	Approved    *bool                      `json:"approved"`
	ApprovedIDs []string                   `json:"approved_ids" validate:"max=100,dive,max=64"`
	Edits       map[string]json.RawMessage `json:"edits" validate:"max=100,dive,object"`
	Comment     *string                    `json:"comment" validate:"omitempty,max=10000"`
	Value       json.RawMessage            `json:"value"`
	Cancelled   *bool                      `json:"cancelled"`
	Limit       *float64                   `json:"limit" validate:"omitempty,gt=0"`
	Confirmed   *bool                      `json:"confirmed"`
	Outcome     *string                    `json:"outcome" validate:"omitempty,oneof=happened did_not run_again"`
}

func (s *server) answerApproval(w http.ResponseWriter, r *http.Request) {
	var in approvalAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	id := chi.URLParam(r, "approval_id")
	approval, err := s.WorkspaceReader.Approval(r.Context(), caller(r).Workspace, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	d, err := in.decisionFor(approval.Kind)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.AnswerApproval, id, d)
}

// takes says which fields an answer to a kind may have; the first one is needed.
var takes = map[domain.ApprovalKind][]string{
	domain.ApprovalActions:    {"approved", "approved_ids", "edits", "comment"},
	domain.ApprovalQuestion:   {"value", "cancelled"},
	domain.ApprovalBudget:     {"approved", "limit"},
	domain.ApprovalCompletion: {"confirmed", "comment"},
	domain.ApprovalOutcome:    {"outcome"},
	domain.ApprovalPoisoned:   {"approved"},
}

func (a *approvalAnswer) decisionFor(kind domain.ApprovalKind) (domain.Decision, error) {
	allowed := map[string]bool{}
	for _, name := range takes[kind] {
		allowed[name] = true
	}
	given := a.given()
	for _, name := range []string{"approved", "approved_ids", "edits", "comment", "value", "cancelled", "limit", "confirmed", "outcome"} {
		if given[name] && !allowed[name] {
			return domain.Decision{}, domain.Invalid("/"+name, "not_allowed", "An approval of kind %s takes no %s.", kind, name)
		}
	}
	d := domain.Decision{ApprovedIDs: a.ApprovedIDs, Edits: a.Edits, Value: a.Value, Limit: a.Limit}
	if a.Comment != nil {
		d.Comment = *a.Comment
	}
	if kind == domain.ApprovalQuestion {
		d.Cancelled = a.Cancelled != nil && *a.Cancelled
		d.Approved = !d.Cancelled
		return d, valueOrCancelled(a.Value, d.Cancelled)
	}
	if needed := takes[kind]; len(needed) > 0 && !given[needed[0]] {
		return d, domain.Invalid("/"+needed[0], "required", "An answer to an approval of kind %s needs %s.", kind, needed[0])
	}
	switch {
	case a.Approved != nil:
		d.Approved = *a.Approved
	case a.Confirmed != nil:
		d.Approved = *a.Confirmed
	case a.Outcome != nil:
		d.Outcome, d.Approved = *a.Outcome, *a.Outcome != "did_not"
	}
	return d, nil
}

func (a *approvalAnswer) given() map[string]bool {
	return map[string]bool{
		"approved": a.Approved != nil, "approved_ids": a.ApprovedIDs != nil, "edits": a.Edits != nil, "comment": a.Comment != nil,
		"value": a.Value != nil, "cancelled": a.Cancelled != nil, "limit": a.Limit != nil, "confirmed": a.Confirmed != nil, "outcome": a.Outcome != nil,
	}
}
