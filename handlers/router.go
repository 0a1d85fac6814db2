package handlers

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// routes makes the router of the table.
func (s *server) routes() chi.Router {
	router, lists := chi.NewRouter(), editedLists(s.table())
	for _, r := range s.table() {
		if r.method == http.MethodGet && lists[r.pattern] {
			r.handler = tagged(r.handler)
		}
		router.MethodFunc(r.method, r.pattern, s.guarded(r))
		if r.method == http.MethodGet {
			router.MethodFunc(http.MethodHead, r.pattern, s.guarded(r))
		}
	}
	for _, d := range s.protocolRoutes {
		router.MethodFunc(d.Method, d.Pattern, s.throughProtocol(d))
		if d.Method == http.MethodGet {
			router.MethodFunc(http.MethodHead, d.Pattern, s.throughProtocol(d))
		}
	}
	router.MethodNotAllowed(s.methodNotAllowed(router))
	router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if s.web == nil || !safe(r.Method) || strings.HasPrefix(r.URL.Path, "/v1/") {
			s.notFound(w, r)
			return
		}
		s.web.ServeHTTP(w, r)
	})
	return router
}

// guarded puts before a handler what its role demands.
func (s *server) guarded(r route) http.HandlerFunc {
	switch {
	case r.role == public && strings.HasPrefix(r.pattern, "/v1/sign-") && r.pattern != "/v1/sign-in/callback":
		return s.checked(r.method, r.pattern, r.handler)
	case r.role == public:
		return r.handler
	case r.pattern == "/metrics":
		guarded := s.requireRole(r.role, r.handler)
		return func(w http.ResponseWriter, req *http.Request) {
			if s.Auth.LocalPeer(req) {
				r.handler(w, req) // the scraper on the machine itself
				return
			}
			guarded(w, req)
		}
	case strings.HasSuffix(r.pattern, "/events"), strings.HasSuffix(r.pattern, "/events/stream"):
		return s.requireStreamRole(r.role, s.checked(r.method, r.pattern, r.handler))
	default:
		return s.requireRole(r.role, s.checked(r.method, r.pattern, s.once(s.conditional(r.handler), r.rebuild)))
	}
}

// editedLists are the addresses that list what people edit one by one: those below which
// something can be changed.
func editedLists(table []route) map[string]bool {
	lists := map[string]bool{}
	for _, r := range table {
		if list, one, _ := cutLast(r.pattern); r.method == http.MethodPatch && strings.HasPrefix(one, "{") {
			lists[list] = true
		}
	}
	return lists
}

func cutLast(pattern string) (before, last string, found bool) {
	i := strings.LastIndexByte(pattern, '/')
	if i < 0 {
		return pattern, "", false
	}
	return pattern[:i], pattern[i+1:], true
}
