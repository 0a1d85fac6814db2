package sessions

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) MadeSession(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*domain.Session, error) {
		return s.SessionReader.Session(r.Context(), ws, id)
	}, api.SessionFrom)
}

// CurrentSession is the answer about what was done with a session.
func (s *Handlers) CurrentSession(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	found, err := s.SessionReader.Session(r.Context(), ws, sessionID(r))
	if err != nil {
		return 0, nil, fmt.Errorf("read the session for a rebuilt answer: %w", err)
	}
	return http.StatusOK, api.SessionResult{EventSeq: claim.Seq, Session: *api.SessionFrom(found)}, nil
}

// AcceptedMessage is the answer to a message that was accepted. claim.Seq is the last
// number of its transaction.
func (s *Handlers) AcceptedMessage(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	if !strings.HasPrefix(claim.CreatedID, domain.PrefixMessage+"_") {
		return s.CurrentSession(r, ws, claim)
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
