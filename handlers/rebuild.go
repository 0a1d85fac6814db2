package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// rebuilder answers a request that was carried out by a process that died before its
// answer was kept. It is never carried out again: the answer is made of what is there
// now.
type rebuilder func(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error)

// again is for a person's decision, which goes to its handler once more: the same
// decision twice is one, and gives the recorded answer.
func again(*http.Request, string, *KeyClaim) (status int, body any, err error) {
	return 0, nil, errAgain
}

var errAgain = errors.New("carry the request out once more")

// appliedOnly is for what shows nothing of itself afterwards.
func appliedOnly(*http.Request, string, *KeyClaim) (status int, body any, err error) {
	return 0, nil, &domain.Error{
		Code: domain.CodeConflict, Outcome: domain.Applied,
		Message: "This request was carried out, and its answer was lost when the server stopped. " +
			"Look at what is there; it is not carried out again.",
	}
}

// rebuilt makes the handler of a request that was carried out.
func (s *edge) rebuilt(ws string, claim *KeyClaim, rebuild rebuilder, next http.HandlerFunc) http.HandlerFunc {
	if rebuild == nil {
		rebuild = appliedOnly
	}
	return func(w http.ResponseWriter, r *http.Request) {
		status, body, err := rebuild(r, ws, claim)
		if errors.Is(err, errAgain) {
			next(w, r)
			return
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

// created is the answer about what a request made, if it is known what.
func created[T, A any](
	r *http.Request, ws string, claim *KeyClaim, read func(id string) (*T, error), to func(*T) A,
) (status int, body any, err error) {
	if claim.CreatedID == "" {
		return appliedOnly(r, ws, claim)
	}
	found, err := read(claim.CreatedID)
	if err != nil {
		return 0, nil, fmt.Errorf("read what was made for a rebuilt answer: %w", err)
	}
	return http.StatusCreated, to(found), nil
}

// current is the answer about something that was there before the request.
func current[T, A any](found *T, err error, to func(*T) A) (status int, body any, _ error) {
	if err != nil {
		return 0, nil, fmt.Errorf("read what was changed for a rebuilt answer: %w", err)
	}
	return http.StatusOK, to(found), nil
}

func (s *sessionRoutes) madeSession(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*domain.Session, error) {
		return s.SessionReader.Session(r.Context(), ws, id)
	}, api.SessionFrom)
}

// currentSession is the answer about what was done with a session.
func (s *sessionRoutes) currentSession(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	found, err := s.SessionReader.Session(r.Context(), ws, sessionID(r))
	if err != nil {
		return 0, nil, fmt.Errorf("read the session for a rebuilt answer: %w", err)
	}
	return http.StatusOK, api.SessionResult{EventSeq: claim.Seq, Session: *api.SessionFrom(found)}, nil
}

// acceptedMessage is the answer to a message that was accepted. claim.Seq is the last
// number of its transaction.
func (s *sessionRoutes) acceptedMessage(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	if !strings.HasPrefix(claim.CreatedID, domain.PrefixMessage+"_") {
		return s.currentSession(r, ws, claim)
	}
	found, err := s.SessionReader.Session(r.Context(), ws, sessionID(r))
	if err != nil {
		return 0, nil, fmt.Errorf("read the session for a rebuilt answer: %w", err)
	}
	m, err := s.SessionReader.Message(r.Context(), ws, found.ID, claim.CreatedID)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return 0, nil, &domain.Error{
			Code: domain.CodeConflict, Outcome: domain.Applied, Message: "This message was accepted, and withdrawn since.",
		}
	case err != nil:
		return 0, nil, fmt.Errorf("read the message for a rebuilt answer: %w", err)
	}
	return http.StatusAccepted, api.MessageAccepted{
		EventSeq: claim.Seq, Message: *api.MessageFrom(m), Session: *api.SessionFrom(found),
	}, nil
}

func (s *dataRoutes) madeZone(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Zone, error) {
		return s.Zones.Zone(r.Context(), ws, id)
	}, api.ZoneFrom)
}

func (s *dataRoutes) madeTool(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Tool, error) {
		return s.Tools.Tool(r.Context(), ws, id)
	}, api.ToolFrom)
}

func (s *dataRoutes) madeEntry(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Entry, error) {
		return s.Entries.Entry(r.Context(), ws, id)
	}, api.EntryFrom)
}

func (s *documentRoutes) madeDocument(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*userdata.Document, error) {
		return s.Documents.Document(r.Context(), ws, id)
	}, api.DocumentFrom)
}

func (s *dataRoutes) currentZone(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Zones.Zone(r.Context(), ws, chi.URLParam(r, "zone_id"))
	return current(found, err, api.ZoneFrom)
}

func (s *dataRoutes) currentTool(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Tools.Tool(r.Context(), ws, toolID(r))
	return current(found, err, api.ToolFrom)
}

func (s *dataRoutes) currentEntry(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Entries.Entry(r.Context(), ws, chi.URLParam(r, "entry_id"))
	return current(found, err, api.EntryFrom)
}

func (s *documentRoutes) currentDocument(r *http.Request, ws string, _ *KeyClaim) (status int, body any, err error) {
	found, err := s.Documents.Document(r.Context(), ws, documentID(r))
	return current(found, err, api.DocumentFrom)
}

func (s *automationRoutes) madeAutomation(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	return created(r, ws, claim, func(id string) (*domain.Automation, error) {
		return s.Automations.Automation(r.Context(), ws, id)
	}, func(a *domain.Automation) *api.Automation {
		return api.AutomationFrom(a, s.Automations.WebhookURL(a))
	})
}

// currentState is the answer about what was done with an automation: the run that it
// made, else the automation.
func (s *automationRoutes) currentState(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	if !madeRun(claim) {
		found, err := s.Automations.Automation(r.Context(), ws, chi.URLParam(r, "automation_id"))
		if err != nil {
			return 0, nil, fmt.Errorf("read the automation for a rebuilt answer: %w", err)
		}
		return http.StatusOK, api.AutomationFrom(found, s.Automations.WebhookURL(found)), nil
	}
	receipt, err := s.runReceipt(r, ws, claim)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, api.ActivationFrom(receipt), nil
}

// currentHook rebuilds the response to a call of a webhook: its caller learns no more the second
// time.
func (s *automationRoutes) currentHook(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error) {
	if !madeRun(claim) { // all that its call wrote is that it was skipped
		return http.StatusOK, api.WebhookResultFrom(&domain.Receipt{Result: domain.Skipped}), nil
	}
	receipt, err := s.runReceipt(r, ws, claim)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, api.WebhookResultFrom(receipt), nil
}

func madeRun(claim *KeyClaim) bool {
	return strings.HasPrefix(claim.CreatedID, domain.PrefixSession+"_")
}

// runReceipt is what is known of a run that was made.
func (s *automationRoutes) runReceipt(r *http.Request, ws string, claim *KeyClaim) (*domain.Receipt, error) {
	run, err := s.SessionReader.Session(r.Context(), ws, claim.CreatedID)
	if err != nil {
		return nil, fmt.Errorf("read the run for a rebuilt answer: %w", err)
	}
	receipt := &domain.Receipt{Session: run, Seq: claim.Seq, Result: domain.Activated, Position: run.QueuePosition}
	if run.QueuePosition > 0 {
		receipt.Result = domain.Queued
	}
	return receipt, nil
}
