package edge

import (
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// Caller is who makes the request. Only routes with a role have one.
func Caller(r *http.Request) *auth.Identity {
	if x := exchangeOf(r); x != nil {
		return x.who
	}
	return nil
}

// RequireRole lets a request pass whose caller has the role. It panics on a route without
// a role.
func (s *Edge) RequireRole(role domain.Role, next http.HandlerFunc) http.HandlerFunc {
	return s.admit(role, s.Auth.Authenticate, next)
}

// RequireStreamRole is RequireRole for event streams, which a ticket opens too.
func (s *Edge) RequireStreamRole(role domain.Role, next http.HandlerFunc) http.HandlerFunc {
	return s.admit(role, func(r *http.Request) (id *auth.Identity, err error) {
		s.Aside(func() { id, err = s.identifyListener(r) })
		return id, err
	}, next)
}

func (s *Edge) identifyListener(r *http.Request) (*auth.Identity, error) {
	if !strings.Contains(r.URL.RawQuery, "ticket=") {
		return s.Auth.Authenticate(r)
	}
	id, err := s.StreamTickets.Redeem(r.Context(), r.URL.Query().Get("ticket"))
	if err == nil {
		err = s.Auth.Redeemed(r, id) // a ticket is no longer good than who asked for it
	}
	return id, err
}

// changesAccess reports whether requests to an address change who may call: keys, and people who are blocked.
func changesAccess(path string) bool {
	return strings.HasPrefix(path, "/v1/keys") || strings.HasPrefix(path, "/v1/people")
}

func (s *Edge) admit(
	role domain.Role, identify func(*http.Request) (*auth.Identity, error), next http.HandlerFunc,
) http.HandlerFunc {
	if !domain.RoleRoot.Allows(role) {
		panic("a route names no role: " + string(role))
	}
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := identify(r)
		if err != nil {
			if problemOf(err).Status == http.StatusUnauthorized { // for any kind of bad credentials
				if wait, ok := s.Failures.Take(LimitKey(r)); !ok {
					err = s.Refusals.TooMany(w, r, wait)
				}
			}
			s.Fail(w, r, err)
			return
		}
		exchangeOf(r).who = id
		if !id.Role.Allows(role) {
			s.Fail(w, r, domain.Errorf(domain.CodeForbidden, "This needs the role %s, and you have the role %s.", role, id.Role))
			return
		}
		if err := spend(s, w, r, id); err != nil {
			s.Fail(w, r, err)
			return
		}
		if !Safe(r.Method) && changesAccess(r.URL.Path) {
			// What was changed here counts here from the next request on.
			defer s.Auth.Changed()
		}
		ctx, stop := s.watch(r.Context(), id)
		defer stop()
		next(w, r.WithContext(ctx))
	}
}

// spend counts the request for its caller. An error is a rate limit.
func spend(s *Edge, w http.ResponseWriter, r *http.Request, id *auth.Identity) error {
	if id.Role == domain.RoleRoot {
		return nil
	}
	left, wait, ok := s.keys.spend(id.Name, requestCost(r))
	if s.keys.setHeaders(w.Header(), left); !ok {
		return s.Refusals.TooMany(w, r, wait)
	}
	return nil
}
