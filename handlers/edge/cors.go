package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
)

// Pages of other origins may use the API if the operator allows their origin: with a key, with the cookie of a
// sign-in, or, on the open server, without credentials.
var (
	corsTakes = []string{strings.Join([]string{
		"Authorization", "Content-Type", "Accept", "Accept-Language", "Cache-Control", "Fermata-Workspace", "Fermata-Person",
		"Idempotency-Key",
		"If-Match", "If-None-Match", "User-Agent",
		"Last-Event-ID", "X-Request-ID", "Traceparent", "Tracestate",
		// Of the doors: what names a session, and what other people's clients send besides.
		"X-Fermata-Session", "X-OpenWebUI-Chat-Id",
		"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name",
		"OpenAI-Beta", "OpenAI-Organization", "OpenAI-Project",
		"X-Stainless-Arch", "X-Stainless-Async", "X-Stainless-Custom-Poll-Interval", "X-Stainless-Helper-Method", "X-Stainless-Lang",
		"X-Stainless-OS", "X-Stainless-Package-Version", "X-Stainless-Poll-Helper", "X-Stainless-Retry-Count", "X-Stainless-Runtime",
		"X-Stainless-Runtime-Version", "X-Stainless-Timeout",
	}, ", ")}
	corsShows = []string{strings.Join([]string{
		"Accept-Encoding",
		"Accept-Patch",
		"Allow",
		"Content-Disposition",
		"Deprecation",
		"ETag",
		"Fermata-Event-Seq",
		"Idempotent-Replayed",
		"Link",
		"Location",
		"RateLimit",
		"RateLimit-Policy",
		"RateLimit-Limit",
		"RateLimit-Remaining",
		"RateLimit-Reset",
		"Retry-After",
		"Sunset",
		"WWW-Authenticate",
		"X-Fermata-Session",
		"X-Request-Id",
		"X-Should-Retry",
		"X-Vercel-Ai-Ui-Message-Stream",
	}, ", ")}
	corsHolds = []string{"7200"} // seconds; browsers take no more
	crossSite = []string{"cross-origin"}

	corsCredentials = []string{"true"}
)

// methods that routes have.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// allowOrigin sets the CORS headers for an allowed origin, and reports whether the request comes from one.
func (s *Edge) allowOrigin(h http.Header, r *http.Request) bool {
	if len(s.Origins) == 0 {
		return false
	}
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !s.Origins.Allow(origin) {
		return false
	}
	h["Access-Control-Allow-Origin"] = []string{origin}
	h["Access-Control-Allow-Credentials"] = corsCredentials
	h["Access-Control-Expose-Headers"] = corsShows
	h["Cross-Origin-Resource-Policy"] = crossSite
	return true
}

// preflight says whether a browser only asks what a page may do.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// answerPreflight names the methods of the address. One that there is not has all of them,
// so that the page gets to read the 404.
func answerPreflight(h http.Header, r *http.Request, routes chi.Routes) {
	has := methodsOf(routes, r.URL.Path)
	if len(has) == 0 {
		has = methods
	}
	h["Access-Control-Allow-Methods"] = []string{strings.Join(has, ", ")}
	h["Access-Control-Allow-Headers"] = corsTakes
	h["Access-Control-Max-Age"] = corsHolds
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h["Access-Control-Allow-Private-Network"] = []string{"true"}
	}
}

// methodsOf are the methods that an address takes.
func methodsOf(routes chi.Routes, path string) []string {
	var has []string
	for _, m := range methods {
		if routes.Match(chi.NewRouteContext(), m, path) {
			has = append(has, m)
		}
	}
	if i := slices.Index(has, http.MethodGet); i >= 0 {
		has = slices.Insert(has, i+1, http.MethodHead)
	}
	return has
}
