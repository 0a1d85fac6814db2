package sessions

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) RetrySession(w http.ResponseWriter, r *http.Request) {
	var in api.RetryInput
	if err := s.ReadOptional(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	ask := in.Domain()
	ask.By = who.Author()
	if in.Message != nil {
		rich, err := s.richText(r.Context(), who.Workspace, &in.Message.MessageContent)
		if err != nil {
			s.Fail(w, r, domain.Below("/message", err))
			return
		}
		ask.Message, ask.KeepsFiles = &domain.NewMessage{Rich: *rich, By: who.Author()}, in.Message.Plain
	}
	receipt, err := s.Again.RetrySession(r.Context(), who.Workspace, sessionID(r), ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, sessionResult(receipt))
}

func (s *Handlers) ChooseAnswer(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	who, message := edge.Caller(r), chi.URLParam(r, "message_id")
	if _, err := s.SessionReader.Message(r.Context(), who.Workspace, sessionID(r), message); err != nil {
		s.Fail(w, r, err)
		return
	}
	receipt, err := s.Again.ChooseAnswer(r.Context(), who.Workspace, sessionID(r), message, who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, sessionResult(receipt))
}

func (s *Handlers) ForkSession(w http.ResponseWriter, r *http.Request) {
	var in api.NewFork
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	ask := in.Domain()
	ask.By = who.Author()
	if in.Message != nil {
		rich, err := s.richText(r.Context(), who.Workspace, &in.Message.MessageContent)
		if err != nil {
			s.Fail(w, r, domain.Below("/message", err))
			return
		}
		ask.Message = &domain.NewMessage{Rich: *rich, By: who.Author()}
	}
	receipt, err := s.Again.ForkSession(r.Context(), who.Workspace, sessionID(r), ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/sessions/"+receipt.Session.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.SessionFrom(receipt.Session))
}
