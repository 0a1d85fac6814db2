package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newKey struct {
	Name string `json:"name" validate:"visible,max=200"`
	Role string `json:"role" validate:"required,oneof=viewer member admin"`
}

func (s *server) listKeys(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	keys, err := s.Keys.Keys(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	keys, next, err := cut(keys, func(k **domain.Key) string { return (*k).ID }, limit, after)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, pageOf(keys, next, api.KeyFrom))
}

func (s *server) createKey(w http.ResponseWriter, r *http.Request) {
	var in newKey
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	key, secret, err := s.Keys.CreateKey(r.Context(), caller(r).Workspace, in.Name, domain.Role(in.Role))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/keys/"+key.ID)
	s.writeJSON(w, r, http.StatusCreated, api.CreatedKey{
		ID: key.ID, Name: key.Name, Role: key.Role, Prefix: key.Prefix, Key: secret, CreatedAt: api.TimeOrNil(&key.CreatedAt),
	})
}

func (s *server) revokeKey(w http.ResponseWriter, r *http.Request) {
	if err := s.Keys.RevokeKey(r.Context(), caller(r).Workspace, chi.URLParam(r, "key_id")); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
