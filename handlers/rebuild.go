package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// rebuild answers a request that was carried out by a process that died before its
// answer was kept. It is never carried out again: the answer is made of what is there
// now. Only a person's decision goes to its handler once more, because the same
// decision twice is one: it gives the recorded answer.
func (s *server) rebuild(workspace string, claim *KeyClaim, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		for _, decision := range []string{"/validation", "/response", "/completion"} {
			if strings.HasSuffix(path, decision) {
				next(w, r)
				return
			}
		}
		if strings.HasPrefix(path, "/v1/approvals/") {
			next(w, r)
			return
		}
		status, body, err := s.whatIsThere(r.Context(), workspace, chi.URLParam(r, "session_id"), claim)
		if automation := automationID(r); automation != "" && !strings.HasSuffix(path, "/grants") {
			status, body, err = s.automationThere(r.Context(), workspace, automation, strings.HasPrefix(path, "/v1/hooks/"), claim)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		text, err := json.Marshal(body)
		if err != nil {
			s.fail(w, r, fmt.Errorf("encode a rebuilt answer: %w", err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(text, '\n')) // into memory
	}
}

// whatIsThere is the answer about what a request made; about the session, if it made
// nothing of its own.
func (s *server) whatIsThere(ctx context.Context, ws, session string, claim *KeyClaim) (status int, body any, err error) {
	id := claim.CreatedID
	prefix, _, _ := strings.Cut(id, "_")
	switch prefix {
	case domain.PrefixAutomation:
		found, err := s.Automations.Automation(ctx, ws, id)
		return created(found, err, func(a *domain.Automation) *api.Automation {
			return api.AutomationFrom(a, s.Automations.WebhookURL(a))
		})
	case domain.PrefixSession:
		found, err := s.SessionReader.Session(ctx, ws, id)
		return created(found, err, api.SessionFrom)
	case domain.PrefixMessage:
		return s.acceptedMessage(ctx, ws, session, claim)
	case domain.PrefixZone:
		found, err := s.Zones.Zone(ctx, ws, id)
		return created(found, err, api.ZoneFrom)
	case domain.PrefixTool:
		found, err := s.Tools.Tool(ctx, ws, id)
		return created(found, err, api.ToolFrom)
	case domain.PrefixEntry:
		found, err := s.Entries.Entry(ctx, ws, id)
		return created(found, err, api.EntryFrom)
	case domain.PrefixDocument:
		found, err := s.Documents.Document(ctx, ws, id)
		return created(found, err, api.DocumentFrom)
	}
	if session == "" {
		return 0, nil, &domain.Error{Code: domain.CodeConflict, Outcome: domain.Applied,
			Message: "This request was carried out, and its answer was lost when the server stopped. Look at what is there; it is not carried out again."}
	}
	found, err := s.SessionReader.Session(ctx, ws, session)
	if err != nil {
		return 0, nil, fmt.Errorf("read the session for a rebuilt answer: %w", err)
	}
	return http.StatusOK, api.SessionResult{EventSeq: claim.Seq, Session: *api.SessionFrom(found)}, nil
}

// automationThere is the answer about a request that was about one automation: the run
// that it made, else the automation.
func (s *server) automationThere(ctx context.Context, ws, id string, byHook bool, claim *KeyClaim) (int, any, error) {
	made := strings.HasPrefix(claim.CreatedID, domain.PrefixSession+"_")
	if byHook && !made { // all that its call wrote is that it was skipped
		return http.StatusOK, api.WebhookResultFrom(&domain.Receipt{Result: domain.Skipped}), nil
	}
	if !made {
		found, err := s.Automations.Automation(ctx, ws, id)
		if err != nil {
			return 0, nil, fmt.Errorf("read the automation for a rebuilt answer: %w", err)
		}
		return http.StatusOK, api.AutomationFrom(found, s.Automations.WebhookURL(found)), nil
	}
	run, err := s.SessionReader.Session(ctx, ws, claim.CreatedID)
	if err != nil {
		return 0, nil, fmt.Errorf("read the run for a rebuilt answer: %w", err)
	}
	receipt := &domain.Receipt{Session: run, Seq: claim.Seq, Result: domain.Activated, Position: run.QueuePosition}
	if run.QueuePosition > 0 {
		receipt.Result = domain.Queued
	}
	if byHook { // its caller is told no more the second time
		return http.StatusAccepted, api.WebhookResultFrom(receipt), nil
	}
	return http.StatusAccepted, api.ActivationFrom(receipt), nil
}

func created[T, A any](found *T, err error, from func(*T) *A) (int, any, error) {
	if err != nil {
		return 0, nil, fmt.Errorf("read what was made for a rebuilt answer: %w", err)
	}
	return http.StatusCreated, from(found), nil
}

// acceptedMessage is the answer to a message that was accepted. claim.Seq is the last
// number of its transaction.
func (s *server) acceptedMessage(ctx context.Context, ws, session string, claim *KeyClaim) (int, any, error) {
	found, err := s.SessionReader.Session(ctx, ws, session)
	if err != nil {
		return 0, nil, fmt.Errorf("read the session for a rebuilt answer: %w", err)
	}
	m, err := s.SessionReader.Message(ctx, ws, session, claim.CreatedID)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return 0, nil, &domain.Error{Code: domain.CodeConflict, Outcome: domain.Applied,
			Message: "This message was accepted, and withdrawn since."}
	case err != nil:
		return 0, nil, fmt.Errorf("read the message for a rebuilt answer: %w", err)
	}
	return http.StatusAccepted, api.MessageAccepted{
		EventSeq: claim.Seq, Message: *api.MessageFrom(m), Session: *api.SessionFrom(found),
	}, nil
}
