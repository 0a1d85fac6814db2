package sessions

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ResumeValidation(w http.ResponseWriter, r *http.Request) {
	var in api.ValidationAnswer
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ResumeValidation, sessionID(r), in.Domain())
}

func (s *Handlers) ResumeResponse(w http.ResponseWriter, r *http.Request) {
	var in api.ResponseAnswer
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	d, err := in.Domain()
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ResumeResponse, sessionID(r), d)
}

func (s *Handlers) ConfirmCompletion(w http.ResponseWriter, r *http.Request) {
	var in api.CompletionAnswer
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ConfirmCompletion, sessionID(r), in.Domain())
}

// answer submits a decision and writes the result. id is that of the session or of the approval.
func (s *Handlers) answer(w http.ResponseWriter, r *http.Request,
	give func(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error), id string, d domain.Decision) {
	who := edge.Caller(r)
	d.By = who.Author()
	receipt, err := give(r.Context(), who.Workspace, id, d)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	body, err := json.Marshal(api.AnswerResult{
		Session: *api.SessionFrom(receipt.Session), Approval: edge.ApprovalFor(r)(receipt.Approval), EventSeq: receipt.Seq,
	})
	if err == nil && receipt.Approval != nil {
		body = s.FirstReply(r, receipt.Approval.WorkspaceID, "approval "+receipt.Approval.ID, body)
	}
	s.WriteEncoded(w, r, http.StatusOK, body, err)
}

func (s *Handlers) ListApprovals(w http.ResponseWriter, r *http.Request) {
	status, err := edge.OneOf(r, "status",
		domain.ApprovalStatusOpen, domain.ApprovalStatusApproved, domain.ApprovalStatusRefused,
		domain.ApprovalStatusExpired, domain.ApprovalStatusSuperseded, domain.ApprovalStatusEvicted,
		domain.ApprovalStatusStale, domain.ApprovalStatusStopped, domain.ApprovalStatusInterrupted)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	kind, err := edge.OneOf(r, "kind", domain.ApprovalActions, domain.ApprovalQuestion, domain.ApprovalBudget,
		domain.ApprovalCompletion, domain.ApprovalOutcome, domain.ApprovalPoisoned, domain.ApprovalReconnect,
		domain.ApprovalClientCalls)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, edge.ApprovalFor(r), func(limit int) ([]*domain.Approval, string, error) {
		return s.WorkspaceReader.Approvals(r.Context(), edge.Caller(r).Workspace, domain.ApprovalFilter{
			Status: status, SessionID: r.URL.Query().Get("session_id"), Kind: kind, Cursor: after, Limit: limit,
		})
	})
}

func (s *Handlers) GetApproval(w http.ResponseWriter, r *http.Request) {
	approval, err := s.WorkspaceReader.Approval(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "approval_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, edge.ApprovalFor(r)(approval))
}

func (s *Handlers) AnswerApproval(w http.ResponseWriter, r *http.Request) {
	var in api.ApprovalAnswer
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	id := chi.URLParam(r, "approval_id")
	approval, err := s.WorkspaceReader.Approval(r.Context(), edge.Caller(r).Workspace, id)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	d, err := in.Domain(approval.Kind)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.AnswerApproval, id, d)
}
