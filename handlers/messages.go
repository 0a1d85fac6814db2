package handlers

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
)

func (s *sessionRoutes) listMessages(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	order, err := oneOf(r, "order", "asc", "desc")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ws, id := caller(r).Workspace, sessionID(r)
	session, err := s.SessionReader.Session(r.Context(), ws, id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, messageFor(r), func(limit int) ([]*domain.Message, string, error) {
		return s.SessionReader.MessagePage(r.Context(), session, after, limit, order == "desc")
	})
}

func (s *sessionRoutes) sendMessage(w http.ResponseWriter, r *http.Request) {
	var in api.MessageInput
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	rich, err := s.richText(r.Context(), who.Workspace, in.Content())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ask := domain.NewMessage{Rich: *rich, By: who.Author(), IfBusy: in.Busy(), Trace: traces.From(r.Context())}
	receipt, err := s.Messages.SendMessage(r.Context(), who.Workspace, sessionID(r), ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body, err := api.EncodeAccepted(receipt.Message, receipt.Session, receipt.Seq)
	s.writeEncoded(w, r, http.StatusAccepted, body, err)
}

func (s *sessionRoutes) editMessage(w http.ResponseWriter, r *http.Request) {
	var in api.MessageContent
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	ws := caller(r).Workspace
	rich, err := s.richText(r.Context(), ws, &in)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	receipt, err := s.Messages.EditMessage(r.Context(), ws, sessionID(r), chi.URLParam(r, "message_id"), *rich, caller(r).Author())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.MessageResult{
		Message: *api.MessageFrom(receipt.Message), Session: *api.SessionFrom(receipt.Session), EventSeq: receipt.Seq,
	})
}

func (s *sessionRoutes) withdrawMessage(w http.ResponseWriter, r *http.Request) {
	receipt, err := s.Messages.WithdrawMessage(r.Context(), caller(r).Workspace, sessionID(r), chi.URLParam(r, "message_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, sessionResult(receipt))
}

// resolver computes what segments mean, and their linear text.
type resolver func(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)

// richText validates a message and converts it into its stored form. Plain text, the common case, needs no lookup.
func (s *sessionRoutes) richText(ctx context.Context, ws string, in *api.MessageContent) (*domain.RichContent, error) {
	return richTextOf(ctx, ws, in, s.RichText.Resolve)
}

func richTextOf(ctx context.Context, ws string, in *api.MessageContent, resolve resolver) (*domain.RichContent, error) {
	rich, whole, err := in.Domain()
	if err != nil || whole {
		return rich, err
	}
	rich, err = resolve(ctx, ws, rich.Segments)
	return rich, in.FileErrors(err)
}
