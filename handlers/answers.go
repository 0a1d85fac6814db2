package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *sessionRoutes) resumeValidation(w http.ResponseWriter, r *http.Request) {
	var in api.ValidationAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ResumeValidation, sessionID(r), in.Domain())
}

func (s *sessionRoutes) resumeResponse(w http.ResponseWriter, r *http.Request) {
	var in api.ResponseAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	d, err := in.Domain()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ResumeResponse, sessionID(r), d)
}

func (s *sessionRoutes) confirmCompletion(w http.ResponseWriter, r *http.Request) {
	var in api.CompletionAnswer
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.ConfirmCompletion, sessionID(r), in.Domain())
}

// answer submits a decision and writes the result. id is that of the session or of the approval.
func (s *sessionRoutes) answer(w http.ResponseWriter, r *http.Request,
	give func(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error), id string, d domain.Decision) {
	who := caller(r)
	d.By = who.Author()
	receipt, err := give(r.Context(), who.Workspace, id, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body, err := json.Marshal(api.AnswerResult{
		Session: *api.SessionFrom(receipt.Session), Approval: approvalFor(r)(receipt.Approval), EventSeq: receipt.Seq,
	})
	if err == nil && receipt.Approval != nil {
		body = s.firstReply(r, receipt.Approval, body)
	}
	s.writeEncoded(w, r, http.StatusOK, body, err)
}

// firstReply returns the response to the first request with this answer, which is stored for a day: a repeated
// request gets the same response, even if the session has changed since. If that response was lost before it was
// stored, the next one takes its place.
func (s *sessionRoutes) firstReply(r *http.Request, approval *domain.Approval, reply []byte) []byte {
	ctx := context.WithoutCancel(r.Context())                                         // stored even if the client disconnects: it may retry
	k := requestKey{workspace: approval.WorkspaceID, text: "approval " + approval.ID} // a client's key has no space
	k.name = k.shared()
	kept, err := s.keptReply(ctx, k, reply)
	if err != nil {
		s.Log.Warn().Err(err).Str("request_id", requestID(r)).
			Msg("the reply to an approval's answer could not be kept; the same answer again may get another one")
		return reply
	}
	return kept
}

// replyPause and replyTries bound the wait for a reply that another request is about to keep.
const (
	replyPause = 20 * time.Millisecond
	replyTries = 50
)

// keptReply keeps a reply under a key, or says which one is there. Of those who come at once the
// others wait for the one that keeps its own; if that one is gone, each gets its own.
func (s *sessionRoutes) keptReply(ctx context.Context, k requestKey, reply []byte) ([]byte, error) {
	_, claim, err := s.Idempotency.ClaimKey(ctx, k.workspace, KeyRequest{Name: k.name})
	for tries := 0; err == nil && claim.State == domain.RequestRunning && tries < replyTries; tries++ {
		time.Sleep(replyPause)
		_, claim, err = s.Idempotency.ClaimKey(ctx, k.workspace, KeyRequest{Name: k.name})
	}
	switch {
	case err != nil:
		return nil, err
	case claim.State == domain.RequestAnswered:
		kept, err := k.decrypt(claim.Answer)
		if err != nil {
			return nil, err
		}
		return kept.Body, nil
	case claim.State != domain.RequestNew:
		return reply, nil
	}
	sealed, err := k.encrypt(keptAnswer{Status: http.StatusOK, Body: reply})
	if err != nil {
		return nil, err
	}
	return reply, s.Idempotency.KeepAnswer(ctx, k.workspace, k.name, sealed)
}

func (s *sessionRoutes) listApprovals(w http.ResponseWriter, r *http.Request) {
	status, err := oneOf(r, "status",
		domain.ApprovalStatusOpen, domain.ApprovalStatusApproved, domain.ApprovalStatusRefused,
		domain.ApprovalStatusExpired, domain.ApprovalStatusSuperseded, domain.ApprovalStatusEvicted,
		domain.ApprovalStatusStale, domain.ApprovalStatusStopped, domain.ApprovalStatusInterrupted)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	kind, err := oneOf(r, "kind", domain.ApprovalActions, domain.ApprovalQuestion, domain.ApprovalBudget,
		domain.ApprovalCompletion, domain.ApprovalOutcome, domain.ApprovalPoisoned, domain.ApprovalReconnect,
		domain.ApprovalClientCalls)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, approvalFor(r), func(limit int) ([]*domain.Approval, string, error) {
		return s.WorkspaceReader.Approvals(r.Context(), caller(r).Workspace, domain.ApprovalFilter{
			Status: status, SessionID: r.URL.Query().Get("session_id"), Kind: kind, Cursor: after, Limit: limit,
		})
	})
}

func (s *sessionRoutes) getApproval(w http.ResponseWriter, r *http.Request) {
	approval, err := s.WorkspaceReader.Approval(r.Context(), caller(r).Workspace, chi.URLParam(r, "approval_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, approvalFor(r)(approval))
}

func (s *sessionRoutes) answerApproval(w http.ResponseWriter, r *http.Request) {
	var in api.ApprovalAnswer
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
	d, err := in.Domain(approval.Kind)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Answers.AnswerApproval, id, d)
}
