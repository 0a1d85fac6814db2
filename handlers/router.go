package handlers

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/handlers/edge"
)

// Routes makes the router of the table.
func (s *server) Routes() chi.Router {
	router, lists := chi.NewRouter(), editedLists(s.Table())
	for _, r := range s.Table() {
		if r.Method == http.MethodGet && lists[r.Pattern] {
			r.Handler = edge.Tagged(r.Handler)
		}
		router.MethodFunc(r.Method, r.Pattern, s.Guarded(r))
		if r.Method == http.MethodGet {
			router.MethodFunc(http.MethodHead, r.Pattern, s.Guarded(r))
		}
	}
	for _, d := range s.protocolRoutes {
		router.MethodFunc(d.Method, d.Pattern, s.ThroughProtocol(d))
		if d.Method == http.MethodGet {
			router.MethodFunc(http.MethodHead, d.Pattern, s.ThroughProtocol(d))
		}
	}
	router.MethodNotAllowed(s.MethodNotAllowed(router))
	router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if s.web == nil || !edge.Safe(r.Method) || strings.HasPrefix(r.URL.Path, "/v1/") {
			s.NotFound(w, r)
			return
		}
		s.web.ServeHTTP(w, r)
	})
	return router
}

// Guarded puts before a handler what its role demands.
func (s *server) Guarded(r route) http.HandlerFunc {
	switch {
	case r.Role == byAnyone && strings.HasPrefix(r.Pattern, "/v1/sign-") && r.Pattern != "/v1/sign-in/callback":
		return s.Checked(r.Method, r.Pattern, r.Handler)
	case r.Role == byAnyone:
		return r.Handler
	case r.Pattern == "/metrics":
		guarded := s.RequireRole(r.Role, r.Handler)
		return func(w http.ResponseWriter, req *http.Request) {
			if s.Auth.LocalPeer(req) {
				r.Handler(w, req) // the scraper on the machine itself
				return
			}
			guarded(w, req)
		}
	case strings.HasSuffix(r.Pattern, "/events"), strings.HasSuffix(r.Pattern, "/events/stream"):
		return s.RequireStreamRole(r.Role, s.Checked(r.Method, r.Pattern, r.Handler))
	default:
		return s.RequireRole(r.Role, s.Checked(r.Method, r.Pattern, s.Once(s.Conditional(r.Handler), r.Rebuild)))
	}
}

// editedLists are the addresses that list what people edit one by one: those below which
// something can be changed.
func editedLists(table []route) map[string]bool {
	lists := map[string]bool{}
	for _, r := range table {
		if list, one, _ := cutLast(r.Pattern); r.Method == http.MethodPatch && strings.HasPrefix(one, "{") {
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
