package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/egress"
)

// issuer is one of a test's own, which lies as the test likes.
type issuer struct {
	t   *testing.T
	url string

	mu        sync.Mutex
	now       time.Time
	keys      []jose.JSONWebKey // published
	signer    jose.SigningKey
	usual     map[string]any              // claims of every ID token, beside the standard's
	claims    map[string]any              // of the next ID token, beside the usual; nil takes one away
	token     string                      // in place of the next one
	described map[string]any              // beside the usual
	broken    int                         // the status of every answer
	says      map[string]http.HandlerFunc // in place of its answer at a path
	asked     map[string]int              // how often for what
	nonce     string
	verifier  string
}

var rsaKey, otherKey = newRSA(), newRSA()

func newRSA() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{t: t, now: time.Unix(1_800_000_000, 0).UTC(), asked: map[string]int{}}
	i.publish(jose.JSONWebKey{Key: rsaKey.Public(), KeyID: "one", Algorithm: "RS256", Use: "sig"})
	i.signWith(jose.RS256, rsaKey, "one")
	srv := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(srv.Close)
	i.url = srv.URL
	return i
}

func (i *issuer) publish(keys ...jose.JSONWebKey) { i.keys = keys }

func (i *issuer) signWith(alg jose.SignatureAlgorithm, key any, id string) {
	i.signer = jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: id}}
}

func (i *issuer) clock() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now
}

func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

// honest is as it was made, after the keys that were asked for in the meantime have rested.
func (i *issuer) honest() {
	i.claims, i.token, i.now = nil, "", i.now.Add(keysFor)
	i.publish(jose.JSONWebKey{Key: rsaKey.Public(), KeyID: "one", Algorithm: "RS256", Use: "sig"})
	i.signWith(jose.RS256, rsaKey, "one")
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked[r.URL.Path]++
	if i.broken != 0 {
		w.WriteHeader(i.broken)
		return
	}
	if says := i.says[r.URL.Path]; says != nil {
		says(w, r)
		return
	}
	answer := map[string]any{}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer = map[string]any{
			"issuer": i.url, "authorization_endpoint": i.url + "/auth", "token_endpoint": i.url + "/token", "jwks_uri": i.url + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		}
		maps.Copy(answer, i.described)
	case "/keys":
		answer["keys"] = i.keys
	case "/token":
		i.verifier = r.FormValue("code_verifier")
		answer = map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": i.idToken(i.nonce)}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// idToken is the next one; the caller holds the lock.
func (i *issuer) idToken(nonce string) string {
	if i.token != "" {
		return i.token
	}
	claims := map[string]any{
		"iss": i.url, "sub": "ada", "aud": "fermata", "exp": i.now.Add(time.Hour).Unix(), "iat": i.now.Unix(), "nonce": nonce, "name": "Ada",
	}
	maps.Copy(claims, i.usual)
	for name, value := range i.claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return i.sign(claims)
}

func (i *issuer) sign(claims map[string]any) string {
	signer, err := jose.NewSigner(i.signer, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		i.t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := signer.Sign(body)
	if err != nil {
		i.t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

// bearer is a token for a header.
func (i *issuer) bearer() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.idToken("")
}

// party is a server that trusts the issuer.
func (i *issuer) party(change ...func(*Config)) *Party {
	c := Config{
		Issuer: i.url, ClientID: "fermata", ClientSecret: "s", RedirectURL: "https://fermata.example/v1/sign-in/callback", Clock: i.clock,
		Workspaces: func(_ context.Context, id string) (bool, error) { return id == "default" || id == "acme", nil },
		Client:     egress.NewClient(egress.Config{Policy: egress.Policy{Private: egress.Open}}),
	}
	for _, change := range change {
		change(&c)
	}
	return New(c)
}

// signIn goes all the way; with changes the query that the browser comes back with.
func (i *issuer) signIn(p *Party, with ...func(url.Values)) (*people.IssuerPerson, error) {
	i.t.Helper()
	to, cookie, err := p.Begin(i.t.Context(), "/#/chat")
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(to)
	if err != nil {
		i.t.Fatal(err)
	}
	query := url.Values{"code": {"c"}, "state": {at.Query().Get("state")}}
	i.set(func() { i.nonce = at.Query().Get("nonce") })
	for _, change := range with {
		change(query)
	}
	person, _, err := p.Finish(i.t.Context(), cookie, query)
	return person, err
}

// ecKey is a key of another kind.
func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
