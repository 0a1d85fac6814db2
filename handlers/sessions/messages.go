package sessions

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/traces"
)

func (s *Handlers) ListMessages(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	order, err := edge.OneOf(r, "order", "asc", "desc")
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ws, id := edge.Caller(r).Workspace, sessionID(r)
	session, err := s.SessionReader.Session(r.Context(), ws, id)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, edge.MessageFor(r), func(limit int) ([]*domain.Message, string, error) {
		return s.SessionReader.MessagePage(r.Context(), session, after, limit, order == "desc")
	})
}

func (s *Handlers) SendMessage(w http.ResponseWriter, r *http.Request) {
	var in api.MessageInput
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	rich, err := s.richText(r.Context(), who.Workspace, in.Content())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	format, err := answerFormat(in.AnswerSchema)
	if err == nil && format != nil && in.Busy() == domain.IfBusySteer {
		err = domain.Invalid("/answer_schema", "not_allowed",
			"A message that joins a round has no answer of its own: leave out if_busy or answer_schema.")
	}
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ask := domain.NewMessage{
		Rich: *rich, By: who.Author(), IfBusy: in.Busy(), Trace: traces.From(r.Context()),
		Tools: (*domain.ClientTools)(nil).WithAnswer(format),
	}
	receipt, err := s.Messages.SendMessage(r.Context(), who.Workspace, sessionID(r), ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	body, err := api.EncodeAccepted(receipt.Message, receipt.Session, receipt.Seq)
	s.WriteEncoded(w, r, http.StatusAccepted, body, err)
}

func (s *Handlers) EditMessage(w http.ResponseWriter, r *http.Request) {
	var in api.MessageContent
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	ws := edge.Caller(r).Workspace
	rich, err := s.richText(r.Context(), ws, &in)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	receipt, err := s.Messages.EditMessage(r.Context(), ws, sessionID(r), chi.URLParam(r, "message_id"), *rich, edge.Caller(r).Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.MessageResult{
		Message: *api.MessageFrom(receipt.Message), Session: *api.SessionFrom(receipt.Session), EventSeq: receipt.Seq,
	})
}

func (s *Handlers) WithdrawMessage(w http.ResponseWriter, r *http.Request) {
	receipt, err := s.Messages.WithdrawMessage(r.Context(), edge.Caller(r).Workspace, sessionID(r), chi.URLParam(r, "message_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, sessionResult(receipt))
}

// answerFormat is the format that a request asks for; nil: text.
func answerFormat(given json.RawMessage) (*domain.AnswerFormat, error) {
	if len(given) == 0 || string(given) == "null" {
		return nil, nil //nolint:nilnil // text
	}
	if err := api.CheckAnswerSchema(given, "/answer_schema"); err != nil {
		return nil, err
	}
	return &domain.AnswerFormat{Schema: given}, nil
}

// withAnswerFormat adds the format to the first message of a session; nil: it has none.
func withAnswerFormat(message *domain.NewMessage, given json.RawMessage) error {
	format, err := answerFormat(given)
	switch {
	case format == nil:
		return err
	case message == nil:
		return domain.Invalid("/answer_schema", "not_allowed", "answer_schema is that of the answer to message, which is missing.")
	}
	message.Tools = message.Tools.WithAnswer(format)
	return nil
}

// richText validates a message and converts it into its stored form. Plain text, the common case, needs no lookup.
func (s *Handlers) richText(ctx context.Context, ws string, in *api.MessageContent) (*domain.RichContent, error) {
	return edge.RichTextOf(ctx, ws, in, s.RichText.Resolve)
}
