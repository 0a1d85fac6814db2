package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

// guarded is a server that requires a token, and the authorization server
// that gives them. Its refresh tokens are good once.
type guarded struct {
	*rawServer

	auth *httptest.Server

	mu        sync.Mutex
	access    map[string]bool
	refresh   map[string]bool
	codes     map[string]string // code to challenge
	made      int
	refreshed int
	down      bool
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{rawServer: newRawServer(t, false), access: map[string]bool{}, refresh: map[string]bool{}, codes: map[string]string{}}
	open := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		g.mu.Lock()
		known := g.access[token]
		g.mu.Unlock()
		switch {
		case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
			write(w, map[string]any{"resource": g.URL, "authorization_servers": []string{g.auth.URL}, "scopes_supported": []string{"read"}})
		case !known:
			w.Header().Set("Www-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			open.ServeHTTP(w, r)
		}
	})
	g.auth = httptest.NewServer(http.HandlerFunc(g.serveAuth))
	t.Cleanup(g.auth.Close)
	return g
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (g *guarded) serveAuth(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.down:
		w.WriteHeader(http.StatusBadGateway)
	case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server"):
		write(w, map[string]any{
			"issuer": g.auth.URL, "authorization_endpoint": g.auth.URL + "/authorize", "token_endpoint": g.auth.URL + "/token",
			"registration_endpoint": g.auth.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none"}, "response_types_supported": []string{"code"},
		})
	case r.URL.Path == "/register":
		w.WriteHeader(http.StatusCreated)
		write(w, map[string]any{"client_id": "client-1", "token_endpoint_auth_method": "none", "redirect_uris": []string{"https://fermata.example/back"}})
	case r.URL.Path == "/token":
		g.serveToken(w, r)
	}
}

func (g *guarded) serveToken(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		challenge, ok := g.codes[r.Form.Get("code")]
		delete(g.codes, r.Form.Get("code"))
		if !ok || r.Form.Get("client_id") != "client-1" || r.Form.Get("resource") != g.URL || oauth2.S256ChallengeFromVerifier(r.Form.Get("code_verifier")) != challenge {
			w.WriteHeader(http.StatusBadRequest)
			write(w, map[string]any{"error": "invalid_grant", "error_description": "no"})
			return
		}
	case "refresh_token":
		if g.refreshed++; !g.refresh[r.Form.Get("refresh_token")] {
			w.WriteHeader(http.StatusBadRequest)
			write(w, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(g.refresh, r.Form.Get("refresh_token"))
	}
	g.made++
	access, refresh := fmt.Sprint("access-", g.made), fmt.Sprint("refresh-", g.made)
	clear(g.access)
	g.access[access], g.refresh[refresh] = true, true
	write(w, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600})
}

// agree is a person who agrees: the address they are sent to, and the code that comes back.
func (g *guarded) agree(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "client-1" || q.Get("resource") != g.URL || q.Get("scope") != "read" {
		t.Errorf("sent to %s", address)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	code := fmt.Sprint("code-", g.made)
	g.codes[code] = q.Get("code_challenge")
	return code
}

func signInTo(t *testing.T, g *guarded, store GrantStore) *OAuth {
	t.Helper()
	client := egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}})
	t.Cleanup(client.CloseIdleConnections)
	return NewOAuth(OAuthConfig{URL: g.URL, Client: client, Store: store, Name: "Fermata"})
}

