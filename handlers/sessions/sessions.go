package sessions

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/traces"
)

func (s *Handlers) ListSessions(w http.ResponseWriter, r *http.Request) {
	filter, err := sessionFilter(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, filter.Limit, api.SessionFrom, func(limit int) ([]*domain.Session, string, error) {
		filter.Limit = limit
		return s.SessionReader.Sessions(r.Context(), edge.Caller(r).Workspace, filter)
	})
}

func sessionFilter(r *http.Request) (f domain.SessionFilter, err error) {
	q := r.URL.Query()
	f = domain.SessionFilter{AutomationID: q.Get("automation_id"), Query: q.Get("q")}
	if f.Type, err = edge.OneOf(r, "type", domain.Chat, domain.Seed, domain.Run, domain.Agent); err != nil {
		return f, err
	}
	if f.Status, err = edge.OneOf(r, "status", edge.Statuses...); err != nil {
		return f, err
	}
	in, err := edge.OneOf(r, "in", "name", "messages")
	if err != nil {
		return f, err
	}
	f.InMessages = in == "messages"
	if f.Since, err = edge.TimeOf(r, "since"); err != nil {
		return f, err
	}
	f.Limit, f.Cursor, err = edge.Paging(r)
	return f, err
}

func (s *Handlers) CreateSession(w http.ResponseWriter, r *http.Request) {
	var in api.NewSession // all of it may be left out
	if err := s.ReadOptional(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	ask := in.Domain(who.Name, who.Person)
	if in.Message != nil {
		rich, err := s.richText(r.Context(), who.Workspace, &in.Message.MessageContent)
		if err != nil {
			s.Fail(w, r, domain.Below("/message", err))
			return
		}
		ask.Message = &domain.NewMessage{Rich: *rich, By: who.Author(), Trace: traces.From(r.Context())}
	}
	if err := withAnswerFormat(ask.Message, in.AnswerSchema); err != nil {
		s.Fail(w, r, err)
		return
	}
	receipt, err := s.Sessions.CreateSession(r.Context(), who.Workspace, ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	status := http.StatusOK
	if receipt.Created {
		status = http.StatusCreated
		w.Header().Set("Location", "/v1/sessions/"+receipt.Session.ID)
	}
	s.WriteJSON(w, r, status, api.SessionFrom(receipt.Session))
}

func (s *Handlers) GetSession(w http.ResponseWriter, r *http.Request) {
	session, err := s.SessionReader.Session(r.Context(), edge.Caller(r).Workspace, sessionID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.SessionFrom(session))
}

func (s *Handlers) UpdateSession(w http.ResponseWriter, r *http.Request) {
	var in api.SessionPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	receipt, err := s.Sessions.UpdateSession(r.Context(), edge.Caller(r).Workspace, sessionID(r), in.Domain())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.SessionFrom(receipt.Session))
}

func (s *Handlers) DeleteSession(w http.ResponseWriter, r *http.Request) {
	if err := s.Sessions.DeleteSession(r.Context(), edge.Caller(r).Workspace, sessionID(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Handlers) ActivateSession(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	receipt, err := s.Sessions.ActivateSession(r.Context(), edge.Caller(r).Workspace, sessionID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.ActivationFrom(receipt))
}

// steering is what a person does to a session: a method of Steering.
type steering func(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)

// Steer makes the handler of a call that takes nothing and answers with the session.
func (s *Handlers) Steer(call steering) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.ReadEmpty(w, r); err != nil {
			s.Fail(w, r, err)
			return
		}
		who := edge.Caller(r)
		receipt, err := call(r.Context(), who.Workspace, sessionID(r), who.Author())
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		s.WriteJSON(w, r, http.StatusOK, sessionResult(receipt))
	}
}

func (s *Handlers) StopSession(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	receipt, err := s.Steering.StopSession(r.Context(), who.Workspace, sessionID(r), who.Author())
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.StopResult{Session: *api.SessionFrom(receipt.Session), EventSeq: receipt.Seq, Calls: []api.StoppedCall{}}
	for _, c := range receipt.Calls {
		out.Calls = append(
			out.Calls,
			api.StoppedCall{ExecutionID: c.ExecutionID, Command: c.Command, Outcome: api.StoppedCallOutcome(c.Outcome)},
		)
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func sessionID(r *http.Request) string { return chi.URLParam(r, "session_id") }

func sessionResult(receipt *domain.Receipt) api.SessionResult {
	return api.SessionResult{Session: *api.SessionFrom(receipt.Session), EventSeq: receipt.Seq}
}
