package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// caller is who makes the request. Only routes with a role have one.
func caller(r *http.Request) *auth.Identity { return auth.From(r.Context()) }

// allow lets a request pass whose caller has the role.
func (s *server) allow(role domain.Role, next http.HandlerFunc) http.HandlerFunc {
	if !domain.RoleRoot.Allows(role) {
		panic("a route names no role: " + string(role))
	}
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := s.Auth.Authenticate(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if !id.Role.Allows(role) {
			s.fail(w, r, domain.Errorf(domain.CodeForbidden, "This needs the role %s; the key has the role %s.", role, id.Role))
			return
		}
		next(w, r.WithContext(auth.With(r.Context(), id)))
	}
}
