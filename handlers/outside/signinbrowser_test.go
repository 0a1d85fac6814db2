package outside

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// A sign-in that the page begins is bound to the browser by a random cookie.
func TestSignInIsBoundToItsBrowser(t *testing.T) {
	for name, secure := range map[string]bool{"__Host-": true, "": false} {
		s := &ConnectorHandlers{Edge: &edge.Edge{Config: edge.Config{Cookies: auth.Cookies{Secure: secure}}}}
		calls := &pendingSignIns{}
		s.SignIn = calls
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/connectors/con_1/sign-in", nil)
		request.Host = "fermata.example:8080"
		for _, site := range []string{"", "cross-site", "none", "same-site"} {
			request.Header.Set("Sec-Fetch-Site", site)
			if browser, secret := signInBrowser(request); browser != (outside.SignInBrowser{}) || secret != "" {
				t.Errorf("%q is taken for the page: %v", site, browser)
			}
		}
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		browser, secret := signInBrowser(request)
		if again, other := signInBrowser(request); browser.Host != "fermata.example" || browser.Hash == again.Hash || secret == other {
			t.Errorf("the browser is %v, then %v", browser, again)
		}
		set := httptest.NewRecorder()
		s.Cookies.SetConnectorSignIn(set, secret)
		cookie := set.Result().Cookies()[0]
		if !strings.HasPrefix(cookie.Name, name+"fermata_connector_sign_in_") || cookie.Path != "/" || cookie.Secure != secure || !cookie.HttpOnly {
			t.Errorf("the cookie is %v", cookie)
		}
		state := outside.SignInOfBrowser + browser.Hash + "-ABC"
		empty := sha256.Sum256([]byte("fermata connector sign-in\n"))
		noSecret := base64.RawURLEncoding.EncodeToString(empty[:])
		for what, c := range map[string]struct {
			cookie *http.Cookie
			state  string
			ends   bool
		}{
			"its browser":             {cookie, state, true},
			"no cookie":               {&http.Cookie{Name: "other", Value: "x"}, state, false},
			"a cookie from the state": {&http.Cookie{Name: cookie.Name, Value: browser.Hash}, state, false},
			"an empty cookie":         {&http.Cookie{Name: cookie.Name}, state, false},
			"another state":           {cookie, outside.SignInOfBrowser + strings.Repeat("A", 43) + "-ABC", false},
			"a short state":           {cookie, outside.SignInOfBrowser + "A", false},
			"the hash of no cookie":   {&http.Cookie{Name: "other", Value: "x"}, outside.SignInOfBrowser + noSecret + "-ABC", false},
			"a header in the state":   {cookie, outside.SignInOfBrowser + "%0d%0aSet-Cookie:%20a=b%3b" + browser.Hash, false},
			"two cookies of its name": {&http.Cookie{Name: cookie.Name, Value: secret + "; " + cookie.Name + "=planted"}, state, false},
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/connectors/sign-in/callback?code=c&state="+c.state, nil)
			r.Header.Set("Cookie", c.cookie.Name+"="+c.cookie.Value)
			r.Header.Set("Accept", "text/html")
			calls.finished = nil
			answer := httptest.NewRecorder()
			s.ReturnFromSignIn(answer, r)
			if ended := len(calls.finished) == 1; ended != c.ends || ended != (answer.Code == 200) {
				t.Errorf("%s: %d, finished %v", what, answer.Code, calls.finished)
			}
			if set := answer.Header().Values("Set-Cookie"); !c.ends && len(set) > 0 {
				t.Errorf("%s: sets %q", what, set)
			}
		}
	}
}

// pendingSignIns records which sign-ins were finished.
type pendingSignIns struct {
	ConnectorSignIn

	finished []outside.SignInAnswer
}

func (p *pendingSignIns) FinishSignIn(_ context.Context, answer outside.SignInAnswer) (*outside.Connector, error) {
	p.finished = append(p.finished, answer)
	return &outside.Connector{Name: "Vault", Status: outside.ConnectorReady}, nil
}