// A person signs in once; from then on tokens are renewed without them, one at a time.
func TestSignIn(t *testing.T) {
	g, store := newGuarded(t), &lockedStore{}
	o := signInTo(t, g, store)
	c := open(t, Config{URL: g.URL}, func(options *Options) { options.Tokens = o })
	if _, err := try(t.Context(), c, doIt(""), `{}`); outside.FaultOf(err) != outside.FaultSignIn {
		t.Fatalf("not signed in: %v", err)
	}
	address, state, err := o.Begin(t.Context(), "https://fermata.example/back", "")
	if err != nil {
		t.Fatal(err)
	}
	code := g.agree(t, address)
	for name, finish := range map[string]func() error{
		"another state":   func() error { return o.Finish(t.Context(), code, "other", "") },
		"another server":  func() error { return o.Finish(t.Context(), code, state, "https://evil.example") },
		"another sign-in": func() error { return signInTo(t, g, &lockedStore{}).Finish(t.Context(), code, state, "") },
	} {
		if err := finish(); !errors.Is(err, ErrSignIn) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := o.Finish(t.Context(), code, state, ""); err != nil {
		t.Fatal(err)
	}
	if err := o.Finish(t.Context(), code, state, ""); !errors.Is(err, ErrSignIn) {
		t.Errorf("a code is taken twice: %v", err)
	}
	works(t, c)
	if m, h := g.last(t, "tools/call"); h.Get("Authorization") != "Bearer access-1" {
		t.Errorf("%s came with %v", m.Method, h)
	}
	testRenewal(t, g, o, store, c)
}

func testRenewal(t *testing.T, g *guarded, o *OAuth, store *lockedStore, c *Connection) {
	t.Helper()
	g.revoke() // before its time, as servers do
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			command := doIt("")
			command.Name = fmt.Sprint("DO", i)
			if r, err := try(t.Context(), c, command, `{}`); err != nil || r.Text != "done" {
				t.Errorf("%+v %v (%v)", r, err, unwrap(err))
			}
		})
	}
	group.Wait()
	if g.refreshed != 1 {
		t.Errorf("renewed %d times for 20 calls", g.refreshed)
	}
	store.change(func(grant *Grant) { grant.Expires = clock.System().Add(-time.Hour) })
	o.tokens.set(store.grant)
	works(t, c)
	if g.refreshed != 2 {
		t.Errorf("an old token is renewed before it is sent: %d", g.refreshed)
	}

	// Several nodes at once: one renews, the others find its token.
	store.change(func(grant *Grant) { grant.Expires = clock.System().Add(-time.Hour) })
	o.tokens.set(store.grant)
	for range 4 {
		other := signInTo(t, g, store)
		group.Go(func() {
			if _, err := other.Token(t.Context()); err != nil {
				t.Errorf("another node: %v", err)
			}
		})
	}
	group.Go(func() { works(t, c) })
	group.Wait()
	if g.refreshed != 3 {
		t.Errorf("renewed %d times by five nodes", g.refreshed)
	}

	// The authorization server is down: that is no reason to ask a person.
	g.set(func() { g.down = true })
	g.revoke()
	_, err := try(t.Context(), c, doIt(""), `{}`)
	if outside.FaultOf(err) != outside.FaultNotSent || !isTemporary(err) {
		t.Errorf("without a refresh: %v", err)
	}
	g.set(func() { g.down = false })
	works(t, c)

	g.set(func() { clear(g.refresh) })
	g.revoke()
	if _, err := try(t.Context(), c, doIt(""), `{}`); outside.FaultOf(err) != outside.FaultSignIn {
		t.Errorf("the sign-in was taken back: %v", err)
	}
}

func (g *guarded) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

func (g *guarded) revoke() { g.set(func() { clear(g.access) }) }

func works(t *testing.T, c *Connection) {
	t.Helper()
	if r, err := try(t.Context(), c, doIt(""), `{}`); err != nil || r.Text != "done" {
		t.Errorf("%+v %v (%v)", r, err, unwrap(err))
	}
}

// A token is for the server that it was made for: a connector whose address changed has none.
func TestTokensStayWithTheirServer(t *testing.T) {
	store := &lockedStore{grant: Grant{Resource: "https://one.example/mcp", Access: "secret", Refresh: "secret", Endpoint: "https://one.example/token"}}
	o := NewOAuth(OAuthConfig{URL: "https://two.example/mcp", Client: http.DefaultClient, Store: store})
	if token, err := o.Token(t.Context()); err == nil || token != "" {
		t.Errorf("%q %v", token, err)
	}
}

// A person who takes too long begins again.
func TestSignInEnds(t *testing.T) {
	store := &lockedStore{grant: Grant{Begun: &Begun{State: "s", Until: clock.System().Add(-time.Second)}}}
	if err := NewOAuth(OAuthConfig{Store: store}).Finish(t.Context(), "code", "s", ""); !errors.Is(err, ErrSignIn) {
		t.Error(err)
	}
}

// lockedStore is a store for several nodes.
type lockedStore struct {
	mu      sync.Mutex
	grant   Grant
	claimed bool
}

func (s *lockedStore) Load(context.Context) (Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grant, nil
}

func (s *lockedStore) Save(_ context.Context, g Grant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.Version != s.grant.Version {
		return domain.ErrStale
	}
	s.grant, s.claimed = g, false
	s.grant.Version++
	return nil
}

func (s *lockedStore) Claim(_ context.Context, g Grant, _ time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.Version != s.grant.Version || s.claimed {
		return false, nil
	}
	s.claimed = true
	return true, nil
}

func (s *lockedStore) change(with func(*Grant)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	with(&s.grant)
	s.grant.Version++
}
