package oidc

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	describes = "/.well-known/openid-configuration"
	publishes = "/keys"
	redeems   = "/token"
	atClient  = "a secret of this server's"
)

// answers is one with a body, of JSON as it says.
func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// leads elsewhere.
func leads(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
}

// echoes sends back what it was sent, as the page of a debugger does.
func echoes(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, `{"error": "bad %s %s %s %s %s"}`, id, secret, r.FormValue("code"), r.FormValue("code_verifier"), r.FormValue("client_secret"))
}

// TestWhatAnIssuerAnswers covers responses of an issuer that are not valid, are megabytes long, or redirect
// elsewhere. Each results in an error with a bounded excerpt of the response, no sign-in succeeds, and sign-ins
// work again as soon as the issuer does.
func TestWhatAnIssuerAnswers(t *testing.T) {
	megabytes := strings.Repeat("garbage ", 3<<17)
	for _, c := range []struct {
		at     string
		what   string
		answer http.HandlerFunc
		code   domain.Code
		words  string
	}{
		{describes, "500 and a megabyte", answers(500, megabytes), domain.CodeIssuerUnavailable, "openid-configuration cannot be used"},
		{describes, "megabytes of garbage", answers(200, megabytes), domain.CodeIssuerUnavailable, "openid-configuration cannot be used"},
		{describes, "megabytes of an object", answers(200, `{"issuer": "`+megabytes+`"}`), domain.CodeIssuerUnavailable, "openid-configuration cannot be used"},
		{describes, "nothing", answers(200, ""), domain.CodeIssuerUnavailable, "openid-configuration cannot be used"},
		{describes, "null", answers(200, "null"), domain.CodeIssuerUnavailable, "it calls itself"},
		{describes, "a list", answers(200, "[]"), domain.CodeIssuerUnavailable, "openid-configuration cannot be used"},
		{describes, "the way elsewhere", leads, domain.CodeIssuerUnavailable, "moved"},
		{publishes, "500 and a megabyte", answers(500, megabytes), domain.CodeIssuerUnavailable, "they are no set of keys"},
		{publishes, "megabytes of garbage", answers(200, megabytes), domain.CodeIssuerUnavailable, "they are no set of keys"},
		{publishes, "nothing", answers(200, ""), domain.CodeIssuerUnavailable, "broke off"},
		{publishes, "null", answers(200, "null"), domain.CodeTokenInvalid, "does not publish"},
		{publishes, "keys that are none", answers(200, `{"keys": [1, {}, {"kty": "oct", "k": "c2VjcmV0", "kid": "one"}]}`), domain.CodeTokenInvalid, "does not publish"},
		{publishes, "the way elsewhere", leads, domain.CodeIssuerUnavailable, "moved"},
		{redeems, "500 and a megabyte", answers(500, megabytes), domain.CodeIssuerUnavailable, "it answers with an error"},
		{redeems, "400 and a megabyte", answers(400, megabytes), domain.CodeSignInRefused, "did not take the code"},
		{redeems, "megabytes of garbage", answers(200, megabytes), domain.CodeIssuerUnavailable, "it answers with an error"},
		{redeems, "nothing", answers(200, ""), domain.CodeIssuerUnavailable, "it answers with an error"},
		{redeems, "no ID token", answers(200, `{"access_token": "a", "token_type": "Bearer"}`), domain.CodeTokenInvalid, "no ID token"},
		{redeems, "a code that was used", answers(400, `{"error": "invalid_grant"}`), domain.CodeSignInRefused, "did not take the code (invalid_grant). Nothing was done: sign in again."},
		{redeems, "another client", answers(401, `{"error": "invalid_client"}`), domain.CodeSignInRefused, "FERMATA_OIDC_CLIENT_SECRET"},
		{redeems, "an error of a megabyte", answers(400, `{"error": "`+megabytes[:1<<19]+`"}`), domain.CodeSignInRefused, "did not take the code"},
		{redeems, "what it was sent", echoes, domain.CodeSignInRefused, "did not take the code"},
		{redeems, "the way elsewhere", leads, domain.CodeIssuerUnavailable, "moved"},
	} {
		t.Run(c.at+": "+c.what, func(t *testing.T) {
			i := newIssuer(t)
			p := i.party(func(c *Config) { c.ClientSecret = atClient })
			i.says = map[string]http.HandlerFunc{c.at: c.answer}
			person, err := i.signIn(p, func(q url.Values) { q.Set("code", "a-code-of-the-issuers") })
			if refused(t, c.what, err, c.code, c.words); person != nil {
				t.Errorf("%+v was admitted", person)
			}
			if text := err.Error(); len(text) > 1_000 || strings.ContainsAny(text, "\n\r") {
				t.Errorf("the error has %d bytes: %.2000s", len(text), text)
			}
			for _, secret := range []string{atClient, url.QueryEscape(atClient), "a-code-of-the-issuers", i.verifier} {
				if secret != "" && strings.Contains(err.Error(), secret) {
					t.Errorf("it contains %s: %v", secret, err)
				}
			}
			i.set(func() { i.says, i.now = nil, i.now.Add(keysFor) })
			if _, err := i.signIn(p); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestKeysOfAnotherIssuer verifies that an attacker who can make an issuer publish the address of other keys still
// needs one of those keys, and that tokens signed by the issuer itself are not accepted with them.
func TestKeysOfAnotherIssuer(t *testing.T) {
	i, other := newIssuer(t), newIssuer(t)
	other.signWith("RS256", otherKey, "one")
	i.described = map[string]any{"jwks_uri": other.url + publishes}
	other.publish()
	_, err := i.signIn(i.party())
	refused(t, "keys of another", err, domain.CodeTokenInvalid, "does not publish")

	mine := newIssuer(t)
	mine.token = other.bearer()
	_, err = mine.signIn(mine.party())
	refused(t, "a token of another", err, domain.CodeTokenInvalid, "signature is not good")
}

// TestTheIssuersClock verifies that clock skew is reported to the administrator at setup, before it causes any
// token to be rejected.
func TestTheIssuersClock(t *testing.T) {
	for by, want := range map[time.Duration]time.Duration{
		0: 0, time.Minute: 0, -time.Minute: 0, 10 * time.Minute: 10 * time.Minute, -10 * time.Minute: -10 * time.Minute,
	} {
		for _, cached := range []bool{false, true} {
			i := newIssuer(t)
			i.says = map[string]http.HandlerFunc{publishes: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", i.now.Add(by).Format(http.TimeFormat))
				if cached {
					w.Header().Set("Age", "600")
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"keys": i.keys})
			}}
			ahead, err := i.party().Check(t.Context())
			if err != nil || !cached && ahead != want || cached && ahead != 0 {
				t.Errorf("by %s (cached: %v): %s, %v", by, cached, ahead, err)
			}
		}
	}
}

// slowly is the network to an issuer that is slow at one of its addresses.
type slowly struct {
	*issuer
	at       string
	trickles bool // its response begins and never ends
}

func (s slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == s.at && !s.trickles {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	recorded := httptest.NewRecorder()
	s.serve(recorded, r)
	response := recorded.Result()
	if r.URL.Path == s.at {
		response.Body = trickle{r}
	}
	return response, nil
}

type trickle struct{ *http.Request }

func (t trickle) Read(b []byte) (int, error) {
	select {
	case <-t.Context().Done():
		return 0, t.Context().Err()
	case <-time.After(time.Second):
		return copy(b, " "), nil
	}
}

func (trickle) Close() error { return nil }

// TestAnIssuerThatHangs verifies that no request waits for the issuer past its own deadline, that the error says
// the issuer is slow, and that requests within the next few seconds fail immediately.
func TestAnIssuerThatHangs(t *testing.T) {
	for _, at := range []string{describes, publishes, redeems} {
		for _, trickles := range []bool{false, true} {
			i := newIssuer(t)
			synctest.Test(t, func(t *testing.T) {
				i.t, i.now = t, time.Now()
				p := i.party(func(c *Config) {
					c.Client, c.Clock = &http.Client{Transport: slowly{i, at, trickles}}, clock.System
				})
				begun := time.Now()
				_, err := i.signIn(p)
				refused(t, at, err, domain.CodeIssuerUnavailable, "timed out")
				if took := time.Since(begun); took != answersWithin {
					t.Errorf("%s: after %s (trickles: %v)", at, took, trickles)
				}
				if at == redeems {
					return // a code is redeemed once
				}
				begun = time.Now()
				_, err = i.signIn(p)
				refused(t, at, err, domain.CodeIssuerUnavailable, "timed out")
				if took := time.Since(begun); took != 0 {
					t.Errorf("%s: the next one after %s", at, took)
				}
			})
		}
	}
}
