package people

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// keysRequiredNotice is sent with the key that closes an open server.
const keysRequiredNotice = "From now on every call needs a key, this one or one that is made with it: " +
	"Authorization: Bearer, a space, and the key. That stays so when it is revoked. " +
	"It manages the keys of its workspace only; to manage workspaces, or if all keys are lost, " +
	"set FERMATA_ROOT_KEY and start the server again."

func (s *SettingsHandlers) ListKeys(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.KeyFrom, func(limit int) ([]*people.Key, string, error) {
		keys, err := s.Keys.Keys(r.Context(), edge.Caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return edge.Cut(keys, func(k **people.Key) string { return (*k).ID }, limit, after)
	})
}

func (s *SettingsHandlers) CreateKey(w http.ResponseWriter, r *http.Request) {
	var in api.NewKey
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	ask := auth.NewKey{Name: in.Name, Role: domain.Role(in.Role), ActsFor: in.ActsFor[true]}
	if at, given := in.ExpiresAt[true]; given {
		if !at.After(s.Clock()) {
			s.Fail(
				w,
				r,
				domain.Invalid("/expires_at", "past", "A key can only expire in the future. Leave expires_at out for one that does not."),
			)
			return
		}
		ask.ExpiresAt = new(at.UTC())
	}
	key, err := s.Keys.CreateKey(r.Context(), edge.Caller(r).Workspace, ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.CreatedKey{
		ID: key.ID, Name: key.Name, Role: key.Role, Prefix: key.Prefix, Key: key.Text, ActsFor: api.ActsForFrom(key.Key),
		CreatedAt: api.TimeOrNil(&key.CreatedAt), ExpiresAt: api.TimeOrNil(key.ExpiresAt),
	}
	if key.Closed {
		out.Notice = new(keysRequiredNotice)
	}
	w.Header().Set("Location", "/v1/keys/"+key.ID)
	s.WriteJSON(w, r, http.StatusCreated, out)
}

func (s *SettingsHandlers) RevokeKey(w http.ResponseWriter, r *http.Request) {
	if err := s.Keys.RevokeKey(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "key_id")); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
