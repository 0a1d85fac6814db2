package people

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListPeople(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ws := edge.Caller(r).Workspace
	month, err := s.monthStart(r.Context(), ws)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.PersonFrom, func(limit int) ([]*people.PersonSummary, string, error) {
		return s.People.People(r.Context(), ws, limit, after, month)
	})
}

// monthStart is when the month began, in the workspace's calendar.
func (s *Handlers) monthStart(ctx context.Context, ws string) (time.Time, error) {
	workspace, err := s.Workspaces.Workspace(ctx, ws)
	if err != nil {
		return time.Time{}, err //nolint:wrapcheck // the store's own words
	}
	dates, err := calendar.Of(&workspace.Settings)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the calendar: %w", err)
	}
	year, month, _ := dates.Day(s.Clock())
	return dates.DayStart(year, month, 1), nil
}

func (s *Handlers) GetPerson(w http.ResponseWriter, r *http.Request) {
	ws := edge.Caller(r).Workspace
	month, err := s.monthStart(r.Context(), ws)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	p, err := s.People.Summary(r.Context(), ws, personID(r), month)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.PersonFrom(p))
}

func personID(r *http.Request) string { return chi.URLParam(r, "person_id") }

func (s *Handlers) UpdatePerson(w http.ResponseWriter, r *http.Request) {
	var in api.PersonPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who, patch := edge.Caller(r), in.Domain()
	_, err := s.People.UpdatePerson(r.Context(), who.Workspace, personID(r), patch, func(p *people.Person) error {
		if patch.Blocked == nil || !*patch.Blocked {
			return nil
		}
		return p.MayBlock(who.Person)
	})
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.GetPerson(w, r)
}

func (s *Handlers) ListPersonSessions(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ws, person := edge.Caller(r).Workspace, personID(r)
	if _, err := s.People.Person(r.Context(), ws, person); err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.PersonSessionFrom, func(limit int) ([]*domain.Session, string, error) {
		return s.People.Sessions(r.Context(), ws, domain.SessionFilter{Owner: person, Limit: limit, Cursor: after})
	})
}

func (s *Handlers) CreatePersonToken(w http.ResponseWriter, r *http.Request) {
	var in api.NewPersonToken
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	life := auth.TokenLife
	if in.ExpiresIn != nil {
		life = time.Duration(*in.ExpiresIn)
	}
	if life < time.Second || life > auth.MaxTokenLife {
		s.Fail(w, r, domain.Invalid("/expires_in", "out_of_range", "A token is valid for 1s to 24h."))
		return
	}
	token, err := s.Tokens.IssueToken(r.Context(), edge.Caller(r), in.Person, life)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusCreated, api.PersonToken{Token: token.Text, Person: token.Person, ExpiresAt: api.Time(token.ExpiresAt)})
}

func (s *Handlers) RevokePersonTokens(w http.ResponseWriter, r *http.Request) {
	if err := s.Tokens.RevokeTokens(r.Context(), edge.Caller(r), personID(r)); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
