package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// guarded is an MCP server, built with the official SDK, that requires a token, and its authorization server. Its
// refresh tokens are valid once.
type guarded struct {
	*httptest.Server

	auth *httptest.Server

	mu        sync.Mutex
	access    map[string]bool
	refresh   map[string]bool
	codes     map[string]string // code to challenge
	made      int
	refreshed int
	registers int
	calls     int
}

type params struct {
	N int `json:"n"`
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{access: map[string]bool{}, refresh: map[string]bool{}, codes: map[string]string{}}
	server := mcp.NewServer(&mcp.Implementation{Name: "vault", Version: "1"}, nil)
	tool := func(name string) {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: name + " it."},
			func(context.Context, *mcp.CallToolRequest, params) (*mcp.CallToolResult, any, error) {
				g.set(func() { g.calls++ })
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " done"}}}, nil, nil
			})
	}
	tool("look")
	tool("pay")
	inside := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := false
		g.set(func() { known = g.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] })
		switch {
		case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
			writeJSON(w, map[string]any{"resource": g.URL, "authorization_servers": []string{g.auth.URL}, "scopes_supported": []string{"read"}})
		case !known:
			w.Header().Set("Www-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			inside.ServeHTTP(w, r)
		}
	}))
	g.auth = httptest.NewServer(http.HandlerFunc(g.serveAuth))
	t.Cleanup(func() { g.auth.Close(); g.CloseClientConnections(); g.Close() })
	return g
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (g *guarded) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

// revoke takes back what was given: the access tokens, and with them also the way to new ones.
func (g *guarded) revoke(refreshToo bool) {
	g.set(func() {
		clear(g.access)
		if refreshToo {
			clear(g.refresh)
		}
	})
}

func (g *guarded) serveAuth(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = r.ParseForm()
	switch {
	case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server"):
		writeJSON(w, map[string]any{
			"issuer": g.auth.URL, "authorization_endpoint": g.auth.URL + "/authorize", "token_endpoint": g.auth.URL + "/token",
			"registration_endpoint": g.auth.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none"}, "response_types_supported": []string{"code"},
		})
	case r.URL.Path == "/register":
		var asked struct {
			Redirects []string `json:"redirect_uris"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		g.registers++
		w.WriteHeader(http.StatusCreated)
		writeJSON(w, map[string]any{
			"client_id": fmt.Sprint("client-", g.registers), "token_endpoint_auth_method": "none", "redirect_uris": asked.Redirects,
		})
	case r.URL.Path == "/authorize": // the person agrees at once
		code := fmt.Sprint("code-", len(g.codes)+g.made)
		g.codes[code] = r.Form.Get("code_challenge")
		back := url.Values{"state": {r.Form.Get("state")}, "code": {code}, "scope": {"read"}}
		http.Redirect(w, r, r.Form.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case r.URL.Path == "/token":
		g.serveToken(w, r)
	}
}

func (g *guarded) serveToken(w http.ResponseWriter, r *http.Request) {
	good := false
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		challenge, known := g.codes[r.Form.Get("code")]
		delete(g.codes, r.Form.Get("code"))
		good = known && r.Form.Get("resource") == g.URL && oauth2.S256ChallengeFromVerifier(r.Form.Get("code_verifier")) == challenge
	case "refresh_token":
		g.refreshed++
		good = g.refresh[r.Form.Get("refresh_token")]
		delete(g.refresh, r.Form.Get("refresh_token"))
	}
	if !good {
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]any{"error": "invalid_grant", "error_description": "no"})
		return
	}
	g.made++
	access, refresh := fmt.Sprint("access-", g.made), fmt.Sprint("refresh-", g.made)
	clear(g.access)
	g.access[access], g.refresh[refresh] = true, true
	writeJSON(w, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600})
}
